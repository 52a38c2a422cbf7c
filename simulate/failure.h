// SPDX-License-Identifier: Apache-2.0
// Puts into words why a simulation did not finish.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corten/result.h"
#include "simulate/elf_file.h"
#include "simulate/process.h"
#include "simulate/simulate.h"

namespace corten {

/// A line "@key value..." that the device harness told.
struct Told {
  std::string key;
  std::vector<std::uint32_t> values;
};

std::vector<Told> told_lines(std::string_view output);

/// How a simulation ended, for `failure_of`.
struct Ended {
  const Elf& elf;
  const ElfContent& content;
  const Outcome& outcome;
  std::span<const Told> told;
  std::string layer;        // the layer it was in; empty: none
  double timeout_seconds;
};

/// Success when the simulation ran to its end, otherwise what stopped it.
Status failure_of(const Ended& ended);

/// What build() says about a program that is too large for the memories of the board; `linker` in the linker's words.
Diagnostic does_not_fit_diagnostic(const Core& core, const std::string& linker);

}  // namespace corten
