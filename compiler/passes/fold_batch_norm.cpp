// SPDX-License-Identifier: Apache-2.0
// Folds a batch norm into the convolution or linear layer before it; one that stands alone becomes a depthwise convolution.
//   %c = conv2d(%x, %w, _); %y = batch_norm(%c, %gamma, %beta, %mean, %variance)
//   →
//   constant %w; constant %b; %y = conv2d(%x, %w, %b)
#include "compiler/ops/batch_norm.h"
#include "compiler/ops/conv2d.h"
#include "compiler/ops/linear.h"
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"
#include "compiler/quantize/batch_norm_folding.h"

namespace corten {
namespace {

bool has_constant_parameters(const Call& norm) {
  for (std::size_t i = 1; i < 5; ++i)
    if (norm.has_input(i) && !norm.constant(i)) return false;
  return norm.constant(3) && norm.constant(4);
}

const ClampRange& clamp_of(const Call& layer) {
  return Match::is(layer.node(), "linear") ? layer.parameters<LinearParameters>().clamp : layer.parameters<Conv2dParameters>().clamp;
}

/// The convolution or linear layer that batch norm `node` can be folded into, or −1.
int foldable_producer(const Graph& graph, const Match& match, const Node& node) {
  for (std::string_view op : {"conv2d", "linear"}) {
    const int from = match.producer(node, 0, op);
    if (from < 0 || !match.single_use(node.inputs[0])) continue;
    const Call call(graph, match.at(from));
    if (clamp_of(call).binds() || !has_constant_parameters(Call(graph, node))) continue;
    if (call.constant(1) && (!call.has_input(2) || call.constant(2))) return from;
  }
  return -1;
}

std::span<const float> floats(const Tensor* tensor) { return tensor ? tensor->as<float>() : std::span<const float>{}; }

Status fold(Graph& graph, const Node& norm, const Node& layer, Patch& patch) {
  const Call call(graph, layer), norm_call(graph, norm);
  const auto folded = fold_batch_norm_weights({.weights = floats(call.constant(1)),
                                         .bias = floats(call.constant(2)),
                                         .gamma = floats(norm_call.constant(1)),
                                         .beta = floats(norm_call.constant(2)),
                                         .mean = floats(norm_call.constant(3)),
                                         .variance = floats(norm_call.constant(4)),
                                         .epsilon = static_cast<float>(norm_call.parameters<BatchNormParameters>().epsilon),
                                         .layer = Match::is(layer, "linear") ? FoldedInto::Linear : FoldedInto::Convolution});
  const auto& weights = *call.constant(1);
  const auto channels = static_cast<std::int64_t>(folded.bias.size());
  const auto w = patch.constant(graph.value(layer.inputs[1]).name, Tensor::of<float>(Element::F32, weights.shape, folded.weights), {}, graph.value(layer.inputs[1]).origins);
  const auto b = patch.constant(layer.name + "_bias", Tensor::of<float>(Element::F32, {channels}, folded.bias), {}, norm.origins);
  CORTEN_TRY(const auto value, patch.value(*layer.op, layer.parameters, {layer.inputs[0], w, b}, layer.name, joined(layer.origins, norm.origins)));
  patch.replace(norm.outputs[0], value);
  return {};
}

}  // namespace

Status fold_batch_norm(Graph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    const Match match(graph);
    Patch patch(graph, "fold_batch_norm");
    for (std::size_t n = 0; n < graph.nodes.size() && !changed; ++n) {
      const auto node = graph.nodes[n];
      if (!Match::is(node, "batch_norm")) continue;
      patch.at(static_cast<int>(n));
      const int from = foldable_producer(graph, match, node);
      CORTEN_CHECK(from < 0 ? expand_batch_norm(Call(graph, node), patch) : fold(graph, node, match.at(from), patch));
      changed = true;
    }
    if (changed) patch.apply();
  }
  return {};
}

}  // namespace corten
