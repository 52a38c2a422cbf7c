// SPDX-License-Identifier: Apache-2.0
// Builds emitted programs for a core, runs them in QEMU and counts what they execute; or runs them on this machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "corten/cores.h"
#include "corten/result.h"
#include "simulate/board.h"

namespace corten {

/// One input or output of a program.
struct End {
  std::string accessor;  // function of the program that returns its place in the arena: "input", "output_score"
  std::size_t bytes;
};

/// An emitted program as the harness needs to know it.
struct SimulatedProgram {
  std::string name;                   // C++ namespace and stem of the header
  std::filesystem::path folder;       // holds NAME.h and every *.cpp and *.S of the program
  std::vector<End> inputs, outputs;   // in the order their bytes are concatenated
  std::size_t arena_bytes;
  std::vector<std::string> layers;    // layer functions in order: "conv1" in namespace NAME, or a C symbol
};

struct BuildOptions {
  std::string optimization = "-O2";
  std::size_t stack_bytes = 32 * 1024;  // what a program may use; more is a fault (not on the host)
  bool sanitize = false;                // host only: with AddressSanitizer and UndefinedBehaviorSanitizer
  Isa host_kernels = Isa::Portable;     // host only: Dsp emulates the instructions of a program made for such a core
};

/// Bytes of the program's own object files that survived linking. Start-up, harness, libc and libgcc are not in it;
/// inline functions shared by several programs of one ELF count for the first of them.
struct ProgramBytes {
  std::size_t code_bytes = 0;
  std::size_t constant_bytes = 0;
};

struct Elf {
  std::filesystem::path path;
  const Core* core;
  std::vector<SimulatedProgram> programs;
  std::vector<ProgramBytes> sizes;  // one per program
};

/// Compiles and links `programs` with the harness into `work_folder`/programs.elf. Fails when a program does not
/// compile, does not fit the board, or lacks the function of a layer it names. Program names must differ.
/// For the core "host" it takes the *.cpp of the programs and this machine's compiler; sizes are not measured there.
Result<Elf> build(const Core& core, const std::vector<SimulatedProgram>& programs,
                  const std::filesystem::path& work_folder, const BuildOptions& options = {});

/// Whether build() failed only because the programs are too large for the memories of the board that stands in for
/// the core: a limit of the simulation, not of the program.
bool does_not_fit(const Diagnostics& diagnostics);

struct SimulateOptions {
  bool dump_arena = false;     // also return the whole arena as it is after each inference
  double timeout_seconds = 0;  // wall time of the whole simulation; 0: a generous limit by amount of work
  bool instruction_clock = false;  // timers of the board advance 1 ns per instruction instead of with wall time
};

struct LayerCount {
  std::string name;
  std::uint64_t instructions;     // in the first inference, from each entry of the layer to the next entry of any layer
  std::uint64_t cycles_modelled;  // of these
};

/// What one program did. Instructions are those of run(arena), from its first instruction to its return, counted
/// exactly. Those before the first layer is entered belong to no layer. Modelled cycles: docs/cycles.md. The host measures
/// neither instructions, cycles and layers (empty) nor stack and bytes (0).
struct Run {
  std::vector<std::byte> outputs = {};           // all outputs in order, inference after inference
  std::vector<std::byte> arena = {};             // only with dump_arena
  std::vector<std::uint64_t> instructions = {};     // per inference
  std::vector<std::uint64_t> cycles_modelled = {};  // per inference
  std::vector<LayerCount> layers = {};
  std::size_t stack_bytes = 0;                   // deepest in any inference
  std::size_t code_bytes = 0;
  std::size_t constant_bytes = 0;
};

/// Runs every program of `elf` on its inputs: `inputs[i]` holds one or more inferences of program i, concatenated.
/// Fails on a fault (naming function and layer), a time-out, a write outside the arena or a register not preserved.
/// On the host a fault is a signal or what the sanitizers report, and registers are not watched.
/// Uses the folder of the ELF for its files, so one ELF runs once at a time.
Result<std::vector<Run>> simulate(const Elf& elf, const std::vector<std::vector<std::byte>>& inputs,
                                  const SimulateOptions& options = {});

}  // namespace corten
