// SPDX-License-Identifier: Apache-2.0
// NAME.cpp: one function per layer, called in order.
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/emit/emit.h"
#include "compiler/emit/names.h"
#include "compiler/emit/writer.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

class SourceWriter {
 public:
  explicit SourceWriter(const Program& program) : program_(program), graph_(program.graph) {}

  std::string write() {
    write_head();
    out_.line("namespace {} {{", graph_.name);
    write_declarations();
    out_.line("namespace layers {{");
    out_.line("using rt::Rounding;");
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) write_layer(n);
    out_.line("}}  // namespace layers");
    out_.line();
    write_accessors();
    write_run();
    out_.line("}}  // namespace {}", graph_.name);
    write_c_entry();
    return out_.text();
  }

 private:
  void write_head() {
    out_.line("// {} for {}: the program, one function per layer.", graph_.name, program_.core->name);
    out_.line("#include \"{}.h\"", graph_.name);
    out_.line();
    out_.line("#include <cstring>");
    out_.line();
    std::set<std::string> headers = {"requantize.h"};
    for (const auto& layer : program_.layers)
      if (!layer.header.empty()) headers.insert(layer.header);
    for (const auto& header : headers) out_.line("#include \"corten/rt/{}\"", header);
    out_.line();
    out_.line("#if defined(__clang__)");
    out_.line("#define CORTEN_LAYER __attribute__((noinline))");
    out_.line("#else");
    out_.line("#define CORTEN_LAYER __attribute__((noipa))  // a symbol of its own for debuggers and counters");
    out_.line("#endif");
    out_.line();
    out_.line("namespace rt = corten::rt;");
    out_.line();
  }

  void write_declarations() {
    out_.line("namespace constants {{");
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      for (const auto& array : program_.layers[n].arrays)
        out_.line("extern const {} {}[{}];", c_type(array.tensor.element), array_name(graph_.nodes[n], array), std::max<std::int64_t>(array.tensor.elements(), 1));
    out_.line("}}  // namespace constants");
    out_.line();
  }

  std::string shapes(const Node& node) const {
    std::vector<std::string> inputs;
    for (auto id : node.inputs)
      if (id != no_value && !graph_.value(id).constant) inputs.push_back(to_string(graph_.type(id).shape));
    return fmt::format("{} → {}", fmt::join(inputs, ", "), to_string(graph_.type(node.outputs[0]).shape));
  }

  void write_layer(std::size_t n) {
    const auto& node = graph_.nodes[n];
    const auto& layer = program_.layers[n];
    if (node.op->alias()) return;
    out_.line();
    out_.line("// {} {}{}", node.op->name(), shapes(node), layer.macs ? fmt::format(", {} MACs", layer.macs) : "");
    std::set<std::string> sources;
    for (const auto& origin : node.origins)
      if (!origin.source.empty() && sources.insert(origin.source).second) out_.line("// from {}", comment_text(origin.source));
    out_.open("CORTEN_LAYER void {}(std::int8_t* arena) noexcept {{", node.name);
    for (const auto& literal : layer.structs) write_struct(node, literal);
    for (const auto& call : layer.calls) write_call(n, call);
    out_.close();
  }

  void write_struct(const Node& node, const StructLiteral& literal) {
    constexpr std::size_t columns = 110;
    out_.open("static constexpr rt::{} {} = {{", literal.type, literal.name);
    std::string text;
    for (const auto& [name, value] : literal.fields) {
      const auto field = fmt::format("/*{}*/ {},", name, field_text(node, value));
      if (!text.empty() && text.size() + field.size() > columns) {
        out_.line("{}", text);
        text.clear();
      }
      text += (text.empty() ? "" : " ") + field;
    }
    out_.line("{}", text);
    out_.close("};");
  }

  /// "{weights}" names an array of the layer; "{1, 2}" is an initializer.
  static std::string field_text(const Node& node, const std::string& value) {
    const bool named = value.size() > 2 && value.front() == '{' && (std::isalpha(static_cast<unsigned char>(value[1])) != 0);
    return named ? fmt::format("constants::{}_{}", node.name, value.substr(1, value.size() - 2)) : value;
  }

  void write_call(std::size_t n, const KernelCall& call) {
    std::vector<std::string> arguments;
    for (const auto& argument : call.arguments) arguments.push_back(expression(n, argument));
    out_.line("rt::{}({});", call.kernel, fmt::join(arguments, ", "));
  }

  std::string expression(std::size_t n, const std::string& argument) const {
    const auto& node = graph_.nodes[n];
    for (const auto& array : program_.layers[n].arrays)
      if (array.name == argument) return "constants::" + array_name(node, array);
    if (argument == "scratch") {
      const int buffer = program_.plan.scratch_of_node[n];
      return buffer < 0 ? "nullptr" : fmt::format("arena + {}", program_.plan.buffers[static_cast<std::size_t>(buffer)].offset_bytes);
    }
    return end_expression(node, argument);
  }

  /// "input0", or "output0 + 16".
  std::string end_expression(const Node& node, const std::string& argument) const {
    const auto resolve = [&](std::string_view word, const std::vector<ValueId>& values) -> std::string {
      if (!argument.starts_with(word) || argument.size() <= word.size() || !std::isdigit(static_cast<unsigned char>(argument[word.size()]))) return {};
      std::size_t length = 0;
      const auto index = std::stoul(argument.substr(word.size()), &length);
      return value_expression(program_, values[index]) + argument.substr(word.size() + length);
    };
    if (auto text = resolve("input", node.inputs); !text.empty()) return text;
    if (auto text = resolve("output", node.outputs); !text.empty()) return text;
    return argument;
  }

  void write_accessors() {
    const auto write = [&](const ProgramEnd& end, std::string_view prefix) {
      const auto element = end.type + "::Element";
      out_.open("{}{}* {}({}void* arena) noexcept {{", prefix, element, end.accessor, prefix);
      out_.line("return reinterpret_cast<{}{}*>(static_cast<{}std::int8_t*>(arena) + {});", prefix, element, prefix, program_.plan.offset(end.value));
      out_.close();
      out_.line();
    };
    for (const auto& end : program_.inputs) write(end, "");
    for (const auto& end : program_.outputs) write(end, "const ");
  }

  void write_run() {
    out_.open("void run(void* arena_start) noexcept {{");
    out_.line("auto* arena = static_cast<std::int8_t*>(arena_start);");
    for (const auto& node : graph_.nodes)
      if (!node.op->alias()) out_.line("layers::{}(arena);", node.name);
    if (std::ranges::all_of(graph_.nodes, [](const Node& node) { return node.op->alias(); })) out_.line("static_cast<void>(arena);");
    out_.close();
    out_.line();
    out_.open("void run({}) noexcept {{", parameters(false));
    for (const auto& end : program_.inputs) out_.line("std::memcpy({}(arena), {}, {});", end.accessor, local(end, program_.inputs, "input_data"), bytes(end));
    out_.line("run(arena);");
    for (const auto& end : program_.outputs) out_.line("std::memcpy({}, {}(arena), {});", local(end, program_.outputs, "output_data"), end.accessor, bytes(end));
    out_.close();
  }

  std::size_t bytes(const ProgramEnd& end) const { return byte_size(graph_.type(end.value)); }

  static std::string local(const ProgramEnd& end, const std::vector<ProgramEnd>& ends, const std::string& only) {
    return ends.size() == 1 ? only : end.name + "_data";
  }

  std::string parameters(bool c) const {
    std::vector<std::string> list;
    const auto element = [&](const ProgramEnd& end) { return c ? c_type(graph_.type(end.value).element) : end.type + "::Element"; };
    for (const auto& end : program_.inputs) list.push_back(fmt::format("const {}* {}", element(end), local(end, program_.inputs, "input_data")));
    for (const auto& end : program_.outputs) list.push_back(fmt::format("{}* {}", element(end), local(end, program_.outputs, "output_data")));
    list.push_back("void* arena");
    return fmt::format("{}", fmt::join(list, ", "));
  }

  void write_c_entry() {
    std::vector<std::string> arguments;
    for (const auto& end : program_.inputs) arguments.push_back(local(end, program_.inputs, "input_data"));
    for (const auto& end : program_.outputs) arguments.push_back(local(end, program_.outputs, "output_data"));
    out_.line();
    out_.line("extern \"C\" void {}_run({}) {{ {}::run({}, arena); }}", graph_.name, parameters(true), graph_.name, fmt::join(arguments, ", "));
  }

  const Program& program_;
  const Graph& graph_;
  Writer out_;
};

}  // namespace

std::string emit_source(const Program& program) { return SourceWriter(program).write(); }

}  // namespace corten
