// SPDX-License-Identifier: Apache-2.0
// The QEMU boards that stand in for each core.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "corten/cores.h"

namespace corten {

struct Region {
  std::uint32_t origin;
  std::uint32_t bytes;  // 0: the board has no such memory
};

/// Memory as a program sees it. `code` is where the core boots; `big` takes what does not fit elsewhere.
struct Board {
  std::string_view machine;    // QEMU's name
  std::string_view arguments;  // further QEMU arguments, separated by spaces
  Region code;
  Region ram;
  Region big;
};

/// The board that runs programs compiled for `core`: its own core where QEMU has it, otherwise the nearest one
/// that executes the same instructions. Null for "host".
const Board* find_board(const Core& core);

/// Whether `core` is this machine.
bool is_host(const Core& core);

/// The cores QEMU itself models: what tests and `verify --core all` run on.
std::vector<const Core*> simulated_cores();

}  // namespace corten
