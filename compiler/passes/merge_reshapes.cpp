// SPDX-License-Identifier: Apache-2.0
// One reshape instead of several in a row, none where the shape stays; the same for transposes.
//   %a = reshape(%x) {shape [4, 4]}; %b = reshape(%a) {shape [16]}
//   →
//   %b = reshape(%x) {shape [16]}
#include <numeric>

#include "compiler/ops/reshape.h"
#include "compiler/ops/transpose.h"
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {
namespace {

bool changes_nothing(const Graph& graph, const Node& node) {
  if (Match::is(node, "reshape")) return graph.type(node.inputs[0]).shape == graph.type(node.outputs[0]).shape;
  if (!Match::is(node, "transpose")) return false;
  const auto& permutation = Call(graph, node).parameters<TransposeParameters>().permutation;
  return std::is_sorted(permutation.begin(), permutation.end());
}

/// Parameters of one node that does what `first` and then `second` do.
ParametersPtr merged(const Graph& graph, const Node& first, const Node& second) {
  if (Match::is(second, "reshape")) return second.parameters;
  auto p = Call(graph, second).parameters<TransposeParameters>();
  const auto& before = Call(graph, first).parameters<TransposeParameters>().permutation;
  for (auto& axis : p.permutation) axis = before[static_cast<std::size_t>(axis)];
  return parameters(p);
}

}  // namespace

Status merge_reshapes(Graph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    const Match match(graph);
    Patch patch(graph, "merge_reshapes");
    for (std::size_t n = 0; n < graph.nodes.size() && !changed; ++n) {
      const auto& node = graph.nodes[n];
      if (changes_nothing(graph, node)) {
        patch.replace(node.outputs[0], node.inputs[0]);
        changed = true;
        continue;
      }
      if (!Match::is(node, "reshape") && !Match::is(node, "transpose")) continue;
      const int from = match.producer(node, 0, node.op->name());
      if (from < 0) continue;
      patch.set_parameters(static_cast<int>(n), merged(graph, match.at(from), node));
      patch.set_input(static_cast<int>(n), 0, match.at(from).inputs[0]);
      changed = true;
    }
    if (changed) patch.apply();
  }
  return {};
}

}  // namespace corten
