// SPDX-License-Identifier: Apache-2.0
// Sections and symbols of a 32-bit little-endian ELF file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "corten/result.h"

namespace corten {

struct ElfSection {
  std::string name;
  std::uint32_t bytes;
  bool loaded;    // has content in the file that lies in memory when the program runs
  bool writable;
};

struct ElfFunction {
  std::uint32_t address;  // without the Thumb bit
  std::uint32_t bytes;
  std::string symbol;     // as linked: "_ZN3kwsL5conv1EPv.constprop.0"
  std::string name;       // as written, without parameters and clone suffix: "kws::conv1"
};

struct ElfContent {
  std::vector<ElfSection> sections;
  std::vector<ElfFunction> functions;  // by ascending address
};

/// Fails when the file can't be read or is no such ELF.
Result<ElfContent> read_elf(const std::filesystem::path& path);

/// The function that `address` lies in, or null.
const ElfFunction* function_at(const ElfContent& elf, std::uint32_t address);

}  // namespace corten
