// SPDX-License-Identifier: Apache-2.0
// NAME.h: the interface of an emitted program, for C and C++.
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/emit/emit.h"
#include "compiler/emit/writer.h"
#include "compiler/ir/number_text.h"

namespace corten {
namespace {

std::string c_name(Element element) {
  const auto name = c_type(element);
  return name.starts_with("std::") ? name.substr(5) : name;
}

std::string float_literal(float value) {
  auto text = number_text(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

/// Parameters of run(): the ends in the model's order.
std::string parameters(const Program& program, bool c) {
  std::vector<std::string> list;
  const bool one_input = program.inputs.size() == 1, one_output = program.outputs.size() == 1;
  const auto element = [&](const ProgramEnd& end) { return c ? c_name(program.graph.type(end.value).element) : end.type + "::Element"; };
  for (const auto& end : program.inputs) list.push_back(fmt::format("const {}* {}", element(end), one_input ? "input" : end.name));
  for (const auto& end : program.outputs) list.push_back(fmt::format("{}* {}", element(end), one_output ? "output" : end.name));
  list.push_back("void* arena");
  return fmt::format("{}", fmt::join(list, ", "));
}

void write_end(const Program& program, const ProgramEnd& end, Writer& out) {
  const auto& type = program.graph.type(end.value);
  out.open("struct {} {{  // {}", end.type, end.name);
  out.line("using Element = {};", c_type(type.element));
  out.line("static constexpr std::size_t elements = {};", element_count(type.shape));
  if (!type.shape.empty()) out.line("static constexpr int shape[] = {{{}}};", fmt::join(type.shape, ", "));
  if (type.quantization) {
    out.line("static constexpr float scale = {};", float_literal(type.quantization->scale()));
    out.line("static constexpr int zero_point = {};", type.quantization->zero_point());
  }
  out.close("};");
}

void write_cpp_interface(const Program& program, Writer& out) {
  out.line("namespace {} {{", program.graph.name);
  out.line("inline constexpr std::size_t arena_bytes = {};  // activations and scratch, ends included", program.plan.arena_bytes);
  out.line("inline constexpr std::size_t state_bytes = 0;");
  out.line();
  for (const auto& end : program.inputs) write_end(program, end, out);
  for (const auto& end : program.outputs) write_end(program, end, out);
  out.line();
  out.line("/// One inference. The arena is aligned to 16 bytes and holds arena_bytes; ends are copied in and out.");
  out.line("void run({}) noexcept;", parameters(program, false));
  out.line("/// The same without copies: write the inputs where the functions below say, then read the outputs.");
  out.line("void run(void* arena) noexcept;");
  for (const auto& end : program.inputs) out.line("{}::Element* {}(void* arena) noexcept;", end.type, end.accessor);
  for (const auto& end : program.outputs) out.line("const {}::Element* {}(const void* arena) noexcept;", end.type, end.accessor);
  out.line("}}  // namespace {}", program.graph.name);
}

}  // namespace

std::string emit_header(const Program& program) {
  Writer out;
  const auto& name = program.graph.name;
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  out.line("// {} for {}: the interface.", name, program.core->name);
  out.line("#pragma once");
  out.line();
  out.line("#define {}_ARENA_BYTES {}", upper, program.plan.arena_bytes);
  out.line();
  out.line("#ifdef __cplusplus");
  out.line("#include <cstddef>");
  out.line("#include <cstdint>");
  out.line();
  write_cpp_interface(program, out);
  out.line();
  out.line("extern \"C\" {{");
  out.line("#else");
  out.line("#include <stdint.h>");
  out.line("#endif");
  out.line("void {}_run({});", name, parameters(program, true));
  out.line("#ifdef __cplusplus");
  out.line("}}");
  out.line("#endif");
  return out.text();
}

}  // namespace corten
