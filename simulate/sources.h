// SPDX-License-Identifier: Apache-2.0
// Gathers the sources of programs and harness, and compiles them.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corten/result.h"
#include "simulate/simulate.h"

namespace corten {

struct Source {
  std::filesystem::path path;
  std::filesystem::path object;
  std::vector<std::string> flags;
};

/// Name and content of files embedded in this library.
using EmbeddedFiles = std::span<const std::pair<std::string_view, std::string_view>>;

Status write_text(const std::filesystem::path& path, std::string_view text);
Status make_folder(const std::filesystem::path& folder);
std::string first_lines(const std::string& text, int count);

/// The program's own *.cpp, and *.S where `with_assembly`. Objects lie in `objects`/NAME, which is created.
Result<std::vector<Source>> program_sources(const SimulatedProgram& program, const std::filesystem::path& objects,
                                            const BuildOptions& options, bool with_assembly);

/// Writes `files` and the table of programs into the work folder.
Result<std::vector<Source>> harness_sources(std::span<const SimulatedProgram> programs, EmbeddedFiles files,
                                            const std::filesystem::path& work_folder, const std::string& optimization);

struct Compiler {
  std::string program;             // "arm-none-eabi-g++"
  std::vector<std::string> flags;  // before those of each source
  std::string_view core;           // for messages
};

/// Compiles each source to its object. Fails with what the compiler says.
Status compile(const Compiler& compiler, const std::vector<Source>& sources, const std::filesystem::path& work_folder);

}  // namespace corten
