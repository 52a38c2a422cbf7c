// SPDX-License-Identifier: Apache-2.0
// Compiles and links emitted programs with the device harness.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "simulate/elf_file.h"
#include "simulate/failure.h"
#include "simulate/host_build.h"
#include "simulate/layers.h"
#include "simulate/map_file.h"
#include "simulate/process.h"
#include "simulate/simulate.h"
#include "simulate/sources.h"

namespace corten {

/// Sources and linker script of simulate/device, embedded by the build.
EmbeddedFiles device_files();

namespace {

namespace fs = std::filesystem;

constexpr const char* cross_compiler = "arm-none-eabi-g++";
constexpr std::string_view language_flags =
    "-std=c++17 -fno-exceptions -fno-rtti -fno-unwind-tables -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections";

std::vector<std::string> flags_for(const Core& core) {
  std::vector<std::string> flags = words(core.compiler_flags);
  for (const std::string& flag : words(language_flags)) flags.push_back(flag);
  return flags;
}

/// Code and constants of all objects, before the linker drops what nothing uses.
Result<std::size_t> read_only_bytes(const std::vector<Source>& sources) {
  std::size_t bytes = 0;
  for (const Source& source : sources) {
    CORTEN_TRY(const ElfContent object, read_elf(source.object));
    for (const ElfSection& section : object.sections)
      if (section.loaded && !section.writable) bytes += section.bytes;
  }
  return bytes;
}

std::string region_text(std::string_view name, Region region) {
  if (region.bytes == 0) return {};
  return fmt::format("  {} (rwx) : ORIGIN = {:#x}, LENGTH = {:#x}\n", name, region.origin, region.bytes);
}

std::string region_symbols(std::string_view name, Region region) {
  return fmt::format("{0}_origin = {1:#x};\n{0}_length = {2:#x};\n", name, region.origin, region.bytes);
}

std::string memory_script(const Board& board, std::size_t read_only, std::size_t arena_bytes, std::size_t stack_bytes) {
  constexpr std::size_t margin = 16 * 1024;  // libc, the harness's own stack and data
  const bool has_big = board.big.bytes != 0;
  const bool constants_in_big = has_big && read_only + margin > board.code.bytes;
  const bool arena_in_big = has_big && arena_bytes + stack_bytes + margin > board.ram.bytes;
  return fmt::format(
      "MEMORY {{\n{}{}{}}}\nREGION_ALIAS(\"CONSTANTS\", {})\nREGION_ALIAS(\"ARENA\", {})\nPROGRAM_STACK_BYTES = {};\n{}{}{}",
      region_text("CODE", board.code), region_text("RAM", board.ram), region_text("BIG", board.big),
      constants_in_big ? "BIG" : "CODE", arena_in_big ? "BIG" : "RAM", stack_bytes,
      region_symbols("code", board.code), region_symbols("ram", board.ram), region_symbols("big", board.big));
}

Status link(const Core& core, const std::vector<Source>& sources, const fs::path& work_folder) {
  Command command{{cross_compiler}, work_folder, work_folder / "link.log"};
  for (const std::string& flag : words(core.compiler_flags)) command.arguments.push_back(flag);
  for (const Source& source : sources) command.arguments.push_back(source.object.string());
  for (const char* flag : {"-nostartfiles", "-Wl,--gc-sections", "-Wl,-Map=programs.map", "-L.", "-Tsections.ld",
                           "-Wl,--no-warn-rwx-segments", "-o", "programs.elf"})
    command.arguments.push_back(flag);
  CORTEN_TRY(const Outcome outcome, run_process(command));
  if (outcome.ending == Ending::Exited && outcome.status == 0) return {};
  if (outcome.output.find("overflowed by") != std::string::npos)
    return does_not_fit_diagnostic(core, first_lines(outcome.output, 12));
  return error(fmt::format("linking failed for {}:\n{}", core.name, first_lines(outcome.output, 12)));
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<ProgramBytes> program_bytes(std::span<const SimulatedProgram> programs, const fs::path& work_folder) {
  const auto by_object = object_bytes(content_of(work_folder / "programs.map"));
  std::vector<ProgramBytes> sizes;
  for (const SimulatedProgram& program : programs) {
    const std::string folder = (work_folder / "objects" / program.name / "").string();
    ProgramBytes size;
    for (const auto& [object, bytes] : by_object) {
      if (!object.starts_with(folder)) continue;
      size.code_bytes += bytes.code;
      size.constant_bytes += bytes.constants;
    }
    sizes.push_back(size);
  }
  return sizes;
}

std::size_t largest_arena(std::span<const SimulatedProgram> programs) {
  std::size_t largest = 0;
  for (const SimulatedProgram& program : programs) largest = std::max(largest, program.arena_bytes);
  return largest;
}

}  // namespace

Result<Elf> build(const Core& core, const std::vector<SimulatedProgram>& programs, const fs::path& work_folder,
                  const BuildOptions& options) {
  if (is_host(core)) return build_on_host(core, programs, work_folder, options);
  const Board* board = find_board(core);
  if (board == nullptr) return error(fmt::format("{} is not a simulated core", core.name));
  const fs::path folder = fs::absolute(work_folder);
  CORTEN_CHECK(make_folder(folder));
  CORTEN_TRY(std::vector<Source> sources, harness_sources(programs, device_files(), folder, "-Os"));
  for (const SimulatedProgram& program : programs) {
    CORTEN_TRY(const std::vector<Source> own, program_sources(program, folder / "objects", options, true));
    sources.insert(sources.end(), own.begin(), own.end());
  }
  CORTEN_CHECK(compile({cross_compiler, flags_for(core), core.name}, sources, folder));
  CORTEN_TRY(const std::size_t read_only, read_only_bytes(sources));
  CORTEN_CHECK(write_text(folder / "memory.ld",
                          memory_script(*board, read_only, largest_arena(programs), options.stack_bytes)));
  CORTEN_CHECK(link(core, sources, folder));
  CORTEN_TRY(const ElfContent content, read_elf(folder / "programs.elf"));
  CORTEN_TRY([[maybe_unused]] const auto layers, find_layers(content, programs));
  return Elf{folder / "programs.elf", &core, programs, program_bytes(programs, folder)};
}

}  // namespace corten
