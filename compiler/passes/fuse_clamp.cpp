// SPDX-License-Identifier: Apache-2.0
// Lets the operator before a clamp (relu, relu6, hardtanh …) do the clamping.
//   %c = conv2d(%x, %w, %b); %y = clamp(%c) {low 0, high inf}
//   →
//   %y = conv2d(%x, %w, %b) {low 0, high inf}
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {

Status fuse_clamp(Graph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    const Match match(graph);
    Patch patch(graph, "fuse_clamp");
    for (std::size_t n = 0; n < graph.nodes.size() && !changed; ++n) {
      const auto clamp = graph.nodes[n];
      const int from = Match::is(clamp, "clamp") ? match.producer(clamp, 0) : -1;
      if (from < 0 || !match.single_use(clamp.inputs[0])) continue;
      const auto producer = match.at(from);
      auto parameters = producer.op->with_clamp(Call(graph, producer), Call(graph, clamp).parameters<ClampRange>());
      if (!parameters) continue;
      patch.at(static_cast<int>(n));
      CORTEN_TRY(const auto value, patch.value(*producer.op, std::move(parameters), producer.inputs, producer.name, joined(producer.origins, clamp.origins)));
      patch.replace(clamp.outputs[0], value);
      changed = true;
    }
    if (changed) patch.apply();
  }
  return {};
}

}  // namespace corten
