// SPDX-License-Identifier: Apache-2.0
// Files and process exit of the host, reached through Arm semihosting.
#pragma once
#include <cstdint>

namespace harness {

enum class Semihosting : int { Open = 0x01, Close = 0x02, Write0 = 0x04, Write = 0x05, Read = 0x06, ExitExtended = 0x20 };
enum class Mode : std::uint32_t { Read = 1, Write = 5 };  // "rb", "wb"

inline int call(Semihosting operation, const void* argument) {
  register int r0 __asm__("r0") = static_cast<int>(operation);
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

inline std::uint32_t word(const void* pointer) { return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pointer)); }

/// Negative when the file can't be opened.
inline int open(const char* path, Mode mode) {
  std::uint32_t length = 0;
  while (path[length] != 0) length++;
  const std::uint32_t block[] = {word(path), static_cast<std::uint32_t>(mode), length};
  return call(Semihosting::Open, block);
}

inline void close(int file) {
  const std::uint32_t block[] = {static_cast<std::uint32_t>(file)};
  call(Semihosting::Close, block);
}

/// False unless all bytes were read.
inline bool read(int file, void* to, std::uint32_t bytes) {
  const std::uint32_t block[] = {static_cast<std::uint32_t>(file), word(to), bytes};
  return call(Semihosting::Read, block) == 0;
}

/// False unless all bytes were written.
inline bool write(int file, const void* from, std::uint32_t bytes) {
  const std::uint32_t block[] = {static_cast<std::uint32_t>(file), word(from), bytes};
  return call(Semihosting::Write, block) == 0;
}

[[noreturn]] inline void exit(std::uint32_t status) {
  const std::uint32_t block[] = {0x20026, status};
  for (;;) call(Semihosting::ExitExtended, block);
}

}  // namespace harness
