// SPDX-License-Identifier: Apache-2.0
// Turns every quantized operator into cortex_m operators with integer multipliers, shifts, zero points and clamps.
//   %y: i8[1, 2] quantized(scale 0.5, …) = linear(%x, %w, %b)
//   →
//   %y: i8[1, 2] quantized(scale 0.5, …) = cortex_m.quantized_linear(%x, %y_weights, %y_bias) {multiplier …, shift …}
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {

Status lower(Graph& graph) {
  Patch patch(graph, "lower");
  Diagnostics diagnostics;
  const auto nodes = graph.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& node = nodes[n];
    if (node.op->integer() && !Match::is(node, "quantize") && !Match::is(node, "dequantize")) continue;
    const bool quantized = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return id != no_value && graph.type(id).quantization; });
    if (!quantized && !Match::is(node, "quantize")) continue;  // left in float by name
    patch.at(static_cast<int>(n));
    if (auto status = node.op->lower(Call(graph, node), patch); !status)
      diagnostics.insert(diagnostics.end(), status.diagnostics().begin(), status.diagnostics().end());
  }
  if (diagnostics.size() > max_diagnostics) diagnostics.resize(max_diagnostics);
  if (!diagnostics.empty()) return diagnostics;
  patch.apply();
  graph.stage = Stage::Integer;
  return {};
}

}  // namespace corten
