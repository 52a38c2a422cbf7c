// SPDX-License-Identifier: Apache-2.0
// Operators over two broadcast operands: add, sub, mul, maximum, minimum.
#include "compiler/ops/elementwise.h"

#include <gmock/gmock.h>

#include "compiler/ops/mul.h"
#include "compiler/ops/sum.h"
#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Arguments operands(SourceArgument self, SourceArgument other) { return {{"self", std::move(self)}, {"other", std::move(other)}}; }

std::vector<float> binary(const std::string& target, Arguments arguments, std::vector<float> x, std::vector<float> z) {
  SourceBuilder b;
  const auto count = static_cast<std::int64_t>(x.size());
  b.input("x", {count}).input("z", {count}).node("y", target, std::move(arguments));
  return values<float>(b.run({std::move(x), std::move(z)}));
}

std::vector<float> unary(const std::string& target, Arguments arguments, std::vector<float> x) {
  SourceBuilder b;
  b.input("x", {static_cast<std::int64_t>(x.size())}).node("y", target, std::move(arguments));
  return values<float>(b.run({std::move(x)}));
}

TEST(elementwise, has_the_meaning_of_its_spelling) {
  const auto both = operands(ref("x"), ref("z"));
  EXPECT_THAT(binary("aten.add.Tensor", both, {1, 2}, {10, 20}), ElementsAre(11, 22));
  EXPECT_THAT(binary("aten.sub.Tensor", both, {1, 2}, {10, 20}), ElementsAre(-9, -18));
  EXPECT_THAT(binary("aten.mul.Tensor", both, {1, 2}, {10, 20}), ElementsAre(10, 40));
  EXPECT_THAT(binary("aten.maximum.default", both, {1, 20}, {10, 2}), ElementsAre(10, 20));
  EXPECT_THAT(binary("aten.minimum.default", both, {1, 20}, {10, 2}), ElementsAre(1, 2));
  auto scaled = both;
  scaled.emplace_back("alpha", std::int64_t{3});
  EXPECT_THAT(binary("aten.add.Tensor", scaled, {1, 2}, {10, 20}), ElementsAre(31, 62));
  EXPECT_THAT(binary("aten.sub.Tensor", scaled, {1, 2}, {10, 20}), ElementsAre(-29, -58));
}

TEST(elementwise, takes_python_numbers) {
  EXPECT_THAT(unary("aten.add.Tensor", operands(ref("x"), std::int64_t{3}), {1, 2}), ElementsAre(4, 5));
  EXPECT_THAT(unary("aten.sub.Scalar", operands(ref("x"), 0.5), {1, 2}), ElementsAre(0.5f, 1.5f));
  EXPECT_THAT(unary("aten.rsub.Scalar", operands(ref("x"), 1.0), {1, 2}), ElementsAre(0, -1));
  EXPECT_THAT(unary("aten.mul.Scalar", operands(ref("x"), 2.0), {1, 2}), ElementsAre(2, 4));
  EXPECT_THAT(unary("aten.neg.default", {{"self", ref("x")}}, {1, -2}), ElementsAre(-1, 2));
  // Division, not the product with 1 / 3, which is 3.3333335 for the first.
  EXPECT_THAT(unary("aten.div.Tensor", operands(ref("x"), std::int64_t{3}), {10, 7}), ElementsAre(10.0f / 3.0f, 7.0f / 3.0f));
}

TEST(elementwise, refuses_rounding_division) {
  SourceBuilder b;
  auto arguments = operands(ref("x"), 2.0);
  arguments.emplace_back("rounding_mode", std::string("floor"));
  b.input("x", {2}).node("y", "aten.div.Tensor_mode", std::move(arguments));
  EXPECT_THAT(b.problem(), HasSubstr("rounding_mode is 'floor', expected None"));
}

// x is NCHW [1, 2, 1, 2] to the framework and lies as [1, 1, 2, 2]; c adds per channel.
TEST(elementwise, broadcasts_per_channel_whatever_the_layout) {
  SourceBuilder b;
  b.input("x", {1, 2, 1, 2}).constant("c", {2, 1, 1}, {100, 200}).node("y", "aten.add.Tensor", operands(ref("x"), ref("c")));
  EXPECT_THAT(values<float>(b.run({{1, 2, 3, 4}})), ElementsAre(101, 202, 103, 204));
}

TEST(elementwise, broadcasts_both_operands_up_to_rank_6) {
  SourceBuilder b;
  b.input("x", {1, 1, 1, 2, 1, 1}).input("z", {3, 1, 1, 1, 1, 1}).node("y", "aten.add.Tensor", operands(ref("x"), ref("z")));
  EXPECT_THAT(values<float>(b.run({{1, 2}, {10, 20, 30}})), ElementsAre(11, 12, 21, 22, 31, 32));
  SourceBuilder seven;
  seven.input("x", {1, 1, 1, 1, 1, 1, 2}).input("z", {1, 1, 1, 1, 1, 1, 2}).node("y", "aten.add.Tensor", operands(ref("x"), ref("z")));
  EXPECT_THAT(seven.problem(), HasSubstr("result has 7 dimensions, expected at most 6"));
}

// ---- integers -------------------------------------------------------------------------------------------------------

struct Grids {
  Quantization a = per_tensor(0.037f, -12), b = per_tensor(0.0121f, 100), y = per_tensor(0.051f, 5);
};

std::int8_t reference_sum(const Grids& g, std::int8_t a, std::int8_t b, double factor) {
  const double scale0 = g.a.scale(), scale1 = double{g.b.scale()} * std::abs(factor), twice = 2 * std::max(scale0, scale1);
  const auto x = ExactScale(scale0 / twice)((std::int64_t{a} - g.a.zero_point()) << 20);
  const auto z = ExactScale(scale1 / twice)((std::int64_t{b} - g.b.zero_point()) << 20);
  return saturated(ExactScale(twice / (double{g.y.scale()} * 1048576))(factor < 0 ? x - z : x + z) + g.y.zero_point());
}

void expect_sum(std::string_view name, double alpha, double factor, const std::string& integer_name) {
  const Grids g;
  const auto a = random_codes(240, 3), b = random_codes(240, 4);
  QuantizedNode n;
  const auto x = n.input({2, 120}, g.a), z = n.input({2, 120}, g.b);
  const auto graph = n.lowered(name, parameters(SumParameters{alpha, {}}), {x, z}, g.y);
  std::vector<std::int8_t> expected;
  for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(reference_sum(g, a[i], b[i], factor));
  EXPECT_EQ(codes(graph, {a, b}), expected);
  EXPECT_EQ(graph->nodes[0].op->name(), integer_name);
}

TEST(quantized_sum, equals_the_definition) {
  expect_sum("add", 1, 1, "cortex_m.quantized_add");
  expect_sum("add", 2.5, 2.5, "cortex_m.quantized_add");
  expect_sum("add", -0.5, -0.5, "cortex_m.quantized_sub");
  expect_sum("sub", 1, -1, "cortex_m.quantized_sub");
  expect_sum("sub", -3, 3, "cortex_m.quantized_add");
}

// A peer moved the smaller operand to the first slot: 1 − x for x − 1.
TEST(quantized_sum, keeps_operands_in_their_places) {
  for (const bool constant_first : {false, true}) {
    QuantizedNode n;
    const auto x = n.input({1, 2, 2, 3}, per_tensor(0.5f, 0));
    const auto c = n.constant<std::int8_t>(Element::I8, {3}, {4, 8, 12}, per_tensor(0.25f, 0));
    const auto inputs = constant_first ? std::vector{c, x} : std::vector{x, c};
    const auto graph = n.lowered("sub", parameters(SumParameters{}), inputs, per_tensor(0.5f, 0));
    const auto y = codes(graph, {{10, 10, 10, 20, 20, 20, 30, 30, 30, 0, 0, 0}});
    const std::vector<std::int8_t> difference = {8, 6, 4, 18, 16, 14, 28, 26, 24, -2, -4, -6};
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], constant_first ? -difference[i] : difference[i]);
  }
}

TEST(quantized_sum, refuses_an_output_scale_that_nothing_reaches) {
  QuantizedNode n;
  const auto x = n.input({2}, per_tensor(1e6f, 0)), z = n.input({2}, per_tensor(1, 0));
  const auto graph = n.lowered("add", parameters(SumParameters{}), {x, z}, per_tensor(1e-3f, 0));
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(graph.diagnostics()[0].message, HasSubstr("output scale 0.001 is too small"));
}

TEST(quantized_mul, equals_the_definition) {
  const Grids g;
  const auto a = random_codes(240, 5), b = random_codes(240, 6);
  QuantizedNode n;
  const auto x = n.input({240}, g.a), z = n.input({240}, g.b);
  const auto graph = n.lowered("mul", parameters(MulParameters{.clamp = {-1, 2}}), {x, z}, g.y);
  const ExactScale scale(double{g.a.scale()} * double{g.b.scale()} / double{g.y.scale()});
  std::vector<std::int8_t> expected;  // −1 / 0.051 + 5 = −14.6, 2 / 0.051 + 5 = 44.2
  for (std::size_t i = 0; i < a.size(); ++i)
    expected.push_back(saturated(scale((a[i] - g.a.zero_point()) * (b[i] - g.b.zero_point())) + g.y.zero_point(), -15, 44));
  EXPECT_EQ(codes(graph, {a, b}), expected);
}

// Code 100 at scale 0.04 is 4: x / 4.
TEST(quantized_mul, divides_by_a_constant) {
  QuantizedNode n;
  const auto x = n.input({5}, per_tensor(1, 0));
  const auto c = n.constant<std::int8_t>(Element::I8, {}, {100}, per_tensor(0.04f, 0));
  const auto graph = n.lowered("mul", parameters(MulParameters{.divide = true}), {x, c}, per_tensor(1, 10));
  EXPECT_THAT(codes(graph, {{8, -8, 40, 127, 1}}), ElementsAre(12, 8, 20, 42, 10));
  QuantizedNode zero;
  const auto z = zero.input({1}, per_tensor(1, 0));
  const auto d = zero.constant<std::int8_t>(Element::I8, {}, {0}, per_tensor(1, 0));
  EXPECT_FALSE(zero.lowered("mul", parameters(MulParameters{.divide = true}), {z, d}, per_tensor(1, 0)).ok());
}

TEST(quantized_extremum, compares_codes_on_one_grid) {
  const auto q = per_tensor(0.1f, 3);
  for (const bool larger : {true, false}) {
    QuantizedNode n;
    const auto x = n.input({2, 3}, q);
    const auto c = n.constant<std::int8_t>(Element::I8, {3}, {0, -5, 100}, q);
    const auto y = codes(n.lowered(larger ? "maximum" : "minimum", parameters(NoParameters{}), {x, c}, q), {{1, 2, 3, -128, -6, 127}});
    if (larger) EXPECT_THAT(y, ElementsAre(1, 2, 100, 0, -5, 127));
    else EXPECT_THAT(y, ElementsAre(0, -5, 3, -128, -6, 100));
  }
}

TEST(quantized_extremum, brings_operands_to_the_output_s_grid) {
  QuantizedNode n;
  const auto x = n.input({2}, per_tensor(0.5f, 0));
  const auto c = n.constant<std::int8_t>(Element::I8, {1}, {40}, per_tensor(0.1f, 0));  // 4
  const auto graph = n.lowered("maximum", parameters(NoParameters{}), {x, c}, per_tensor(0.25f, -8));
  EXPECT_THAT(codes(graph, {{2, 20}}), ElementsAre(8, 32));  // max(1, 4), max(10, 4)
}

TEST(quantized_elementwise, asks_for_the_broadcast_kernel_only_where_needed) {
  const auto q = per_tensor(1, 0);
  QuantizedNode same;
  const auto a = same.input({2, 3}, q), b = same.input({2, 3}, q);
  const auto contiguous = same.lowered("add", parameters(SumParameters{}), {a, b}, q);
  ASSERT_TRUE(contiguous.ok());
  const Call call(*contiguous, contiguous->nodes[0]);
  EXPECT_THAT(call.node().op->emit(call, Isa::Portable)->calls[0].kernel, HasSubstr("add_contiguous"));
  EXPECT_THAT(call.node().op->in_place_inputs(call), ElementsAre(0, 1));
  QuantizedNode mixed;
  const auto x = mixed.input({2, 3}, q), c = mixed.input({2, 1}, q);
  const auto broadcast = mixed.lowered("add", parameters(SumParameters{}), {x, c}, q);
  ASSERT_TRUE(broadcast.ok());
  const Call other(*broadcast, broadcast->nodes[0]);
  const auto layer = *other.node().op->emit(other, Isa::Portable);
  EXPECT_THAT(layer.calls[0].kernel, HasSubstr("add_broadcast"));
  EXPECT_EQ(layer.structs[1].fields[3].second, "{1, 0, 0, 0, 0, 0}");
  EXPECT_THAT(other.node().op->in_place_inputs(other), ElementsAre(0));
}

}  // namespace
}  // namespace corten::test
