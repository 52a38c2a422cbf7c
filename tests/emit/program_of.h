// SPDX-License-Identifier: Apache-2.0
// Programs from graph text, and a host compiler to try them with.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "compiler/compile.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace corten::test {

/// The program of a graph at any stage from `folded` on.
inline Result<Program> program_of(std::string_view text, std::string_view core = "cortex-m4", const PlanOptions& options = {}) {
  CORTEN_TRY(auto graph, parse(text, {}, "test.cir"));
  CORTEN_CHECK(verify(graph));
  if (graph.stage == Stage::Folded) CORTEN_CHECK(run_passes(graph, "lower", "lower"));
  return make_program(std::move(graph), *find_core(core), options);
}

/// A folder that disappears with the object.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("corten_emit_" + std::to_string(::getpid()) + "_" + std::to_string(count_++))) { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

/// What the compiler says about `arguments`; empty when it is content.
inline std::string complaints(const std::string& command, const std::filesystem::path& folder) {
  std::string text;
  auto* pipe = ::popen(("cd '" + folder.string() + "' && LC_ALL=C " + command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  return status != 0 && text.empty() ? command + " failed" : text;
}

constexpr const char* cxx = "g++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror -I. ";

/// Complaints about both source files of a program.
inline std::string complaints(const Program& program) {
  Folder folder;
  if (const auto status = write_files(emit(program, true), folder.path().string()); !status) return status.diagnostics().front().message;
  return complaints(cxx + program.graph.name + ".cpp " + program.graph.name + "_weights.cpp", folder.path());
}

}  // namespace corten::test
