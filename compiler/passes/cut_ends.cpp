// SPDX-License-Identifier: Apache-2.0
// Gives the graph's ends the integers that lie inside: a leading quantize and a trailing dequantize go (--io quantized).
//   input %x: f32[4]; %q: i8[4] quantized(…) = quantize(%x)
//   →
//   input %x: i8[4] quantized(…)
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {

Status cut_ends(Graph& graph) {
  const Match match(graph);
  Patch patch(graph, "cut_ends");
  for (auto input : graph.inputs) {
    const auto& readers = match.consumers(input);
    if (readers.empty() || graph.is_output(input)) continue;
    const auto type = graph.type(match.at(readers.front()).outputs[0]);
    const bool cut = std::all_of(readers.begin(), readers.end(), [&](int n) { return Match::is(match.at(n), "quantize") && graph.type(match.at(n).outputs[0]) == type; });
    if (!cut) continue;
    patch.set_type(input, type);
    for (int n : readers) patch.replace(match.at(n).outputs[0], input);
  }
  const auto producers = graph.producers();
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const int from = producers[static_cast<std::size_t>(graph.outputs[i])];
    if (from >= 0 && Match::is(match.at(from), "dequantize")) patch.set_graph_output(i, match.at(from).inputs[0]);
  }
  patch.apply();
  return {};
}

}  // namespace corten
