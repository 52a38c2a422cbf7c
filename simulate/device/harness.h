// SPDX-License-Identifier: Apache-2.0
// What the generated table of programs and the harness that runs them share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace harness {

struct End {
  const void* (*address)(void* arena);
  std::uint32_t bytes;
};

struct Program {
  const char* input_file;
  const char* output_file;
  const char* arena_file;
  std::uint32_t arena_bytes;
  const End* inputs;
  std::uint32_t input_count;
  const End* outputs;
  std::uint32_t output_count;
  void (*run)(void* arena);
};

inline constexpr std::uint32_t guard_bytes = 256;

extern const Program programs[];
extern const std::uint32_t program_count;
extern std::uint8_t memory[];  // guard, the largest arena (aligned to 16), guard

/// Tells the host: a line "@key" and the values in hexadecimal.
void tell(const char* key, std::initializer_list<std::uint32_t> values);

}  // namespace harness
