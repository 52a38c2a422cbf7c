// SPDX-License-Identifier: Apache-2.0
// Moving and filling short runs of codes without a call into libc.
#pragma once
#include <cstdint>
#include <cstring>

namespace corten::rt {

/// Copies count codes; the runs must not overlap. Returns the end of the copy.
inline std::int8_t* copy_codes(std::int8_t* to, const std::int8_t* from, std::int32_t count) {
  for (; count >= 4; count -= 4, to += 4, from += 4) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    std::memcpy(to, &word, sizeof word);
  }
  for (; count > 0; --count) *to++ = *from++;
  return to;
}

/// Returns the end of the filled run.
inline std::int8_t* fill_codes(std::int8_t* to, std::int32_t value, std::int32_t count) {
  for (; count > 0; --count) *to++ = static_cast<std::int8_t>(value);
  return to;
}

}  // namespace corten::rt
