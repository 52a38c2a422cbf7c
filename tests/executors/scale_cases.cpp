// SPDX-License-Identifier: Apache-2.0
// Scales far from each other: multipliers above one, shifts of more than 31 bits, ranges of width zero.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

constexpr Range nothing = {0, 0};
const Arguments narrow = {{"min", -0.01}, {"max", 0.02}};

/// The clamp makes the output's scale tiny, so that results are shifted left and saturate.
Case clamped_narrowly(const std::string& name, Network n, const std::string& from) {
  n.then("y", "clamp.default", from, narrow);
  return {name + "_clamped_narrowly", n, 2};
}

/// The bias is as large as the input: one that is 2^31 steps of a product is refused.
Network convolved(const std::vector<float>& weights, Range input, bool depthwise = false) {
  Network n;
  const auto groups = depthwise ? 4 : 1;
  n.input("x", {1, 4, 3, 3}, input).constant("w", {4, 4 / groups, 1, 1}, weights).random("b", {4}, input);
  return n.node("c", "aten.conv2d.default", {{"input", to("x")}, {"weight", to("w")}, {"bias", to("b")}, argument("groups", groups)});
}

Network multiplied(float weight, Range input) {
  Network n;
  n.input("x", {2, 4}, input).constant("w", {3, 4}, std::vector<float>(12, weight));
  return n.node("l", "aten.linear.default", {{"input", to("x")}, {"weight", to("w")}});
}

Network binary(const std::string& target, Range a, Range b) {
  Network n;
  n.input("a", {1, 3, 2, 2}, a).input("b", {1, 3, 2, 2}, b);
  return n.then("y", target, "a", {{"other", to("b")}});
}

Network unary(const std::string& target, Range range, Arguments arguments = {}) {
  Network n;
  n.input("x", {1, 3, 4, 4}, range);
  return n.then("y", target, "x", std::move(arguments));
}

/// Channels whose scales lie many powers of two apart.
std::vector<float> unlike_channels() {
  std::vector<float> weights;
  for (const float size : {1.0f, 1e-3f, 1e-6f, 100.0f})
    for (const float sign : {1.0f, -0.5f, 0.25f, 0.7f}) weights.push_back(size * sign);
  return weights;
}

std::vector<float> zero_channel() {
  auto weights = unlike_channels();
  for (std::size_t i = 4; i < 8; ++i) weights[i] = 0;
  return weights;
}

}  // namespace

std::vector<Case> scale_cases() {
  std::vector<Case> all = {
      clamped_narrowly("conv", convolved(unlike_channels(), {}), "c"),
      clamped_narrowly("linear", multiplied(1, {}), "l"),
      clamped_narrowly("add", binary("add.Tensor", {}, {-3, 2}), "y"),
      clamped_narrowly("sub", binary("sub.Tensor", {}, {-3, 2}), "y"),
      clamped_narrowly("mul", binary("mul.Tensor", {}, {-3, 2}), "y"),
      clamped_narrowly("mean", unary("mean.dim", {}, {list("dim", {2, 3})}), "y"),
      clamped_narrowly("sum", unary("sum.dim_IntList", {}, {list("dim", {2, 3})}), "y"),
      clamped_narrowly("max_pool", unary("max_pool2d.default", {}, {list("kernel_size", {2, 2})}), "y"),
      clamped_narrowly("avg_pool", unary("avg_pool2d.default", {}, {list("kernel_size", {2, 2})}), "y"),
      {"conv_unlike_channels", convolved(unlike_channels(), {})},
      {"conv_zero_channel", convolved(zero_channel(), {})},
      {"conv_zero_weights", convolved(std::vector<float>(16, 0.0f), {})},
      {"conv_tiny_input", convolved(unlike_channels(), {-1e-4f, 1e-4f})},
      {"conv_huge_input", convolved(unlike_channels(), {-1e5f, 1e5f})},
      {"conv_zero_input", convolved(unlike_channels(), nothing)},
      {"depthwise_unlike_channels", convolved({1, -1e-4f, 10, 0.01f}, {}, true)},
      {"depthwise_zero_channel", convolved({1, 0, -2, 0.01f}, {}, true)},
      {"linear_tiny_weights", multiplied(1e-7f, {})},
      {"linear_zero_weights", multiplied(0, {})},
      {"linear_zero_input", multiplied(1, nothing)},
      {"linear_one_sided_input", multiplied(1, {5, 6})},
  };
  for (const std::string target : {"add", "sub", "mul"}) {
    all.push_back({target + "_small_and_large", binary(target + ".Tensor", {-1e-3f, 1e-3f}, {-1e3f, 1e3f})});
    all.push_back({target + "_large_and_small", binary(target + ".Tensor", {-1e3f, 1e3f}, {-1e-3f, 1e-3f})});
    all.push_back({target + "_zero_operand", binary(target + ".Tensor", {}, nothing)});
    all.push_back({target + "_zeros", binary(target + ".Tensor", nothing, nothing)});
    all.push_back({target + "_one_sided", binary(target + ".Tensor", {2, 3}, {-7, -6})});
  }
  for (const std::string target : {"sigmoid", "tanh", "silu", "hardsigmoid", "hardswish", "gelu", "elu", "leaky_relu"}) {
    all.push_back({target + "_tiny", unary(target + ".default", {-1e-3f, 1e-3f})});
    all.push_back({target + "_huge", unary(target + ".default", {-1e3f, 1e3f})});
    all.push_back({target + "_zero", unary(target + ".default", nothing)});
  }
  const auto last = argument("dim", 3);
  all.push_back({"softmax_huge", unary("softmax.int", {-1e4f, 1e4f}, {last}), 2});
  all.push_back({"softmax_zero", unary("softmax.int", nothing, {last}), 2});
  all.push_back({"mean_zero", unary("mean.dim", nothing, {list("dim", {3})})});
  all.push_back({"relu_zero", unary("relu.default", nothing)});
  all.push_back({"avg_pool_zero", unary("avg_pool2d.default", nothing, {list("kernel_size", {2, 2})})});
  return all;
}

}  // namespace corten::test
