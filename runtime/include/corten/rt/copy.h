// SPDX-License-Identifier: Apache-2.0
// A block of elements from one strided place to another: slices, splits, concatenation.
#pragma once
#include <cstdint>
#include <cstring>

#include "corten/rt/axes.h"

namespace corten::rt {

/// Element strides of both sides; a step of a slice is part of its stride, which may be negative.
struct Copy {
  std::int32_t rank;  // ≤ 6
  std::int32_t shape[6];
  std::int32_t input_stride[6], output_stride[6];
};

/// The output is apart from the input.
template <class Element>
void copy(const Copy& block, const Element* input, Element* output) {
  const std::int32_t last = block.rank - 1;
  const bool runs = last >= 0 && block.input_stride[last] == 1 && block.output_stride[last] == 1;
  const std::int32_t run = runs ? block.shape[last] : 1;
  for_each_index(runs ? last : block.rank, block.shape, block.input_stride, block.output_stride, [&](std::int32_t from, std::int32_t to) {
    std::memcpy(output + to, input + from, static_cast<std::size_t>(run) * sizeof(Element));
  });
}

}  // namespace corten::rt
