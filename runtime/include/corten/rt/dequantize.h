// SPDX-License-Identifier: Apache-2.0
// Codes to real numbers.
#pragma once
#include <cstdint>

namespace corten::rt {

struct Dequantize {
  float scale;
  std::int32_t zero_point;
};

/// output[i] = (input[i] − zero_point) · scale in float32.
template <class Element>
void dequantize(const Dequantize& grid, std::int32_t count, const Element* input, float* output) {
  for (std::int32_t i = 0; i < count; ++i) output[i] = static_cast<float>(input[i] - grid.zero_point) * grid.scale;
}

}  // namespace corten::rt
