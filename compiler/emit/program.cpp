// SPDX-License-Identifier: Apache-2.0
// Collects what the emitter needs to know: kernel calls, places, names of ends.
#include <set>

#include "compiler/emit/emit.h"
#include "compiler/emit/names.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

std::vector<ProgramEnd> name_ends(const Graph& graph, const std::vector<ValueId>& values, const std::string& type, const std::string& accessor, std::set<std::string>& taken) {
  std::vector<ProgramEnd> ends;
  for (auto id : values) {
    const auto name = safe_name(graph.value(id).name, taken);
    const bool only = values.size() == 1;
    ends.push_back({name, only ? accessor : accessor + "_" + name, only ? type : type + "_" + name, id});
  }
  return ends;
}

/// Names of the program and its layers as C++ takes them.
void make_names_safe(Graph& graph) {
  std::set<std::string> programs, layers;
  graph.name = safe_name(graph.name, programs);
  for (auto& node : graph.nodes) node.name = safe_name(node.name, layers);
}

/// Activations that are known at compile time become arrays of the layer that reads them.
void add_constant_inputs(const Call& call, Layer& layer) {
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    const auto name = "input" + std::to_string(i);
    if (!call.constant(i)) continue;
    for (const auto& kernel : layer.calls)
      if (std::find(kernel.arguments.begin(), kernel.arguments.end(), name) != kernel.arguments.end()) {
        layer.arrays.push_back({name, *call.constant(i)});
        break;
      }
  }
}

}  // namespace

Result<Program> make_program(Graph graph, const Core& core, const PlanOptions& options) {
  Program program;
  Diagnostics diagnostics;
  make_names_safe(graph);
  for (const auto& node : graph.nodes) {
    const Call call(graph, node);
    auto layer = node.op->alias() ? Result<Layer>(Layer{}) : node.op->emit(call, core.isa);
    if (!layer) {
      diagnostics.insert(diagnostics.end(), layer.diagnostics().begin(), layer.diagnostics().end());
      continue;
    }
    add_constant_inputs(call, *layer);
    program.macs += layer->macs;
    program.layers.push_back(std::move(*layer));
  }
  for (auto id : graph.outputs)
    if (graph.value(id).constant) diagnostics.push_back(error("output " + graph.value(id).name + " does not depend on the inputs", {graph.name, "", "", "", ""}, "remove it from the model's outputs"));
  if (!diagnostics.empty()) return diagnostics;
  program.plan = plan(graph, program.layers, options);
  std::set<std::string> taken = {"arena", "input", "output"};  // parameters of run()
  program.inputs = name_ends(graph, graph.inputs, "Input", "input", taken);
  program.outputs = name_ends(graph, graph.outputs, "Output", "output", taken);
  program.graph = std::move(graph);
  program.core = &core;
  return program;
}

std::string array_name(const Node& node, const LayerArray& array) { return node.name + "_" + array.name; }

std::string c_type(Element element) {
  switch (element) {
    case Element::F32: return "float";
    case Element::I8: return "std::int8_t";
    case Element::U8: return "std::uint8_t";
    case Element::I16: return "std::int16_t";
    case Element::I32: return "std::int32_t";
    case Element::I64: return "std::int64_t";
    case Element::Bool: return "bool";
  }
  return {};
}

std::string value_expression(const Program& program, ValueId id) {
  const auto place = "arena + " + std::to_string(program.plan.offset(id));
  const auto element = program.graph.type(id).element;
  return element == Element::I8 ? place : "reinterpret_cast<" + c_type(element) + "*>(" + place + ")";
}

std::int64_t constant_bytes(const Program& program) {
  std::int64_t bytes = 0;
  for (const auto& layer : program.layers)
    for (const auto& array : layer.arrays) bytes += static_cast<std::int64_t>(array.tensor.bytes.size());
  return bytes;
}

}  // namespace corten
