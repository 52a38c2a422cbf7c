// SPDX-License-Identifier: Apache-2.0
// Where the layers of programs begin in a linked ELF.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "corten/result.h"
#include "simulate/elf_file.h"
#include "simulate/simulate.h"

namespace corten {

struct LayerEntry {
  std::size_t program;
  std::size_t layer;  // index into its layers
  std::uint32_t address;
};

/// Every entry of every layer: a compiler may clone a function. Fails on a layer without a function, which happens
/// when it was inlined: its instructions would count for the layer before it.
Result<std::vector<LayerEntry>> find_layers(const ElfContent& elf, std::span<const SimulatedProgram> programs);

}  // namespace corten
