// SPDX-License-Identifier: Apache-2.0
// Padding with a constant.
#pragma once
#include <cstdint>

#include "corten/rt/copy.h"

namespace corten::rt {

struct Pad {
  std::int32_t rank;  // ≤ 6
  std::int32_t shape[6];  // of the input
  std::int32_t before[6], after[6];  // ≥ 0
  std::int32_t value;
};

/// output[before + i] = input[i], value elsewhere. The output is contiguous and apart from the input.
template <class Element>
void pad(const Pad& pad, const Element* input, Element* output) {
  Copy block{pad.rank, {}, {}, {}};
  std::int32_t input_elements = 1, output_elements = 1, start = 0;
  for (std::int32_t axis = pad.rank - 1; axis >= 0; --axis) {
    block.shape[axis] = pad.shape[axis];
    block.input_stride[axis] = input_elements, block.output_stride[axis] = output_elements;
    start += pad.before[axis] * output_elements;
    input_elements *= pad.shape[axis];
    output_elements *= pad.before[axis] + pad.shape[axis] + pad.after[axis];
  }
  for (std::int32_t i = 0; i < output_elements; ++i) output[i] = static_cast<Element>(pad.value);
  copy(block, input, output + start);
}

}  // namespace corten::rt
