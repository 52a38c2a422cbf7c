// SPDX-License-Identifier: Apache-2.0
// Reordering of axes.
#pragma once
#include <cstdint>

#include "corten/rt/axes.h"

namespace corten::rt {

/// input_stride[axis]: elements from one index of an output axis to the next, in the input.
struct Transpose {
  std::int32_t rank;  // ≤ 6
  std::int32_t shape[6];
  std::int32_t input_stride[6];
};

/// The output is contiguous and apart from the input.
template <class Element>
void transpose(const Transpose& axes, const Element* input, Element* output) {
  for_each_index(axes.rank, axes.shape, axes.input_stride, axes.input_stride, [&](std::int32_t offset, std::int32_t) { *output++ = input[offset]; });
}

}  // namespace corten::rt
