// SPDX-License-Identifier: Apache-2.0
// Which QEMU board runs which core, with its memory map.
#include "simulate/board.h"

#include <algorithm>
#include <utility>

namespace corten {
namespace {

constexpr std::uint32_t kib = 1024;
constexpr std::uint32_t mib = 1024 * kib;

// A real microbit has 16 KB of RAM; the core is what matters here, so its memories are enlarged.
constexpr Board microbit = {"microbit", "-global nrf51-soc.flash-size=16777216 -global nrf51-soc.sram-size=16777216",
                            {0x00000000, 16 * mib}, {0x20000000, 16 * mib}, {0, 0}};
constexpr Board an385 = {"mps2-an385", "", {0x00000000, 4 * mib}, {0x20000000, 4 * mib}, {0x21000000, 16 * mib}};
constexpr Board an386 = {"mps2-an386", "", {0x00000000, 4 * mib}, {0x20000000, 4 * mib}, {0x21000000, 16 * mib}};
constexpr Board an500 = {"mps2-an500", "", {0x00000000, 4 * mib}, {0x20000000, 4 * mib}, {0x60000000, 16 * mib}};
constexpr Board an505 = {"mps2-an505", "", {0x10000000, 4 * mib}, {0x38000000, 2 * mib}, {0x80000000, 16 * mib}};
constexpr Board an547 = {"mps3-an547", "", {0x00000000, 512 * kib}, {0x20000000, 512 * kib}, {0x60000000, 64 * mib}};

constexpr std::pair<std::string_view, const Board*> boards[] = {
    {"cortex-m0", &microbit}, {"cortex-m0plus", &microbit}, {"cortex-m3", &an385},   {"cortex-m4", &an386},
    {"cortex-m7", &an500},    {"cortex-m23", &an505},       {"cortex-m33", &an505},  {"cortex-m35p", &an505},
    {"cortex-m52", &an547},   {"cortex-m55", &an547},       {"cortex-m85", &an547},
};

}  // namespace

const Board* find_board(const Core& core) {
  const auto* found = std::ranges::find(boards, core.name, &std::pair<std::string_view, const Board*>::first);
  return found == std::end(boards) ? nullptr : found->second;
}

bool is_host(const Core& core) { return core.name == "host"; }

std::vector<const Core*> simulated_cores() {
  std::vector<const Core*> found;
  for (const char* name : {"cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55"})
    found.push_back(find_core(name));
  return found;
}

}  // namespace corten
