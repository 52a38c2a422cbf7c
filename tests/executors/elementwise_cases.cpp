// SPDX-License-Identifier: Apache-2.0
// Operators over two operands: every kind of broadcast, numbers, factors, the same tensor twice.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

struct Binary {
  std::string name, target;
  int steps = 1;
};

const std::vector<Binary> binaries = {{"add", "add.Tensor"}, {"sub", "sub.Tensor"}, {"mul", "mul.Tensor"}, {"maximum", "maximum.default"}, {"minimum", "minimum.default"}};

Case of_inputs(const Binary& op, const std::string& kind, const Shape& a, const Shape& b) {
  Network n;
  n.input("a", a, {-1, 1}).input("b", b, {-2, 3}).then("y", op.target, "a", {{"other", to("b")}});
  return {op.name + "_" + kind, n, op.steps};
}

Case with_constant(const Binary& op, const std::string& kind, const Shape& a, const Shape& b, bool constant_first) {
  Network n;
  n.input("a", a).random("c", b, {-0.5f, 1.5f});
  n.then("y", op.target, constant_first ? "c" : "a", {{"other", to(constant_first ? "a" : "c")}});
  return {op.name + "_" + kind, n, op.steps};
}

std::vector<Case> broadcasts(const Binary& op) {
  return {
      of_inputs(op, "images", {1, 3, 4, 5}, {1, 3, 4, 5}),
      of_inputs(op, "vectors", {1, 10}, {1, 10}),
      of_inputs(op, "rank1", {7}, {7}),
      of_inputs(op, "rank5", {1, 2, 3, 2, 3}, {1, 2, 3, 2, 3}),
      of_inputs(op, "one_element", {1, 6}, {1, 1}),
      of_inputs(op, "one_element_first", {1, 1}, {1, 6}),
      of_inputs(op, "channel", {1, 3, 4, 5}, {1, 3, 1, 1}),
      of_inputs(op, "spatial", {1, 3, 4, 5}, {1, 1, 4, 5}),
      of_inputs(op, "row", {1, 3, 4, 5}, {1, 1, 4, 1}),
      of_inputs(op, "column_of_first", {1, 3, 4, 1}, {1, 3, 4, 5}),
      of_inputs(op, "both", {1, 3, 4, 1}, {1, 3, 1, 5}),
      of_inputs(op, "outer_product", {4, 1}, {1, 5}),
      of_inputs(op, "batch", {2, 3, 2, 2}, {1, 3, 2, 2}),
      of_inputs(op, "lower_rank", {2, 3, 4}, {4}),
      with_constant(op, "constant", {1, 2, 2, 3}, {3}, false),
      with_constant(op, "constant_first", {1, 2, 2, 3}, {3}, true),
      with_constant(op, "constant_channel", {1, 3, 4, 4}, {3, 1, 1}, false),
      with_constant(op, "constant_of_same_shape", {1, 2, 3, 4}, {1, 2, 3, 4}, false),
  };
}

Case twice(const Binary& op) {
  Network n;
  n.input("x", {1, 3, 4, 4}).then("y", op.target, "x", {{"other", to("x")}});
  return {op.name + "_same_tensor_twice", n, op.steps};
}

Case number(const std::string& name, const std::string& target, double value, Arguments more = {}) {
  Network n;
  more.insert(more.begin(), {"other", value});
  n.input("x", {1, 3, 4, 4}).then("y", target, "x", std::move(more));
  return {name, n};
}

/// a and b on one grid far from that of the result.
Case cancelling(const std::string& name, const std::string& target) {
  Network n;
  n.input("a", {1, 16}, {99, 100}).input("b", {1, 16}, {-0.01f, 0.01f}).then("y", target, "a", {{"other", to("b")}});
  return {name, n};
}

std::vector<Case> numbers() {
  std::vector<Case> all = {
      number("add_number", "add.Tensor", 0.75), number("add_scalar", "add.Scalar", -2.0), number("sub_number", "sub.Tensor", 0.75),
      number("rsub_scalar", "rsub.Scalar", 1.0), number("mul_number", "mul.Tensor", 0.3), number("mul_negative_number", "mul.Scalar", -1.7),
      number("mul_zero", "mul.Scalar", 0.0), number("div_number", "div.Tensor", 3.0), number("sub_number_alpha", "sub.Tensor", 0.5, {{"alpha", 2.0}}),
  };
  Network alpha;
  alpha.input("a", {1, 3, 4}).input("b", {1, 3, 4}).then("y", "add.Tensor", "a", {{"other", to("b")}, {"alpha", 0.5}});
  all.push_back({"add_alpha", alpha});
  Network minus;
  minus.input("a", {1, 3, 4}).input("b", {3, 1}).then("y", "sub.Tensor", "a", {{"other", to("b")}, argument("alpha", 3)});
  all.push_back({"sub_alpha", minus});
  Network negative;
  negative.input("x", {2, 5}).then("y", "neg.default", "x");
  all.push_back({"neg", negative});
  Network divided;
  divided.input("x", {1, 3, 2, 2}).random("c", {3, 1, 1}, {0.5f, 2}).then("y", "div.Tensor", "x", {{"other", to("c")}});
  all.push_back({"div_constant", divided});
  all.push_back(cancelling("add_far_from_zero", "add.Tensor"));
  all.push_back(cancelling("sub_far_from_zero", "sub.Tensor"));
  all.push_back(cancelling("mul_far_from_zero", "mul.Tensor"));
  return all;
}

/// Where operands lie differently: an image and one that came through a permutation.
Case permuted_operand(const Binary& op) {
  Network n;
  n.input("a", {1, 4, 3, 5}).input("b", {1, 3, 5, 4}).then("p", "permute.default", "b", {list("dims", {0, 3, 1, 2})});
  n.then("y", op.target, "a", {{"other", to("p")}});
  return {op.name + "_permuted", n, op.steps};
}

Case clamped(const Binary& op) {
  Network n;
  n.input("a", {1, 3, 4, 4}).input("b", {1, 3, 4, 4}).then("s", op.target, "a", {{"other", to("b")}}).then("y", "relu.default", "s");
  return {op.name + "_relu", n, op.steps};
}

}  // namespace

std::vector<Case> elementwise_cases() {
  auto all = numbers();
  for (const auto& op : binaries) {
    for (auto& one : broadcasts(op)) all.push_back(std::move(one));
    all.push_back(twice(op));
    all.push_back(permuted_operand(op));
    all.push_back(clamped(op));
  }
  return all;
}

}  // namespace corten::test
