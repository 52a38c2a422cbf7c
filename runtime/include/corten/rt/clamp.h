// SPDX-License-Identifier: Apache-2.0
// Limiting codes to a range.
#pragma once
#include <cstdint>

#include "corten/rt/requantize.h"

namespace corten::rt {

/// output[i] = input[i] limited to [low, high]. The output may be the input's own memory.
inline void clamp(std::int32_t count, std::int32_t low, std::int32_t high, const std::int8_t* input, std::int8_t* output) {
  for (std::int32_t i = 0; i < count; ++i) output[i] = static_cast<std::int8_t>(clamp_code(input[i], low, high));
}

}  // namespace corten::rt
