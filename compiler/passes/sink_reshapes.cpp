// SPDX-License-Identifier: Apache-2.0
// Moves a reshape below the element-by-element operator that reads it, so that the operator meets the one it can fuse with.
//   %c: f32[1, 8, 1, 4] = conv2d(…); %r: f32[1, 8, 4] = reshape(%c); %y: f32[1, 8, 4] = clamp(%r)
//   →
//   %c: f32[1, 8, 1, 4] = conv2d(…); %y: f32[1, 8, 1, 4] = clamp(%c); %r: f32[1, 8, 4] = reshape(%y)
#include "compiler/ops/reshape.h"
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {
namespace {

/// Element by element; a batch norm also wants the channels to stay the last axis.
bool passes_reshape(const Graph& graph, const Node& node, const Node& reshape) {
  if (Match::is(node, "clamp")) return true;
  const auto &before = graph.type(reshape.inputs[0]).shape, &after = graph.type(reshape.outputs[0]).shape;
  return Match::is(node, "batch_norm") && !before.empty() && !after.empty() && before.back() == after.back();
}

}  // namespace

Status sink_reshapes(Graph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    const Match match(graph);
    for (std::size_t n = 0; n < graph.nodes.size() && !changed; ++n) {
      const auto node = graph.nodes[n];
      const int from = match.producer(node, 0, "reshape");
      if (from < 0 || !passes_reshape(graph, node, match.at(from)) || !match.single_use(node.inputs[0])) continue;
      const auto reshape = match.at(from);
      Patch patch(graph, "sink_reshapes");
      patch.at(static_cast<int>(n));
      auto inputs = node.inputs;
      inputs[0] = reshape.inputs[0];
      CORTEN_TRY(const auto value, patch.value(*node.op, node.parameters, inputs, node.name, node.origins));
      CORTEN_TRY(const auto moved, patch.value(*reshape.op, reshape.parameters, {value}, reshape.name, reshape.origins));
      patch.replace(node.outputs[0], moved);
      patch.apply();
      changed = true;
    }
  }
  return {};
}

}  // namespace corten
