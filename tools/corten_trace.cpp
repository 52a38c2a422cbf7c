// SPDX-License-Identifier: Apache-2.0
// corten trace: one parameter at every stage it passes.
#include <fmt/format.h>

#include "compiler/ir/text.h"
#include "compiler/ops/operator.h"
#include "tools/corten_arguments.h"

namespace corten::cli {
namespace {

/// "conv1.weight" names a constant whose origin is that, or one whose name is that as an identifier.
bool names(const Value& value, const std::string& parameter) {
  if (value.name == identifier(parameter)) return true;
  for (const auto& origin : value.origins)
    if (origin.node == parameter) return true;
  return false;
}

/// The parameter without a trailing ".scale", which asks for the scale of the parameter's codes.
std::string without_scale(const std::string& parameter) {
  return parameter.ends_with(".scale") ? parameter.substr(0, parameter.size() - 6) : parameter;
}

std::string shortened(std::string text) {
  constexpr std::size_t longest = 160;
  return text.size() <= longest ? text : text.substr(0, longest) + "…";
}

std::string preview(const Tensor& tensor) {
  Graph graph;
  graph.values.push_back({"x", {tensor.element, tensor.shape}, std::make_shared<const Tensor>(tensor)});
  const auto text = print(graph, static_cast<std::size_t>(-1)).text;
  const auto data = text.find(" = ");
  return shortened(text.substr(data + 3, text.find('\n', data) - data - 3));
}

/// Readers of a value, through operators that only change how it is written.
std::vector<const Node*> readers(const Graph& graph, ValueId id) {
  std::vector<const Node*> result;
  for (const auto& node : graph.nodes)
    for (auto input : node.inputs)
      if (input == id) result.push_back(&node);
  return result;
}

std::vector<std::string> show(const Graph& graph, const std::string& parameter) {
  std::vector<std::string> layers;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const auto& value = graph.values[v];
    if (!value.constant || !names(value, parameter)) continue;
    fmt::print("  constant %{}: {}\n    = {}\n", value.name, shortened(print_type(value.type)), preview(*value.constant));
    for (const auto* node : readers(graph, static_cast<ValueId>(v))) {
      fmt::print("    read by {} ({})\n", node->name, node->op->name());
      layers.push_back(node->name);
    }
  }
  return layers;
}

void show_multipliers(const Graph& graph, const std::string& layer) {
  for (const auto& node : graph.nodes) {
    if (node.name != layer) continue;
    for (auto id : node.inputs)
      if (id != no_value && graph.value(id).constant && graph.type(id).element == Element::I32)
        fmt::print("  constant %{} = {}\n", graph.value(id).name, preview(*graph.value(id).constant));
    fmt::print("  {} {{{}}}\n", node.op->name(), node.parameters->print());
  }
}

}  // namespace

int trace_command(const Arguments& arguments) {
  CORTEN_OR_FAIL(const auto options, arguments, compile_options(arguments));
  CORTEN_OR_FAIL(auto graph, arguments, load_model(arguments.model, options));
  const auto parameter = without_scale(arguments.parameter);
  std::vector<std::string> layers;
  bool found = false;
  for (const auto stage : {Stage::Imported, Stage::Annotated, Stage::Folded, Stage::Integer}) {
    CORTEN_OR_FAIL(graph, arguments, bring_to_stage(std::move(graph), stage, options));
    fmt::print("{}\n", to_string(graph.stage));
    layers = show(graph, parameter);
    found = found || !layers.empty();
  }
  if (!found) return fail({error(fmt::format("no parameter is called {}", parameter), {}, "name it as the model does: features.4.conv.weight")}, arguments);
  for (const auto& layer : layers) show_multipliers(graph, layer);
  CORTEN_OR_FAIL(const auto program, arguments, make_program(graph, *find_core(arguments.core), options.plan));
  fmt::print("emitted\n");
  for (std::size_t n = 0; n < program.graph.nodes.size(); ++n)
    for (const auto& layer : layers)
      if (program.graph.nodes[n].name == layer)
        for (const auto& array : program.layers[n].arrays)
          fmt::print("  constants::{}: {}[{}] in {}_weights.cpp\n", array_name(program.graph.nodes[n], array), c_type(array.tensor.element), array.tensor.elements(), program.graph.name);
  return 0;
}

}  // namespace corten::cli
