// SPDX-License-Identifier: Apache-2.0
// Generates programs.cpp: per program its files, ends and entry function.
#include "simulate/harness_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace corten {
namespace {

Status check_program(const SimulatedProgram& program, std::set<std::string>& names) {
  if (!names.insert(program.name).second) return error(fmt::format("two programs are named {}", program.name));
  for (const auto* ends : {&program.inputs, &program.outputs})
    for (const End& end : *ends)
      if (end.bytes == 0) return error(fmt::format("{} of {} has no bytes", end.accessor, program.name));
  return {};
}

std::string ends_table(const SimulatedProgram& program, const std::vector<End>& ends, std::string_view direction) {
  std::string text = fmt::format("constexpr End {}_{}[] = {{\n", program.name, direction);
  for (const End& end : ends)
    text += fmt::format("    {{[](void* arena) -> const void* {{ return ::{}::{}(arena); }}, {}}},\n", program.name,
                        end.accessor, end.bytes);
  if (ends.empty()) text += "    {nullptr, 0},\n";
  return text + "};\n";
}

std::string row(const SimulatedProgram& program) {
  return fmt::format(
      "    {{\"{0}.in\", \"{0}.out\", \"{0}.arena\", {1}, {0}_inputs, {2}, {0}_outputs, {3},\n"
      "     static_cast<void (*)(void*)>(&::{0}::run)}},\n",
      program.name, program.arena_bytes, program.inputs.size(), program.outputs.size());
}

}  // namespace

Result<std::string> harness_table(std::span<const SimulatedProgram> programs) {
  std::set<std::string> names;
  std::size_t largest_arena = 0;
  std::string includes, ends, checks, rows;
  for (const SimulatedProgram& program : programs) {
    CORTEN_CHECK(check_program(program, names));
    largest_arena = std::max(largest_arena, program.arena_bytes);
    includes += fmt::format("#include \"{}.h\"\n", program.name);
    ends += ends_table(program, program.inputs, "inputs") + ends_table(program, program.outputs, "outputs");
    checks += fmt::format("static_assert(::{}::arena_bytes == {});\n", program.name, program.arena_bytes);
    rows += row(program);
  }
  return fmt::format(
      "// Generated: the programs under test.\n#include \"harness.h\"\n{}\nnamespace harness {{\nnamespace {{\n\n{}{}\n"
      "}}  // namespace\n\nconst Program programs[] = {{\n{}}};\nconst std::uint32_t program_count = {};\n"
      "alignas(16) __attribute__((section(\".bss.harness_arena\"))) std::uint8_t memory[{} + 2 * guard_bytes];\n\n"
      "}}  // namespace harness\n",
      includes, ends, checks, rows, programs.size(), largest_arena);
}

}  // namespace corten
