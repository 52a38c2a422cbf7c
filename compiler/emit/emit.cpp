// SPDX-License-Identifier: Apache-2.0
// Puts the files of a program together.
#include "compiler/emit/emit.h"

#include <deque>
#include <set>

#include "compiler/emit/runtime_headers.h"
#include "compiler/emit/writer.h"

namespace corten {
namespace {

std::string cmake_lists(const std::string& name) {
  Writer out;
  out.line("cmake_minimum_required(VERSION 3.16)");
  out.line("project({} CXX)", name);
  out.line("add_library({0} STATIC {0}.cpp {0}_weights.cpp)", name);
  out.line("target_compile_features({} PUBLIC cxx_std_17)", name);
  out.line("target_include_directories({} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})", name);
  return out.text();
}

/// Names in `#include "corten/rt/NAME"` lines.
std::vector<std::string> included(std::string_view text) {
  static constexpr std::string_view mark = "#include \"corten/rt/";
  std::vector<std::string> names;
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    names.emplace_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return names;
}

/// The runtime headers that `source` reads, directly or not.
void add_runtime(const std::string& source, Files& files) {
  std::set<std::string> known;
  std::deque<std::string> open;
  for (auto& name : included(source)) open.push_back(name);
  for (; !open.empty(); open.pop_front()) {
    if (!known.insert(open.front()).second) continue;
    for (const auto& [name, text] : runtime_headers())
      if (name == open.front()) {
        files["corten/rt/" + open.front()] = text;
        for (auto& other : included(text)) open.push_back(other);
      }
  }
}

}  // namespace

Files emit(const Program& program, bool with_runtime) {
  const auto& name = program.graph.name;
  Files files;
  files[name + ".h"] = emit_header(program);
  files[name + ".cpp"] = emit_source(program);
  files[name + "_weights.cpp"] = emit_weights(program);
  files[name + ".json"] = emit_report(program);
  files["CMakeLists.txt"] = cmake_lists(name);
  if (with_runtime) add_runtime(files[name + ".cpp"], files);
  return files;
}

}  // namespace corten
