// SPDX-License-Identifier: Apache-2.0
// A linear layer that reads a flattened NHWC image takes its weights in that order, so that no transpose is left to do.
//   %t = transpose(%x) {permutation [0, 3, 1, 2]}; %f: f32[1, 8] = reshape(%t); %y = linear(%f, %w, %b)
//   →
//   %f: f32[1, 8] = reshape(%x); constant %w (columns reordered); %y = linear(%f, %w, %b)
#include "compiler/ops/reshape.h"
#include "compiler/ops/transpose.h"
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {
namespace {

/// The reshape must keep the first axis and flatten everything else, and the transpose must leave the first axis alone.
bool flattens_samples(const Graph& graph, const Node& transpose, const Node& reshape) {
  const auto& permutation = Call(graph, transpose).parameters<TransposeParameters>().permutation;
  const auto &from = graph.type(reshape.inputs[0]).shape, &to = graph.type(reshape.outputs[0]).shape;
  return to.size() == 2 && !permutation.empty() && permutation[0] == 0 && to[0] == from[0];
}

/// Weights [out][columns in transposed order] as [out][columns in the order before the transpose].
Tensor reordered(const Tensor& weights, const Shape& after, const std::vector<std::int64_t>& permutation) {
  Tensor split = weights;
  split.shape = after;
  split.shape[0] = weights.shape[0];
  std::vector<std::int64_t> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  auto result = transpose(split, inverse);
  result.shape = weights.shape;
  return result;
}

}  // namespace

Status fold_transpose(Graph& graph) {
  const Match match(graph);
  Patch patch(graph, "fold_transpose");
  const auto nodes = graph.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& linear = nodes[n];
    const int flat = Match::is(linear, "linear") ? match.producer(linear, 0, "reshape") : -1;
    const int moved = flat < 0 ? -1 : match.producer(nodes[static_cast<std::size_t>(flat)], 0, "transpose");
    const auto* weights = Call(graph, linear).constant(1);
    if (moved < 0 || !weights) continue;
    const auto &reshape = nodes[static_cast<std::size_t>(flat)], &transposed = nodes[static_cast<std::size_t>(moved)];
    if (!flattens_samples(graph, transposed, reshape)) continue;
    const auto permutation = Call(graph, transposed).parameters<TransposeParameters>().permutation;
    patch.at(static_cast<int>(n));
    CORTEN_TRY(const auto x, patch.value(*reshape.op, reshape.parameters, {transposed.inputs[0]}, reshape.name, reshape.origins));
    const auto& value = graph.value(linear.inputs[1]);
    const auto w = patch.constant(value.name, reordered(*weights, graph.type(transposed.outputs[0]).shape, permutation), value.type.quantization, value.origins);
    patch.set_input(static_cast<int>(n), 0, x);
    patch.set_input(static_cast<int>(n), 1, w);
  }
  patch.apply();
  return {};
}

}  // namespace corten
