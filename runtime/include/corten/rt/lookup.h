// SPDX-License-Identifier: Apache-2.0
// Any function of one int8 code, as a table.
#pragma once
#include <cstdint>

namespace corten::rt {

/// output[i] = table[input[i] + 128]. The output may be the input's own memory.
inline void lookup(const std::int8_t* table /*[256]*/, std::int32_t count, const std::int8_t* input, std::int8_t* output) {
  for (std::int32_t i = 0; i < count; ++i) output[i] = table[input[i] + 128];
}

}  // namespace corten::rt
