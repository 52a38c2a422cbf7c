// SPDX-License-Identifier: Apache-2.0
// int8 softmax along any axis, in fixed point.
#pragma once
#include <cstdint>

#include "corten/rt/requantize.h"

namespace corten::rt {

/// TensorFlow Lite's int8 SOFTMAX: output scale 1/256, zero point −128.
/// Element i of row (o, n) lies at (o · depth + i) · inner + n, o < outer, n < inner.
/// multiplier, shift: min(beta · input scale · 2^26, 2^31 − 1); diff_min = −⌊31 · 2^26 / 2^shift⌋. Precondition: 1 ≤ depth < 4096.
struct Softmax {
  std::int32_t outer, depth, inner, multiplier, shift, diff_min;
};

namespace fixed {

/// Product of two fractions (Q0.31 and Qm.n gives Qm.n), rounded half up.
constexpr std::int32_t multiply(std::int32_t a, std::int32_t b) { return multiply_high(a, b, std::int64_t{1} << 30); }

/// value / 2^bits, halves away from zero; bits ≥ 1, value > −2^31.
constexpr std::int32_t divide(std::int32_t value, std::int32_t bits) { return (((value + (value >> 31)) >> (bits - 1)) + 1) >> 1; }

constexpr std::int32_t shift_left_saturating(std::int32_t value, std::int32_t bits) {
  const std::int64_t wide = std::int64_t{value} * (std::int64_t{1} << bits);
  if (wide > INT32_MAX) return INT32_MAX;
  return wide < INT32_MIN ? INT32_MIN : static_cast<std::int32_t>(wide);
}

/// e^a for a in [−1/4, 0), both Q0.31: a Taylor series around −1/8.
constexpr std::int32_t exp_near_zero(std::int32_t a) {
  constexpr std::int32_t exp_minus_eighth = 1895147668, third = 715827883;
  const std::int32_t x = a + (std::int32_t{1} << 28);
  const std::int32_t x2 = multiply(x, x), x3 = multiply(x2, x), x4 = multiply(x2, x2);
  const std::int32_t high_terms = divide(multiply(divide(x4, 2) + x3, third) + x2, 1);
  return exp_minus_eighth + multiply(exp_minus_eighth, x + high_terms);
}

/// e^a, Q0.31, for a ≤ 0 in Q5.26.
constexpr std::int32_t exp_of_negative(std::int32_t a) {
  constexpr std::int32_t quarter = std::int32_t{1} << 24;
  constexpr std::int32_t exp_of_minus[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};  // 1/4, 1/2, 1 … 16
  if (a == 0) return INT32_MAX;
  const std::int32_t fraction = (a & (quarter - 1)) - quarter;
  std::int32_t result = exp_near_zero(fraction * 32);
  std::int32_t bits = (fraction - a) >> 24;
  for (int i = 0; i < 7; ++i, bits >>= 1)
    if ((bits & 1) != 0) result = multiply(result, exp_of_minus[i]);
  return result;
}

/// 1 / (1 + a), Q0.31, for a in [0, 1): three Newton steps in Q2.29.
constexpr std::int32_t reciprocal_of_one_plus(std::int32_t a) {
  const auto half = static_cast<std::int32_t>((std::int64_t{a} + INT32_MAX + 1) / 2);
  std::int32_t x = 1515870810 + multiply(half, -1010580540);  // 48/17 − 32/17 · half
  for (int i = 0; i < 3; ++i) x += shift_left_saturating(multiply(x, (std::int32_t{1} << 29) - multiply(half, x)), 2);
  return shift_left_saturating(x, 1);
}

constexpr std::int32_t leading_zeros(std::uint32_t value) { return value == 0 ? 32 : __builtin_clz(value); }

}  // namespace fixed

/// One row of depth elements `inner` apart.
inline void softmax_row(const Softmax& softmax, const std::int8_t* input, std::int8_t* output) {
  const auto elements = [&](auto visit) {
    for (std::int32_t i = 0, at = 0; i < softmax.depth; ++i, at += softmax.inner) visit(at);
  };
  const auto exp_of = [&](std::int32_t difference) {
    return fixed::exp_of_negative(requantize<Rounding::Double>(difference, softmax.multiplier, softmax.shift));
  };
  std::int32_t largest = -128;
  elements([&](std::int32_t at) { largest = input[at] > largest ? input[at] : largest; });
  std::int32_t sum = 0;  // Q12.19
  elements([&](std::int32_t at) {
    const std::int32_t difference = input[at] - largest;
    if (difference >= softmax.diff_min) sum += fixed::divide(exp_of(difference), 12);
  });
  const std::int32_t headroom = fixed::leading_zeros(static_cast<std::uint32_t>(sum));
  const auto above_one = static_cast<std::int32_t>((static_cast<std::uint32_t>(sum) << headroom) - (std::uint32_t{1} << 31));
  const std::int32_t scale = fixed::reciprocal_of_one_plus(above_one);
  elements([&](std::int32_t at) {
    const std::int32_t difference = input[at] - largest;
    const std::int32_t code = difference < softmax.diff_min ? -128 : fixed::divide(fixed::multiply(scale, exp_of(difference)), 12 - headroom + 31 - 8) - 128;
    output[at] = static_cast<std::int8_t>(clamp_code(code, -128, 127));
  });
}

/// The output may be the input's own memory.
inline void softmax(const Softmax& softmax, const std::int8_t* input, std::int8_t* output) {
  for (std::int32_t outer = 0; outer < softmax.outer; ++outer, input += softmax.depth * softmax.inner, output += softmax.depth * softmax.inner)
    for (std::int32_t inner = 0; inner < softmax.inner; ++inner) softmax_row(softmax, input + inner, output + inner);
}

}  // namespace corten::rt
