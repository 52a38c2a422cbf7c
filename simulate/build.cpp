// SPDX-License-Identifier: Apache-2.0
// Compiles and links emitted programs with the device harness.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "simulate/elf_file.h"
#include "simulate/harness_table.h"
#include "simulate/layers.h"
#include "simulate/map_file.h"
#include "simulate/process.h"
#include "simulate/simulate.h"

namespace corten {

/// Sources and linker script of simulate/device, embedded by the build.
std::span<const std::pair<std::string_view, std::string_view>> device_files();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view compiler = "arm-none-eabi-g++";
constexpr std::string_view language_flags =
    "-std=c++17 -fno-exceptions -fno-rtti -fno-unwind-tables -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections";

struct Source {
  fs::path path;
  fs::path object;
  std::vector<std::string> flags;
};

Status write_text(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) return error(fmt::format("cannot write {}", path.string()));
  return {};
}

Status make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return error(fmt::format("cannot make folder {}: {}", folder.string(), failure.message()));
  return {};
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  while (count-- > 0 && end < text.size()) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

bool is_source(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".S"; }

Result<std::vector<Source>> program_sources(const SimulatedProgram& program, const fs::path& objects,
                                            const BuildOptions& options) {
  std::error_code failure;
  const fs::path folder = fs::absolute(program.folder);
  std::vector<Source> sources;
  for (const auto& entry : fs::directory_iterator(folder, failure))
    if (is_source(entry.path()))
      sources.push_back({entry.path(), objects / program.name / entry.path().filename().concat(".o"),
                         {options.optimization, "-I" + folder.string()}});
  if (sources.empty()) return error(fmt::format("no source of {} in {}", program.name, folder.string()));
  std::ranges::sort(sources, {}, &Source::path);
  CORTEN_CHECK(make_folder(objects / program.name));
  return sources;
}

/// Writes the harness into the work folder.
Result<std::vector<Source>> harness_sources(std::span<const SimulatedProgram> programs, const fs::path& work_folder) {
  std::vector<std::string> flags = {"-Os"};
  for (const SimulatedProgram& program : programs) flags.push_back("-I" + fs::absolute(program.folder).string());
  CORTEN_TRY(const std::string table, harness_table(programs));
  CORTEN_CHECK(write_text(work_folder / "programs.cpp", table));
  std::vector<Source> sources = {{work_folder / "programs.cpp", work_folder / "programs.o", flags}};
  for (const auto& [name, content] : device_files()) {
    const fs::path path = work_folder / name;
    CORTEN_CHECK(write_text(path, content));
    if (is_source(path)) sources.push_back({path, fs::path(path).replace_extension(".o"), {"-Os"}});
  }
  return sources;
}

Status compile(const Core& core, const std::vector<Source>& sources, const fs::path& work_folder) {
  std::vector<Command> commands;
  for (const Source& source : sources) {
    Command command{{std::string(compiler)}, work_folder, fs::path(source.object).concat(".log")};
    for (const auto& part : {words(core.compiler_flags), words(language_flags), source.flags})
      command.arguments.insert(command.arguments.end(), part.begin(), part.end());
    for (const auto& argument : {std::string("-c"), source.path.string(), std::string("-o"), source.object.string()})
      command.arguments.push_back(argument);
    commands.push_back(std::move(command));
  }
  CORTEN_TRY(const std::vector<Outcome> outcomes, run_processes(commands));
  Diagnostics failures;
  for (std::size_t i = 0; i < outcomes.size() && failures.size() < max_diagnostics; i++)
    if (outcomes[i].ending != Ending::Exited || outcomes[i].status != 0)
      failures.push_back(error(fmt::format("{} does not compile for {}:\n{}", sources[i].path.filename().string(),
                                           core.name, first_lines(outcomes[i].output, 12))));
  return failures;
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
  Command command{{std::string(compiler)}, work_folder, work_folder / "link.log"};
  for (const std::string& flag : words(core.compiler_flags)) command.arguments.push_back(flag);
  for (const Source& source : sources) command.arguments.push_back(source.object.string());
  for (const char* flag : {"-nostartfiles", "-Wl,--gc-sections", "-Wl,-Map=programs.map", "-L.", "-Tsections.ld",
                           "-Wl,--no-warn-rwx-segments", "-o", "programs.elf"})
    command.arguments.push_back(flag);
  CORTEN_TRY(const Outcome outcome, run_process(command));
  if (outcome.ending == Ending::Exited && outcome.status == 0) return {};
  const bool overflow = outcome.output.find("overflowed by") != std::string::npos;
  return error(fmt::format("{} for {}:\n{}", overflow ? "the program does not fit the simulated board" : "linking failed",
                           core.name, first_lines(outcome.output, 12)));
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
  const Board* board = find_board(core);
  if (board == nullptr) return error(fmt::format("{} is not a simulated core", core.name));
  const fs::path folder = fs::absolute(work_folder);
  CORTEN_CHECK(make_folder(folder));
  CORTEN_TRY(std::vector<Source> sources, harness_sources(programs, folder));
  for (const SimulatedProgram& program : programs) {
    CORTEN_TRY(const std::vector<Source> own, program_sources(program, folder / "objects", options));
    sources.insert(sources.end(), own.begin(), own.end());
  }
  CORTEN_CHECK(compile(core, sources, folder));
  CORTEN_TRY(const std::size_t read_only, read_only_bytes(sources));
  CORTEN_CHECK(write_text(folder / "memory.ld",
                          memory_script(*board, read_only, largest_arena(programs), options.stack_bytes)));
  CORTEN_CHECK(link(core, sources, folder));
  CORTEN_TRY(const ElfContent content, read_elf(folder / "programs.elf"));
  CORTEN_TRY([[maybe_unused]] const auto layers, find_layers(content, programs));
  return Elf{folder / "programs.elf", &core, programs, program_bytes(programs, folder)};
}

}  // namespace corten
