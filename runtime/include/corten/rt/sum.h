// SPDX-License-Identifier: Apache-2.0
// The arithmetic that addition and subtraction share.
#pragma once
#include <cstdint>

#include "corten/rt/isa_native.h"
#include "corten/rt/requantize.h"

namespace corten::rt {

/// Both operands are brought to one grid, 2^left_shift finer than the larger of theirs.
/// Preconditions: (code − zero point) · 2^left_shift fits int32 (left_shift ≤ 22); input shifts ≤ 0.
struct Sum {
  std::int32_t left_shift;
  std::int32_t input0_zero_point, input0_multiplier, input0_shift;
  std::int32_t input1_zero_point, input1_multiplier, input1_shift;
  std::int32_t output_zero_point, output_multiplier, output_shift;
  std::int32_t low, high;
};

/// a + Sign · b in codes; TensorFlow Lite's ADD and SUB.
template <Rounding R, int Sign>
struct ScaledSum {
  Sum sum;

  /// Elements: one code in an int32, or a vector of them.
  template <class Elements>
  Elements operator()(Elements a, Elements b) const {
    const std::int32_t one = std::int32_t{1} << sum.left_shift;
    const Elements scaled_a = requantize<R>((a - sum.input0_zero_point) * one, sum.input0_multiplier, sum.input0_shift);
    const Elements scaled_b = requantize<R>((b - sum.input1_zero_point) * one, sum.input1_multiplier, sum.input1_shift);
    const Elements total = Sign > 0 ? scaled_a + scaled_b : scaled_a - scaled_b;
    return clamp_code(requantize<R>(total, sum.output_multiplier, sum.output_shift) + sum.output_zero_point, sum.low, sum.high);
  }
};

}  // namespace corten::rt
