// SPDX-License-Identifier: Apache-2.0
// int8 multiplication, element by element.
#pragma once
#include <cstdint>

#include "corten/rt/elementwise.h"
#include "corten/rt/requantize.h"

namespace corten::rt {

struct Mul {
  std::int32_t input0_zero_point, input1_zero_point, output_zero_point;
  std::int32_t multiplier, shift, low, high;
};

template <Rounding R>
struct ScaledProduct {
  Mul mul;

  /// Elements: one code in an int32, or a vector of them.
  template <class Elements>
  Elements operator()(Elements a, Elements b) const {
    const Elements product = (a - mul.input0_zero_point) * (b - mul.input1_zero_point);
    return clamp_code(requantize<R>(product, mul.multiplier, mul.shift) + mul.output_zero_point, mul.low, mul.high);
  }
};

/// output = a · b. The output may be either operand's memory.
template <Rounding R, class Isa = Native>
void mul_contiguous(const Mul& mul, std::int32_t count, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_contiguous<Isa>(count, a, b, output, ScaledProduct<R>{mul});
}

/// The same with broadcasting; in place only where the operand has the output's own layout.
template <Rounding R>
void mul_broadcast(const Mul& mul, const Elementwise& axes, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_broadcast(axes, a, b, output, ScaledProduct<R>{mul});
}

}  // namespace corten::rt
