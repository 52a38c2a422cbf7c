// SPDX-License-Identifier: Apache-2.0
// Requantization from its definition, on exact integers.
#pragma once
#include <algorithm>
#include <cstdint>

#include "corten/rt/requantize.h"

namespace corten::rt::test {

__extension__ typedef __int128 Exact;

inline Exact floor_divide(Exact value, Exact divisor) {
  const Exact quotient = value / divisor;
  return value % divisor != 0 && value < 0 ? quotient - 1 : quotient;
}
inline Exact power_of_two(int exponent) { return Exact{1} << exponent; }

/// Nearest integer to value / divisor, halves away from zero.
inline Exact nearest_away(Exact value, Exact divisor) {
  return value >= 0 ? floor_divide(2 * value + divisor, 2 * divisor) : -floor_divide(-2 * value + divisor, 2 * divisor);
}
/// Nearest integer to value / divisor, halves up.
inline Exact nearest_up(Exact value, Exact divisor) { return floor_divide(2 * value + divisor, 2 * divisor); }

inline std::int64_t exact_requantize(Rounding rounding, std::int64_t value, std::int32_t multiplier, std::int32_t shift) {
  if (rounding == Rounding::Single) return static_cast<std::int64_t>(nearest_up(Exact{value} * multiplier, power_of_two(31 - shift)));
  const Exact high = nearest_up(Exact{value} * power_of_two(std::max(shift, 0)) * multiplier, power_of_two(31));
  return static_cast<std::int64_t>(nearest_away(high, power_of_two(std::max(-shift, 0))));
}

inline std::int8_t exact_code(Rounding rounding, std::int64_t value, std::int32_t multiplier, std::int32_t shift, std::int32_t zero_point, std::int32_t low,
                              std::int32_t high) {
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(exact_requantize(rounding, value, multiplier, shift) + zero_point, low, high));
}

}  // namespace corten::rt::test
