// SPDX-License-Identifier: Apache-2.0
// Explicit quantize and dequantize nodes as PyTorch writes and computes them.
#include "compiler/ops/quantize.h"

#include <gmock/gmock.h>

#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Arguments grid(double scale, std::int64_t zero_point, std::int64_t low, std::int64_t high, Element element) {
  return {{"input", ref("x")}, {"scale", scale}, {"zero_point", zero_point}, {"quant_min", low}, {"quant_max", high}, {"dtype", element}};
}

TEST(quantize, rounds_halves_to_even_before_the_zero_point) {
  SourceBuilder b;
  b.input("x", {6}).node("q", "quantized_decomposed.quantize_per_tensor.default", grid(1, 1, -128, 127, Element::I8));
  EXPECT_THAT(values<std::int8_t>(b.run({{0.5f, -0.5f, 1.5f, -1.5f, 2.5f, 500}})), ElementsAre(1, 1, 3, -1, 3, 127));
}

// PyTorch multiplies by 1 / 0.02; dividing would give −123.
TEST(quantize, multiplies_by_the_inverse_scale) {
  SourceBuilder b;
  b.input("x", {1}).node("q", "quantized_decomposed.quantize_per_tensor.default", grid(0.02f, 0, -128, 127, Element::I8));
  EXPECT_THAT(values<std::int8_t>(b.run({{-2.45f}})), ElementsAre(-122));
}

TEST(quantize, gives_its_grid_to_the_type) {
  SourceBuilder b;
  b.input("x", {1}).node("q", "quantized_decomposed.quantize_per_tensor.default", grid(0.5, 3, 0, 255, Element::U8));
  const auto graph = b.import();
  ASSERT_TRUE(graph.ok());
  const auto& type = graph->type(graph->outputs[0]);
  EXPECT_EQ(type.element, Element::U8);
  EXPECT_EQ(type.quantization, per_tensor(0.5f, 3, 0, 255));
}

TEST(quantize, takes_scales_that_are_constant_tensors_only) {
  Arguments arguments = {{"input", ref("x")}, {"scale", ref("s")}, {"zero_point", ref("z")}, {"quant_min", std::int64_t{-128}}, {"quant_max", std::int64_t{127}}, {"dtype", Element::I8}};
  SourceBuilder b;
  b.input("x", {2}).constant("s", {1}, {0.5f}).constant<std::int64_t>("z", {1}, {-3}, Element::I64);
  b.node("q", "quantized_decomposed.quantize_per_tensor.tensor", arguments);
  EXPECT_THAT(values<std::int8_t>(b.run({{1, -1}})), ElementsAre(-1, -5));
  SourceBuilder dynamic;
  dynamic.input("x", {2}).input("s", {1}).constant<std::int64_t>("z", {1}, {-3}, Element::I64);
  dynamic.node("q", "quantized_decomposed.quantize_per_tensor.tensor", arguments);
  EXPECT_THAT(dynamic.problem(), HasSubstr(": scale is not constant / dynamic quantization is not supported"));
}

TEST(dequantize, gives_reals_back) {
  SourceBuilder b;
  b.input("x", {3}).node("q", "quantized_decomposed.quantize_per_tensor.default", grid(0.5, -7, -128, 127, Element::I8));
  auto arguments = grid(0.5, -7, -128, 127, Element::I8);
  arguments[0].second = ref("q");
  b.node("dq", "quantized_decomposed.dequantize_per_tensor.default", arguments);
  EXPECT_THAT(values<float>(b.run({{1.2f, -3.3f, 1000}})), ElementsAre(1, -3.5f, 67));
}

// Axis 1 of NCHW is the last axis as it lies.
TEST(quantize, follows_the_channel_axis_into_the_layout) {
  SourceBuilder b;
  b.input("x", {1, 2, 1, 2}).constant("s", {2}, {1, 0.5f}).constant<std::int64_t>("z", {2}, {0, 10}, Element::I64);
  b.node("q", "quantized_decomposed.quantize_per_channel.default",
         {{"input", ref("x")}, {"scales", ref("s")}, {"zero_points", ref("z")}, {"axis", std::int64_t{1}}, {"quant_min", std::int64_t{-128}}, {"quant_max", std::int64_t{127}}, {"dtype", Element::I8}});
  EXPECT_THAT(values<std::int8_t>(b.run({{1, 1, 4, 4}})), ElementsAre(1, 12, 4, 18));
}

TEST(quantize, survives_the_integer_stage_at_float_ends) {
  Graph graph;
  graph.values.push_back({"x", {Element::F32, {2}}});
  graph.inputs = {0};
  Patch import(graph, "quantize");
  const auto q = import.value(op("quantize"), parameters(QuantizeParameters{.scale = 0.25f, .zero_point = 4}), {0}, "q", {});
  ASSERT_TRUE(q.ok());
  const auto y = import.value(op("dequantize"), parameters(QuantizeParameters{.scale = 0.25f, .zero_point = 4}), {*q}, "dq", {});
  ASSERT_TRUE(y.ok());
  graph.outputs = {*y};
  import.apply();
  Patch lower(graph, "lower");
  for (const auto& node : std::vector<Node>(graph.nodes)) ASSERT_TRUE(node.op->lower(Call(graph, node), lower).ok());
  lower.apply();
  EXPECT_EQ(graph.nodes[0].op->name(), "cortex_m.quantize_per_tensor");
  EXPECT_EQ(graph.nodes[1].op->name(), "cortex_m.dequantize_per_tensor");
  const auto outputs = interpret(graph, {Tensor::of<float>(Element::F32, {2}, {1.1f, -100})});
  EXPECT_THAT(values<float>(outputs->front()), ElementsAre(1, -33));
}

}  // namespace
}  // namespace corten::test
