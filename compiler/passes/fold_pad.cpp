// SPDX-License-Identifier: Apache-2.0
// Lets a convolution do the zero padding in front of it.
//   %p = pad(%x) {before [0, 1, 1, 0], after [0, 1, 1, 0]}; %y = conv2d(%p, %w, %b)
//   →
//   %y = conv2d(%x, %w, %b) {padding [1, 1, 1, 1]}
#include "compiler/ops/conv2d.h"
#include "compiler/ops/pad.h"
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {
namespace {

/// Zeros around height and width only, none removed.
bool pads_image_with_zeros(const PadParameters& pad) {
  if (pad.value != 0 || pad.before.size() != 4) return false;
  if (pad.before[0] || pad.after[0] || pad.before[3] || pad.after[3]) return false;
  for (std::size_t axis : {1u, 2u})
    if (pad.before[axis] < 0 || pad.after[axis] < 0) return false;
  return true;
}

}  // namespace

Status fold_pad(Graph& graph) {
  const Match match(graph);
  Patch patch(graph, "fold_pad");
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto& node = graph.nodes[n];
    const int from = Match::is(node, "conv2d") ? match.producer(node, 0, "pad") : -1;
    if (from < 0) continue;
    const auto& pad = Call(graph, match.at(from)).parameters<PadParameters>();
    if (!pads_image_with_zeros(pad)) continue;
    auto p = Call(graph, node).parameters<Conv2dParameters>();
    p.padding[0] += pad.before[1];
    p.padding[1] += pad.before[2];
    p.padding[2] += pad.after[1];
    p.padding[3] += pad.after[2];
    patch.set_parameters(static_cast<int>(n), parameters(p));
    patch.set_input(static_cast<int>(n), 0, match.at(from).inputs[0]);
  }
  patch.apply();
  return {};
}

}  // namespace corten
