// SPDX-License-Identifier: Apache-2.0
// Clamps, table activations, softmax and batch norms that stand alone, and fused clamps.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

Case activation(const std::string& name, const std::string& target, Arguments more = {}, const Shape& shape = {1, 3, 5, 4}, Range range = {-4, 4}) {
  Network n;
  n.input("x", shape, range).then("y", target, "x", std::move(more));
  return {name, n};
}

std::vector<Case> clamps() {
  return {
      activation("relu", "relu.default"),
      activation("relu_rank1", "relu.default", {}, {7}),
      activation("relu_rank5", "relu.default", {}, {1, 2, 3, 2, 2}),
      activation("relu_non_negative", "relu.default", {}, {1, 9}, {0, 3}),
      activation("relu_negative", "relu.default", {}, {1, 9}, {-3, 0}),
      activation("relu6", "relu6.default", {}, {1, 3, 4, 4}, {-4, 10}),
      activation("relu6_below_six", "relu6.default", {}, {1, 3, 4, 4}, {-4, 3}),
      activation("hardtanh", "hardtanh.default"),
      activation("hardtanh_bounds", "hardtanh.default", {{"min_val", -0.3}, {"max_val", 2.2}}),
      activation("clamp", "clamp.default", {{"min", 0.5}, {"max", 1.5}}),
      activation("clamp_low", "clamp.default", {{"min", -0.7}}),
      activation("clamp_min", "clamp_min.default", {{"min", -0.25}}),
      activation("clamp_max", "clamp_max.default", {{"max", 0.25}}),
  };
}

std::vector<Case> tables() {
  return {
      activation("sigmoid", "sigmoid.default"),
      activation("sigmoid_rank1", "sigmoid.default", {}, {7}),
      activation("sigmoid_wide", "sigmoid.default", {}, {1, 20}, {-100, 100}),
      activation("tanh", "tanh.default"),
      activation("tanh_rank5", "tanh.default", {}, {1, 2, 3, 2, 2}),
      activation("silu", "silu.default"),
      activation("hardsigmoid", "hardsigmoid.default"),
      activation("hardswish", "hardswish.default"),
      activation("gelu", "gelu.default"),
      activation("gelu_tanh", "gelu.default", {{"approximate", std::string("tanh")}}),
      activation("elu", "elu.default"),
      activation("elu_alpha", "elu.default", {{"alpha", 0.5}}),
      activation("leaky_relu", "leaky_relu.default"),
      activation("leaky_relu_slope", "leaky_relu.default", {{"negative_slope", 0.3}}),
  };
}

/// Two exponentials and a quotient in fixed point beside floats: up to two of the fixed steps of 1/256.
std::vector<Case> softmaxes() {
  std::vector<Case> all = {
      activation("softmax", "softmax.int", {argument("dim", -1)}, {1, 10}),
      activation("softmax_rows3", "softmax.int", {argument("dim", 1)}, {3, 10}),
      activation("softmax_first_axis", "softmax.int", {argument("dim", 0)}, {3, 10}),
      activation("softmax_rank1", "softmax.int", {argument("dim", 0)}, {7}),
      activation("softmax_wide", "softmax.int", {argument("dim", -1)}, {1, 12}, {-60, 60}),
      activation("softmax_narrow", "softmax.int", {argument("dim", -1)}, {1, 12}, {-0.01f, 0.01f}),
      activation("softmax_one_class", "softmax.int", {argument("dim", -1)}, {4, 1}),
      activation("softmax_many", "softmax.int", {argument("dim", -1)}, {1, 300}),
      activation("softmax_rank5", "softmax.int", {argument("dim", 3)}, {1, 2, 3, 4, 2}),
  };
  for (std::int64_t dim = 1; dim < 4; ++dim)
    all.push_back(activation("softmax_image_axis" + std::to_string(dim), "softmax.int", {argument("dim", dim)}, {2, 3, 4, 5}));
  for (auto& one : all) one.steps = 2;
  return all;
}

Case fused(const std::string& name, const std::string& clamp, Arguments more, bool depthwise) {
  Network n;
  n.input("x", {1, 4, 5, 5}).layer("c", "conv2d.default", "x", {4, depthwise ? 1 : 4, 3, 3}, {list("padding", {1, 1}), argument("groups", depthwise ? 4 : 1)});
  n.then("y", clamp, "c", std::move(more));
  return {name, n};
}

std::vector<Case> fused_clamps() {
  std::vector<Case> all = {
      fused("conv_relu", "relu.default", {}, false),
      fused("conv_relu6", "relu6.default", {}, false),
      fused("conv_hardtanh", "hardtanh.default", {}, false),
      fused("conv_clamp", "clamp.default", {{"min", -0.2}, {"max", 0.9}}, false),
      fused("depthwise_relu", "relu.default", {}, true),
      fused("depthwise_relu6", "relu6.default", {}, true),
      fused("depthwise_hardtanh", "hardtanh.default", {}, true),
  };
  Network linear;
  linear.input("x", {2, 9}).layer("l", "linear.default", "x", {5, 9}).then("y", "relu6.default", "l");
  all.push_back({"linear_relu6", linear});
  Network same;
  same.input("x", {1, 1, 16}).layer("c", "conv1d.padding", "x", {2, 1, 4}, {{"padding", std::string("same")}}).then("y", "relu.default", "c");
  all.push_back({"conv1d_same4_relu", same});
  Network kept;
  kept.input("x", {1, 3, 4, 4}).layer("c", "conv2d.default", "x", {4, 3, 1, 1}).then("y", "relu.default", "c").outputs({"c", "y"});
  all.push_back({"conv_relu_both_read", kept});
  return all;
}

std::vector<Case> batch_norms() {
  Network alone, after, vector, sequence, twice, fused;
  alone.input("x", {1, 3, 4, 4}).batch_norm("y", "x", 3);
  after.input("x", {1, 3, 4, 4}).layer("c", "conv2d.default", "x", {5, 3, 3, 3}, {}, false).batch_norm("y", "c", 5);
  vector.input("x", {2, 7}).layer("l", "linear.default", "x", {6, 7}).batch_norm("y", "l", 6);
  sequence.input("x", {1, 3, 8}).batch_norm("y", "x", 3);
  twice.input("x", {1, 3, 4, 4}).layer("c", "conv2d.default", "x", {4, 3, 1, 1}).batch_norm("y", "c", 4).outputs({"c", "y"});
  fused.input("x", {1, 4, 6, 6}).layer("c", "conv2d.default", "x", {4, 1, 3, 3}, {argument("groups", 4)}, false).batch_norm("b", "c", 4).then("y", "relu6.default", "b");
  // A product and a sum, each rounded to a grid of its own.
  return {{"batch_norm", alone, 2}, {"batch_norm_after_conv", after}, {"batch_norm_after_linear", vector}, {"batch_norm_sequence", sequence, 2}, {"batch_norm_conv_read_twice", twice, 2}, {"batch_norm_relu6_depthwise", fused}};
}

}  // namespace

std::vector<Case> activation_cases() {
  std::vector<Case> all;
  for (auto make : {clamps, tables, softmaxes, fused_clamps, batch_norms})
    for (auto& one : make()) all.push_back(std::move(one));
  return all;
}

}  // namespace corten::test
