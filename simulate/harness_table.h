// SPDX-License-Identifier: Apache-2.0
// Writes the C++ table through which the device harness reaches emitted programs.
#pragma once
#include <span>
#include <string>

#include "corten/result.h"
#include "simulate/simulate.h"

namespace corten {

/// Source of programs.cpp. Fails when two programs have one name, or one has no bytes at an end.
Result<std::string> harness_table(std::span<const SimulatedProgram> programs);

}  // namespace corten
