// SPDX-License-Identifier: Apache-2.0
// Real numbers to codes, as PyTorch does it.
#pragma once
#include <cstdint>

namespace corten::rt {

/// low, high: the element's range or less, within ±2^20 of zero_point.
struct Quantize {
  float inverse_scale;
  std::int32_t zero_point, low, high;
};

/// output[i] = clamp(round_half_even(input[i] · inverse_scale) + zero_point), all in float32. Not a number gives low.
template <class Element>
void quantize(const Quantize& grid, std::int32_t count, const float* input, Element* output) {
  const auto lowest = static_cast<float>(grid.low - grid.zero_point), highest = static_cast<float>(grid.high - grid.zero_point);
  constexpr float rounder = 12582912.0f;  // 1.5 · 2^23: floats of this size are integers, so adding it rounds
  for (std::int32_t i = 0; i < count; ++i) {
    const float scaled = input[i] * grid.inverse_scale;
    const float raised = scaled > lowest ? scaled : lowest;
    const float limited = raised < highest ? raised : highest;
    const float rounded = limited + rounder;
    output[i] = static_cast<Element>(static_cast<std::int32_t>(rounded - rounder) + grid.zero_point);
  }
}

}  // namespace corten::rt
