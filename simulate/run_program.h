// SPDX-License-Identifier: Apache-2.0
// From a program in memory to what it did on a core.
#pragma once
#include <filesystem>

#include "compiler/emit/emit.h"
#include "compiler/samples.h"
#include "simulate/simulate.h"

namespace corten {

/// The program as the harness sees it, once its files lie in `folder`.
SimulatedProgram describe(const Program& program, const std::filesystem::path& folder);

/// Inputs of all samples as the program takes them, inference after inference.
std::vector<std::byte> input_bytes(const std::vector<Sample>& samples);

/// Outputs of a run as tensors: [inference][output].
std::vector<std::vector<Tensor>> output_tensors(const Program& program, const Run& run);

/// A value of inference `inference` from a dumped arena. Precondition: the program kept its intermediates.
Tensor value_in_arena(const Program& program, const Run& run, ValueId id, std::size_t inference = 0);

/// Emits, builds and runs `program` in a folder of its own that is removed afterwards.
Result<Run> run_program(const Program& program, const std::vector<Sample>& samples, const BuildOptions& build_options = {}, const SimulateOptions& options = {});

}  // namespace corten
