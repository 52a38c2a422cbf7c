// SPDX-License-Identifier: Apache-2.0
// The processors a program can be compiled for.
#pragma once
#include <span>
#include <string_view>

namespace corten {

/// The instruction set kernels are written for: C++ only; Thumb-2 with the DSP extension; Armv8.1-M with MVE (integer).
enum class Isa { Portable, Dsp, Mve };

struct Core {
  std::string_view name;            // "cortex-m4", as `--core` takes it
  Isa isa;
  std::string_view compiler_flags;  // for arm-none-eabi-g++, separated by spaces; empty for "host"
};

/// The eleven Cortex-M cores in ascending order, then the pseudo core "host" (this machine, portable kernels).
std::span<const Core> cores();

/// Null when no core has this name.
const Core* find_core(std::string_view name);

}  // namespace corten
