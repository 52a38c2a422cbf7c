// SPDX-License-Identifier: Apache-2.0
// Chains, branches, several ends: operators beside each other.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

const auto padding1 = list("padding", {1, 1}), kernel2 = list("kernel_size", {2, 2});

Network classifier() {
  Network n;
  n.input("x", {1, 1, 8, 8}, {0, 1}).layer("c1", "conv2d.default", "x", {4, 1, 3, 3}, {padding1}).then("r1", "relu.default", "c1").then("p1", "max_pool2d.default", "r1", {kernel2});
  n.layer("c2", "conv2d.default", "p1", {6, 4, 3, 3}, {padding1}).then("r2", "relu.default", "c2").then("p2", "avg_pool2d.default", "r2", {kernel2});
  n.then("f", "flatten.using_ints", "p2", {argument("start_dim", 1)}).layer("l", "linear.default", "f", {10, 24});
  return n.then("y", "softmax.int", "l", {argument("dim", 1)});
}

Network residual() {
  Network n;
  n.input("x", {1, 4, 5, 5}).layer("a", "conv2d.default", "x", {4, 4, 3, 3}, {padding1}).batch_norm("b", "a", 4).then("r", "relu.default", "b");
  n.layer("c", "conv2d.default", "r", {4, 4, 3, 3}, {padding1}).then("s", "add.Tensor", "c", {{"other", to("x")}}).then("y", "relu.default", "s");
  return n;
}

Network inverted_residual() {
  Network n;
  n.input("x", {1, 3, 6, 6}).layer("e", "conv2d.default", "x", {12, 3, 1, 1}).then("e6", "relu6.default", "e");
  n.layer("d", "conv2d.default", "e6", {12, 1, 3, 3}, {padding1, argument("groups", 12)}).then("d6", "relu6.default", "d");
  n.layer("p", "conv2d.default", "d6", {3, 12, 1, 1}).then("y", "add.Tensor", "p", {{"other", to("x")}});
  return n;
}

Network squeeze_and_excite() {
  Network n;
  n.input("x", {1, 6, 4, 4}).then("g", "adaptive_avg_pool2d.default", "x", {list("output_size", {1, 1})}).layer("d", "conv2d.default", "g", {2, 6, 1, 1}).then("r", "relu.default", "d");
  n.layer("u", "conv2d.default", "r", {6, 2, 1, 1}).then("s", "hardsigmoid.default", "u").then("y", "mul.Tensor", "x", {{"other", to("s")}});
  return n;
}

Network two_heads() {
  Network n;
  n.input("x", {1, 3, 4, 4}).layer("c", "conv2d.default", "x", {4, 3, 3, 3}, {padding1}).then("r", "relu.default", "c").then("g", "mean.dim", "r", {list("dim", {2, 3})});
  n.layer("score", "linear.default", "g", {3, 4}).layer("box", "linear.default", "g", {4, 4});
  return n.outputs({"score", "box"});
}

Network two_inputs() {
  Network n;
  n.input("image", {1, 2, 4, 4}).input("gain", {1, 5}, {0, 3}).layer("c", "conv2d.default", "image", {5, 2, 4, 4}).then("f", "flatten.using_ints", "c", {argument("start_dim", 1)});
  return n.then("y", "mul.Tensor", "f", {{"other", to("gain")}});
}

Network fan_out() {
  Network n;
  n.input("x", {1, 4, 4, 4}).layer("c", "conv2d.default", "x", {4, 4, 1, 1}).then("a", "sigmoid.default", "c").then("b", "max_pool2d.default", "c", {list("kernel_size", {3, 3}), list("stride", {1, 1}), padding1});
  n.then("m", "mul.Tensor", "a", {{"other", to("b")}}).then("y", "sub.Tensor", "m", {{"other", to("c")}});
  return n;
}

Network inception() {
  Network n;
  n.input("x", {1, 3, 5, 5}).layer("a", "conv2d.default", "x", {2, 3, 1, 1}).layer("b", "conv2d.default", "x", {3, 3, 3, 3}, {padding1}).layer("c", "conv2d.default", "x", {4, 3, 5, 5}, {list("padding", {2, 2})});
  n.then("d", "avg_pool2d.default", "x", {list("kernel_size", {3, 3}), list("stride", {1, 1}), padding1});
  return n.node("y", "aten.cat.default", {{"tensors", std::vector<SourceRef>{to("a"), to("b"), to("c"), to("d")}}, argument("dim", 1)});
}

/// What reaches an output unchanged, and an output another node still reads.
Network intermediate_outputs() {
  Network n;
  n.input("x", {1, 3, 4, 4}).layer("c", "conv2d.default", "x", {3, 3, 3, 3}, {padding1}).then("r", "tanh.default", "c").then("y", "mean.dim", "r", {list("dim", {1})});
  return n.outputs({"r", "y", "c"});
}

Network sequence_network() {
  Network n;
  n.input("x", {1, 3, 16}).layer("c1", "conv1d.padding", "x", {4, 3, 5}, {{"padding", std::string("same")}}).then("r1", "relu.default", "c1").then("p", "max_pool1d.default", "r1", {list("kernel_size", {2})});
  n.layer("c2", "conv1d.default", "p", {4, 4, 3}, {list("padding", {2}), list("dilation", {2})}).then("r2", "silu.default", "c2").then("m", "mean.dim", "r2", {list("dim", {2})});
  return n.layer("y", "linear.default", "m", {3, 4});
}

Network gated() {
  Network n;
  n.input("x", {1, 8, 3, 3}).node("parts", "aten.chunk.default", {{"self", to("x")}, argument("chunks", 2), argument("dim", 1)}, {"a", "b"});
  n.then("s", "sigmoid.default", "b");
  return n.then("y", "mul.Tensor", "a", {{"other", to("s")}});
}

Network mlp() {
  Network n;
  n.input("x", {1, 24}).layer("l1", "linear.default", "x", {16, 24}).then("r1", "relu.default", "l1").layer("l2", "linear.default", "r1", {16, 16}).then("r2", "relu.default", "l2");
  return n.layer("y", "linear.default", "r2", {4, 16});
}

Network silu_after_conv() {
  Network n;
  n.input("x", {1, 3, 4, 4}).layer("c", "conv2d.default", "x", {4, 3, 3, 3}).then("s", "silu.default", "c");
  return n;
}

}  // namespace

// Each layer's rounding shifts the input of the next by up to a step: allowances grow with depth.
std::vector<Case> network_cases() {
  return {
      {"classifier", classifier(), 4},       {"residual", residual(), 4},       {"inverted_residual", inverted_residual(), 4}, {"squeeze_and_excite", squeeze_and_excite(), 4},
      {"two_heads", two_heads(), 4},         {"two_inputs", two_inputs(), 2},   {"fan_out", fan_out(), 4},                     {"inception", inception(), 2},
      {"intermediate_outputs", intermediate_outputs(), 2}, {"sequence", sequence_network(), 6}, {"gated", gated(), 2},         {"mlp", mlp(), 6},
      {"silu_after_conv", silu_after_conv(), 3},
  };
}

}  // namespace corten::test
