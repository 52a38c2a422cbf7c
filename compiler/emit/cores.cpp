// SPDX-License-Identifier: Apache-2.0
// The table of cores: instruction set and compiler flags of each.
#include "corten/cores.h"

#include <algorithm>

namespace corten {
namespace {

constexpr std::string_view m55_flags = "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard -mfpu=auto";

// GCC 12 knows neither cortex-m52 nor cortex-m85; both run everything a cortex-m55 runs.
constexpr Core all_cores[] = {
    {"cortex-m0", Isa::Portable, "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft"},
    {"cortex-m0plus", Isa::Portable, "-mcpu=cortex-m0plus -mthumb -mfloat-abi=soft"},
    {"cortex-m3", Isa::Portable, "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft"},
    {"cortex-m4", Isa::Dsp, "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"},
    {"cortex-m7", Isa::Dsp, "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"},
    {"cortex-m23", Isa::Portable, "-mcpu=cortex-m23 -mthumb -mfloat-abi=soft"},
    {"cortex-m33", Isa::Dsp, "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"},
    {"cortex-m35p", Isa::Dsp, "-mcpu=cortex-m35p -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"},
    {"cortex-m52", Isa::Mve, m55_flags},
    {"cortex-m55", Isa::Mve, m55_flags},
    {"cortex-m85", Isa::Mve, m55_flags},
    {"host", Isa::Portable, ""},
};

}  // namespace

std::span<const Core> cores() { return all_cores; }

const Core* find_core(std::string_view name) {
  const auto* found = std::ranges::find(all_cores, name, &Core::name);
  return found == std::end(all_cores) ? nullptr : found;
}

}  // namespace corten
