// SPDX-License-Identifier: Apache-2.0
// Computes at compile time what depends on constants alone.
//   constant %a: f32[2] = [1, 2]; %b: f32[2] = mul(%a, %a); %y = add(%x, %b)
//   →
//   constant %b: f32[2] = [1, 4]; %y = add(%x, %b)
#include "compiler/interpret/interpret.h"
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {

Status fold_constants(Graph& graph) {
  Patch patch(graph, "fold_constants");
  const auto nodes = graph.nodes;
  std::vector<std::shared_ptr<const Tensor>> known(graph.values.size());
  for (std::size_t v = 0; v < known.size(); ++v) known[v] = graph.values[v].constant;
  for (const auto& node : nodes) {
    if (Match::is(node, "quantize") || Match::is(node, "dequantize")) continue;
    std::vector<const Tensor*> inputs;
    bool constant = true;
    for (auto id : node.inputs) {
      inputs.push_back(id == no_value ? nullptr : known[static_cast<std::size_t>(id)].get());
      constant = constant && (id == no_value || inputs.back());
    }
    if (!constant) continue;
    const auto outputs = interpret_node(Call(graph, node), inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto id = node.outputs[i];
      known[static_cast<std::size_t>(id)] = std::make_shared<const Tensor>(outputs[i]);
      patch.replace(id, patch.constant(graph.value(id).name, outputs[i], graph.type(id).quantization, node.origins));
    }
  }
  patch.apply();
  return {};
}

}  // namespace corten
