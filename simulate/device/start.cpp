// SPDX-License-Identifier: Apache-2.0
// Reset and fault handlers: from the vector table to the harness, or to a report of what went wrong.
#include "harness.h"
#include "protect.h"
#include "semihosting.h"

extern "C" {
extern std::uint32_t program_stack_bottom[], program_stack_top[], harness_stack_top[];
void harness_main();
[[noreturn]] void report_fault(const std::uint32_t* frame);
void reset_handler();
void fault_handler();
}

namespace {

inline std::uint32_t read_register(std::uint32_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }
inline void set_bits(std::uint32_t address, std::uint32_t bits) { *reinterpret_cast<volatile std::uint32_t*>(address) |= bits; }

constexpr std::uint32_t configuration_control = 0xE000ED14;
constexpr std::uint32_t coprocessor_access = 0xE000ED88;
constexpr std::uint32_t fault_status = 0xE000ED28;
constexpr std::uint32_t memory_fault_address = 0xE000ED34;
constexpr std::uint32_t bus_fault_address = 0xE000ED38;

}  // namespace

extern "C" __attribute__((used)) void start() {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  set_bits(coprocessor_access, 0xFu << 20);
  __asm__ volatile("dsb\n isb");
#endif
#if defined(__ARM_FEATURE_MVE)
  constexpr std::uint32_t low_overhead_branch = 1u << 19;
  set_bits(configuration_control, low_overhead_branch);
#endif
#if __ARM_ARCH_ISA_THUMB == 1
  // A real baseline core faults on unaligned access; a bigger one that stands in for it must be told to.
  constexpr std::uint32_t unaligned_trap = 1u << 3;
  set_bits(configuration_control, unaligned_trap);
#endif
  harness::protect_memory();
  harness_main();
  harness::exit(0);
}

extern "C" __attribute__((naked)) void reset_handler() {
  __asm__ volatile("ldr r0, =harness_stack_top\n mov sp, r0\n bl start\n");
}

// The program's stack may be what is broken, so the report runs on the harness's.
extern "C" __attribute__((naked)) void fault_handler() {
  __asm__ volatile("mov r0, sp\n ldr r1, =harness_stack_top\n mov sp, r1\n bl report_fault\n");
}

extern "C" __attribute__((used)) void report_fault(const std::uint32_t* frame) {
  std::uint32_t exception;
  __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
  const std::uint32_t readable = frame >= program_stack_bottom && frame + 8 <= harness_stack_top ? 1 : 0;
  const std::uint32_t return_address = readable ? frame[5] : 0;
  const std::uint32_t program_counter = readable ? frame[6] : 0;
#if __ARM_ARCH_ISA_THUMB >= 2
  harness::tell("fault", {exception, program_counter, return_address, readable, read_register(fault_status),
                          read_register(memory_fault_address), read_register(bus_fault_address)});
#else
  harness::tell("fault", {exception, program_counter, return_address, readable});
#endif
  harness::exit(1);
}

// Every exception but reset is a fault here: no program enables an interrupt.
extern "C" __attribute__((section(".vectors"), used)) void (*const vectors[])() = {
    reinterpret_cast<void (*)()>(harness_stack_top),
    reset_handler,
    fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
    fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
};
