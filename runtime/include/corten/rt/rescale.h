// SPDX-License-Identifier: Apache-2.0
// int8 codes from one quantization to another.
#pragma once
#include <cstdint>

#include "corten/rt/requantize.h"

namespace corten::rt {

struct Rescale {
  std::int32_t input_zero_point, multiplier, shift, output_zero_point, low, high;
};

/// output[i] = clamp(requantize(input[i] − input_zero_point) + output_zero_point). The output may be the input's own memory.
template <Rounding R>
void rescale(const Rescale& grids, std::int32_t count, const std::int8_t* input, std::int8_t* output) {
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t code = requantize<R>(input[i] - grids.input_zero_point, grids.multiplier, grids.shift) + grids.output_zero_point;
    output[i] = static_cast<std::int8_t>(clamp_code(code, grids.low, grids.high));
  }
}

}  // namespace corten::rt
