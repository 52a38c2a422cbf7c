// SPDX-License-Identifier: Apache-2.0
// Fully connected layers: ranks, depths, counts of outputs, scales per tensor and per channel.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

QuantizerConfig per_channel() {
  QuantizerConfig config;
  config.set_global(INT8_PER_CHANNEL);
  return config;
}

Case linear(const std::string& name, const Shape& input, const Shape& weights, bool bias = true, Range range = {}) {
  Network n(static_cast<std::uint32_t>(name.size()));
  n.input("x", input, range).layer("y", "linear.default", "x", weights, {}, bias);
  return {name, n};
}

}  // namespace

std::vector<Case> linear_cases() {
  std::vector<Case> all = {
      linear("linear", {1, 16}, {8, 16}),
      linear("linear_rank1", {12}, {5, 12}),
      linear("linear_rank3", {2, 3, 7}, {4, 7}),
      linear("linear_rank4", {1, 2, 3, 5}, {6, 5}),
      linear("linear_rows5", {5, 9}, {3, 9}),
      linear("linear_one_output", {1, 33}, {1, 33}),
      linear("linear_one_input", {3, 1}, {4, 1}),
      linear("linear_one_by_one", {1, 1}, {1, 1}),
      linear("linear_no_bias", {2, 15}, {7, 15}, false),
      linear("linear_deep", {1, 300}, {10, 300}),
      linear("linear_wide", {1, 3}, {70, 3}),
      linear("linear_non_negative", {1, 4}, {2, 4}, true, {0, 8}),
  };
  for (std::int64_t depth : {2, 3, 5, 7, 17, 18, 19, 31, 32})
    all.push_back(linear("linear_depth" + std::to_string(depth), {2, depth}, {3, depth}));
  for (auto one : {linear("linear_per_channel", {1, 16}, {8, 16}), linear("linear_per_channel_rank3", {2, 3, 7}, {5, 7}), linear("linear_per_channel_no_bias", {3, 21}, {3, 21}, false)}) {
    one.quantizer = per_channel();
    all.push_back(one);
  }
  Network addmm;
  addmm.input("x", {2, 6}).random("w", {6, 5}).random("b", {5});
  addmm.node("y", "aten.addmm.default", {{"self", to("b")}, {"mat1", to("x")}, {"mat2", to("w")}});
  all.push_back({"linear_addmm", addmm});
  Network matmul;
  matmul.input("x", {2, 3, 6}).random("w", {6, 4}).then("y", "matmul.default", "x", {{"other", to("w")}});
  all.push_back({"linear_matmul", matmul});
  for (const float sign : {1.0f, -1.0f}) {
    Network n;
    n.input("x", {1, 256}).constant("w", {4, 256}, std::vector<float>(1024, sign)).node("y", "aten.linear.default", {{"input", to("x")}, {"weight", to("w")}});
    all.push_back({sign > 0 ? "linear_largest_weights" : "linear_smallest_weights", n});
  }
  return all;
}

}  // namespace corten::test
