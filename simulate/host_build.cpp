// SPDX-License-Identifier: Apache-2.0
// Compiles and links emitted programs with this machine's compiler and the host harness.
#include "simulate/host_build.h"

#include <fmt/format.h>

#include "simulate/sources.h"

namespace corten {

/// Sources of simulate/host, embedded by the build.
EmbeddedFiles host_files();
EmbeddedFiles device_files();

namespace {

namespace fs = std::filesystem;

constexpr const char* host_compiler = "g++";
constexpr const char* sanitizer_flags = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer";

/// Contracting a product and a sum into one operation would round differently from machine to machine.
std::vector<std::string> flags_for(const BuildOptions& options) {
  std::vector<std::string> flags = words("-std=c++17 -fno-exceptions -fno-rtti -ffp-contract=off -g1");
  if (options.host_kernels == Isa::Dsp) flags.push_back("-DCORTEN_HOST_DSP");
  if (options.sanitize)
    for (const std::string& flag : words(sanitizer_flags)) flags.push_back(flag);
  return flags;
}

/// The table of programs speaks to the device harness and to this one in the same words.
Status write_shared_header(const fs::path& folder) {
  for (const auto& [name, content] : device_files())
    if (name == "harness.h") return write_text(folder / name, content);
  return error("the harness is not embedded");
}

Status link(const std::vector<Source>& sources, const std::vector<std::string>& flags, const fs::path& folder) {
  Command command{{host_compiler}, folder, folder / "link.log"};
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  for (const Source& source : sources) command.arguments.push_back(source.object.string());
  for (const char* argument : {"-o", "programs.elf"}) command.arguments.push_back(argument);
  CORTEN_TRY(const Outcome outcome, run_process(command));
  if (outcome.ending == Ending::Exited && outcome.status == 0) return {};
  return error(fmt::format("linking failed for host:\n{}", first_lines(outcome.output, 12)));
}

}  // namespace

Result<Elf> build_on_host(const Core& core, const std::vector<SimulatedProgram>& programs, const fs::path& work_folder,
                          const BuildOptions& options) {
  if (options.host_kernels == Isa::Mve)
    return error("the host emulates no MVE instructions", {}, "simulate a core that has them, or take the kernels of a core without");
  const fs::path folder = fs::absolute(work_folder);
  const std::vector<std::string> flags = flags_for(options);
  CORTEN_CHECK(make_folder(folder));
  CORTEN_CHECK(write_shared_header(folder));
  CORTEN_TRY(std::vector<Source> sources, harness_sources(programs, host_files(), folder, "-O1"));
  for (const SimulatedProgram& program : programs) {
    CORTEN_TRY(const std::vector<Source> own, program_sources(program, folder / "objects", options, false));
    sources.insert(sources.end(), own.begin(), own.end());
  }
  CORTEN_CHECK(compile({host_compiler, flags, core.name}, sources, folder));
  CORTEN_CHECK(link(sources, flags, folder));
  return Elf{folder / "programs.elf", &core, programs, std::vector<ProgramBytes>(programs.size())};
}

Command host_command(const Elf& elf, const SimulateOptions& options) {
  const fs::path folder = elf.path.parent_path();
  return {{elf.path.string()}, folder, folder / "host.log", options.timeout_seconds};
}

}  // namespace corten
