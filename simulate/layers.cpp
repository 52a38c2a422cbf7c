// SPDX-License-Identifier: Apache-2.0
// Matches the names of layers with the functions of an ELF.
#include "simulate/layers.h"

#include <fmt/format.h>

#include <tuple>
#include <unordered_map>

namespace corten {
namespace {

using Addresses = std::unordered_multimap<std::string, std::uint32_t>;

bool is_fragment(const ElfFunction& function) {
  return function.symbol.find(".part.") != std::string::npos || function.symbol.find(".cold") != std::string::npos;
}

Addresses addresses_by_name(const ElfContent& elf) {
  Addresses addresses;
  for (const ElfFunction& function : elf.functions)
    if (!is_fragment(function)) addresses.emplace(function.name, function.address);
  return addresses;
}

std::vector<std::uint32_t> addresses_of(const Addresses& addresses, const std::string& name) {
  std::vector<std::uint32_t> found;
  const auto [begin, end] = addresses.equal_range(name);
  for (auto i = begin; i != end; ++i) found.push_back(i->second);
  return found;
}

}  // namespace

Result<std::vector<LayerEntry>> find_layers(const ElfContent& elf, std::span<const SimulatedProgram> programs) {
  const Addresses addresses = addresses_by_name(elf);
  std::vector<LayerEntry> entries;
  for (std::size_t program = 0; program < programs.size(); program++) {
    const auto& [name, layers] = std::tie(programs[program].name, programs[program].layers);
    for (std::size_t layer = 0; layer < layers.size(); layer++) {
      std::vector<std::uint32_t> found = addresses_of(addresses, name + "::" + layers[layer]);
      if (found.empty()) found = addresses_of(addresses, layers[layer]);
      if (found.empty())
        return error(fmt::format("layer {} of {} has no function in the linked program", layers[layer], name), {},
                     "a layer function must not be inlined: mark it [[gnu::noipa]]");
      for (const std::uint32_t address : found) entries.push_back({program, layer, address});
    }
  }
  return entries;
}

}  // namespace corten
