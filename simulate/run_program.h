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

/// Outputs of a run as tensors: [inference][output]. Of the graph, only its outputs' types matter.
std::vector<std::vector<Tensor>> output_tensors(const Graph& graph, const Run& run);

/// A value of inference `inference` from a dumped arena. Precondition: the program kept its intermediates.
Tensor value_in_arena(const Program& program, const Run& run, ValueId id, std::size_t inference = 0);

/// A program that `corten compile` has written, without its model.
struct CompiledProgram {
  SimulatedProgram program;
  const Core* core;
  Graph ends;          // inputs and outputs with their types and layouts, no nodes
  std::string report;  // the JSON beside it
};
/// Errors: no report in the folder, or one that isn't ours.
Result<CompiledProgram> read_compiled(const std::filesystem::path& folder);

/// Builds and runs a compiled program.
Result<Run> run_compiled(const CompiledProgram& compiled, const std::vector<Sample>& samples, const BuildOptions& build_options = {}, const SimulateOptions& options = {});

/// Emits, builds and runs `program` in a folder of its own that is removed afterwards.
Result<Run> run_program(const Program& program, const std::vector<Sample>& samples, const BuildOptions& build_options = {}, const SimulateOptions& options = {});

/// The same on this machine, whatever core the program is for; kernels with DSP instructions are emulated. Fails for a core
/// with MVE.
Result<Run> run_on_host(const Program& program, const std::vector<Sample>& samples, BuildOptions build_options = {}, const SimulateOptions& options = {});

}  // namespace corten
