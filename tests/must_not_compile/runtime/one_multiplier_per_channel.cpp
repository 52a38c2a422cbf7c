// SPDX-License-Identifier: Apache-2.0
// Per channel, multipliers are an array; per tensor, a number.
// ERROR: invalid conversion from
#include "corten/rt/requantize.h"

#ifdef CORTEN_WRONG
constexpr std::int32_t number = 1 << 30;
constexpr corten::rt::PerChannel<corten::rt::Rounding::Double> kind = {number, number, 0, -128, 127};
#else
constexpr std::int32_t numbers[] = {1 << 30};
constexpr corten::rt::PerChannel<corten::rt::Rounding::Double> kind = {numbers, numbers, 0, -128, 127};
#endif
