// SPDX-License-Identifier: Apache-2.0
// int8 mean over any set of axes.
#pragma once
#include <cstdint>

#include "corten/rt/axes.h"
#include "corten/rt/requantize.h"

namespace corten::rt {

/// The kept axes in output order, the reduced axes in any order, each with its element stride in the input.
/// multiplier and shift hold scale ratio / count. Precondition: 255 · count fits int32.
struct Mean {
  std::int32_t kept_rank;  // ≤ 6
  std::int32_t kept_shape[6], kept_stride[6];
  std::int32_t reduced_rank;  // ≤ 6
  std::int32_t reduced_shape[6], reduced_stride[6];
  std::int32_t count;  // product of reduced_shape
  std::int32_t input_zero_point, output_zero_point, multiplier, shift, low, high;
};

/// output = clamp(requantize(Σ code − count · input_zero_point) + output_zero_point); the output is contiguous.
template <Rounding R>
void mean(const Mean& mean, const std::int8_t* input, std::int8_t* output) {
  for_each_index(mean.kept_rank, mean.kept_shape, mean.kept_stride, mean.kept_stride, [&](std::int32_t kept, std::int32_t) {
    std::int32_t sum = -mean.count * mean.input_zero_point;
    for_each_index(mean.reduced_rank, mean.reduced_shape, mean.reduced_stride, mean.reduced_stride,
                   [&](std::int32_t reduced, std::int32_t) { sum += input[kept + reduced]; });
    *output++ = static_cast<std::int8_t>(clamp_code(requantize<R>(sum, mean.multiplier, mean.shift) + mean.output_zero_point, mean.low, mean.high));
  });
}

}  // namespace corten::rt
