// SPDX-License-Identifier: Apache-2.0
// Memory protection: a program may read its code, read and write its memory, and touch nothing else.
#include "protect.h"

#include <cstdint>

extern "C" {
// From memory.ld; the address of each symbol is its value.
extern const std::uint8_t code_origin[], code_length[], ram_origin[], ram_length[], big_origin[], big_length[];
}

namespace harness {

#if __ARM_ARCH >= 7
namespace {

struct MemoryProtectionUnit {
  std::uint32_t type, control, region_number, region_base, region_attributes;
};

volatile auto& mpu = *reinterpret_cast<volatile MemoryProtectionUnit*>(0xE000ED90);

std::uint32_t value(const std::uint8_t* symbol) { return reinterpret_cast<std::uint32_t>(symbol); }

enum class Access { None, ReadExecute, ReadWrite };

// Bit fields: Armv7-M and Armv8-M architecture reference manuals, MPU_RBAR and MPU_RASR / MPU_RLAR.
void set_region(std::uint32_t number, std::uint32_t origin, std::uint32_t bytes, Access access) {
  if (bytes == 0) return;
  constexpr std::uint32_t enable = 1;
  mpu.region_number = number;
#if __ARM_ARCH >= 8
  const std::uint32_t permission = access == Access::ReadExecute ? 3u << 1 : (1u << 1 | 1u);
  mpu.region_base = origin | permission;
  mpu.region_attributes = ((origin + bytes - 1) & ~31u) | enable;
#else
  const std::uint32_t permission = access == Access::ReadExecute ? 6u << 24 : access == Access::ReadWrite ? (3u << 24 | 1u << 28) : 0;
  const std::uint32_t log2_bytes = 31u - static_cast<std::uint32_t>(__builtin_clz(bytes));
  constexpr std::uint32_t cacheable = 1u << 17;
  mpu.region_base = origin;
  mpu.region_attributes = permission | cacheable | (log2_bytes - 1) << 1 | enable;
#endif
}

// A null pointer lands on the vector table, which has a page of its own.
constexpr std::uint32_t vector_page_bytes = 1024;

}  // namespace

void protect_memory() {
  if ((mpu.type >> 8 & 0xFF) == 0) return;
#if __ARM_ARCH >= 8
  *reinterpret_cast<volatile std::uint32_t*>(0xE000EDC0) = 0xFF;  // attribute 0: normal memory
  set_region(0, value(code_origin) + vector_page_bytes, value(code_length) - vector_page_bytes, Access::ReadExecute);
#else
  set_region(0, value(code_origin), value(code_length), Access::ReadExecute);
  set_region(3, value(code_origin), vector_page_bytes, Access::None);
#endif
  set_region(1, value(ram_origin), value(ram_length), Access::ReadWrite);
  set_region(2, value(big_origin), value(big_length), Access::ReadWrite);
  mpu.control = 1;
  __asm__ volatile("dsb\n isb");
}

#else

void protect_memory() {}  // the simulated Armv6-M core has no protection unit

#endif

}  // namespace harness
