// SPDX-License-Identifier: Apache-2.0
// Emitted cases: several to a program, several programs to an ELF, and what they computed.
#pragma once
#include <vector>

#include "compiler/emit/emit.h"
#include "simulate/run_program.h"
#include "tests/executors/bring.h"

namespace corten::test {

/// Cases of one program.
struct Bundle {
  std::span<const Lowered> cases;
  Program program;
};

/// All cases in programs of a few dozen each.
Result<std::vector<Bundle>> bundles(std::span<const Lowered> all, const Core& core, const PlanOptions& options);

/// What each program did on all of code_samples().
Result<std::vector<Run>> run(const std::vector<Bundle>& all, const Core& core, const BuildOptions& build_options = {}, const SimulateOptions& options = {});

/// Outputs against the integer interpreter, byte for byte; failures name the case.
void expect_exact(const Bundle& bundle, const Run& run);

/// Every value of the arena against the integer interpreter. Precondition: the program keeps intermediates, the run the arena.
void expect_exact_arena(const Bundle& bundle, const Run& run);

/// The inputs are in the arena as they were given. Precondition: the program keeps its input, the run the arena.
void expect_inputs_kept(const Bundle& bundle, const Run& run);

}  // namespace corten::test
