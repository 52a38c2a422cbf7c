// SPDX-License-Identifier: Apache-2.0
// From folders of emitted programs to object files.
#include "simulate/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "simulate/harness_table.h"
#include "simulate/process.h"

namespace corten {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& path, bool with_assembly) {
  return path.extension() == ".cpp" || (with_assembly && path.extension() == ".S");
}

Command compile_command(const Compiler& compiler, const Source& source, const fs::path& work_folder) {
  Command command{{compiler.program}, work_folder, fs::path(source.object).concat(".log")};
  for (const auto* part : {&compiler.flags, &source.flags})
    command.arguments.insert(command.arguments.end(), part->begin(), part->end());
  for (const auto& argument : {std::string("-c"), source.path.string(), std::string("-o"), source.object.string()})
    command.arguments.push_back(argument);
  return command;
}

}  // namespace

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

Result<std::vector<Source>> program_sources(const SimulatedProgram& program, const fs::path& objects,
                                            const BuildOptions& options, bool with_assembly) {
  std::error_code failure;
  const fs::path folder = fs::absolute(program.folder);
  std::vector<Source> sources;
  for (const auto& entry : fs::directory_iterator(folder, failure))
    if (is_source(entry.path(), with_assembly))
      sources.push_back({entry.path(), objects / program.name / entry.path().filename().concat(".o"),
                         {options.optimization, "-I" + folder.string()}});
  if (sources.empty()) return error(fmt::format("no source of {} in {}", program.name, folder.string()));
  std::ranges::sort(sources, {}, &Source::path);
  CORTEN_CHECK(make_folder(objects / program.name));
  return sources;
}

Result<std::vector<Source>> harness_sources(std::span<const SimulatedProgram> programs, EmbeddedFiles files,
                                            const fs::path& work_folder, const std::string& optimization) {
  std::vector<std::string> flags = {optimization};
  for (const SimulatedProgram& program : programs) flags.push_back("-I" + fs::absolute(program.folder).string());
  CORTEN_TRY(const std::string table, harness_table(programs));
  CORTEN_CHECK(write_text(work_folder / "programs.cpp", table));
  std::vector<Source> sources = {{work_folder / "programs.cpp", work_folder / "programs.o", flags}};
  for (const auto& [name, content] : files) {
    const fs::path path = work_folder / name;
    CORTEN_CHECK(write_text(path, content));
    if (is_source(path, true)) sources.push_back({path, fs::path(path).replace_extension(".o"), {optimization}});
  }
  return sources;
}

Status compile(const Compiler& compiler, const std::vector<Source>& sources, const fs::path& work_folder) {
  std::vector<Command> commands;
  for (const Source& source : sources) commands.push_back(compile_command(compiler, source, work_folder));
  CORTEN_TRY(const std::vector<Outcome> outcomes, run_processes(commands));
  Diagnostics failures;
  for (std::size_t i = 0; i < outcomes.size() && failures.size() < max_diagnostics; i++)
    if (outcomes[i].ending != Ending::Exited || outcomes[i].status != 0)
      failures.push_back(error(fmt::format("{} does not compile for {}:\n{}", sources[i].path.filename().string(),
                                           compiler.core, first_lines(outcomes[i].output, 12))));
  return failures;
}

}  // namespace corten
