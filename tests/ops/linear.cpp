// SPDX-License-Identifier: Apache-2.0
// Fully connected layers from every spelling, in floats and in integers.
#include "compiler/ops/linear.h"

#include <gmock/gmock.h>

#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(linear, multiplies_rows_by_weights_and_adds_the_bias) {
  SourceBuilder b;
  b.input("x", {2, 2}).constant("w", {3, 2}, {1, 2, 3, 4, 5, 6}).constant("b", {3}, {10, 20, 30});
  b.node("y", "aten.linear.default", {{"input", ref("x")}, {"weight", ref("w")}, {"bias", ref("b")}});
  const auto y = b.run({{1, -1, 2, 0}});
  EXPECT_EQ(y.shape, (Shape{2, 3}));
  EXPECT_THAT(values<float>(y), ElementsAre(9, 19, 29, 12, 26, 40));
}

TEST(linear, keeps_leading_dimensions) {
  SourceBuilder b;
  b.input("x", {2, 2, 2}).constant("w", {1, 2}, {1, 1});
  b.node("y", "aten.linear.default", {{"input", ref("x")}, {"weight", ref("w")}});
  const auto y = b.run({{1, 2, 3, 4, 5, 6, 7, 8}});
  EXPECT_EQ(y.shape, (Shape{2, 2, 1}));
  EXPECT_THAT(values<float>(y), ElementsAre(3, 7, 11, 15));
}

TEST(linear, is_what_addmm_mm_and_matmul_become) {
  SourceBuilder b;
  b.input("x", {1, 2}).constant("w", {2, 3}, {1, 2, 3, 4, 5, 6}).constant("b", {1, 3}, {10, 20, 30});
  auto addmm = b;
  addmm.node("y", "aten.addmm.default", {{"self", ref("b")}, {"mat1", ref("x")}, {"mat2", ref("w")}});
  EXPECT_THAT(values<float>(addmm.run({{1, -1}})), ElementsAre(7, 17, 27));
  auto mm = b;
  mm.node("y", "aten.mm.default", {{"self", ref("x")}, {"mat2", ref("w")}});
  EXPECT_THAT(values<float>(mm.run({{1, -1}})), ElementsAre(-3, -3, -3));
  auto matmul = b;
  matmul.node("y", "aten.matmul.default", {{"self", ref("x")}, {"other", ref("w")}});
  EXPECT_THAT(values<float>(matmul.run({{1, -1}})), ElementsAre(-3, -3, -3));
}

TEST(linear, reads_core_aten_weights_behind_a_permutation) {
  SourceBuilder b;
  b.input("x", {1, 2}).constant("w", {3, 2}, {1, 2, 3, 4, 5, 6}).constant("b", {3}, {0, 0, 0});
  b.node("t", "aten.permute.default", {{"self", ref("w")}, {"dims", std::vector<std::int64_t>{1, 0}}});
  b.node("y", "aten.addmm.default", {{"self", ref("b")}, {"mat1", ref("x")}, {"mat2", ref("t")}});
  EXPECT_THAT(values<float>(b.run({{1, -1}})), ElementsAre(-1, -1, -1));
}

TEST(linear, refuses_weights_that_are_computed) {
  SourceBuilder b;
  b.input("x", {1, 2}).input("w", {3, 2});
  b.node("fc", "aten.linear.default", {{"input", ref("x")}, {"weight", ref("w")}});
  EXPECT_THAT(b.problem(), HasSubstr(": the weights are not constant / use parameters"));
}

TEST(linear, refuses_addmm_with_factors) {
  SourceBuilder b;
  b.input("x", {1, 2}).constant("w", {2, 1}, {1, 2}).constant("b", {1}, {0});
  b.node("y", "aten.addmm.default", {{"self", ref("b")}, {"mat1", ref("x")}, {"mat2", ref("w")}, {"beta", std::int64_t{2}}});
  EXPECT_THAT(b.problem(), HasSubstr("beta is 2 and alpha 1, expected 1"));
}

SourceBuilder dequantized_weights(std::int64_t scales, std::int64_t axis, std::int64_t zero_point = 0) {
  SourceBuilder b;
  b.input("x", {1, 4}).constant<std::int8_t>("w", {32, 4}, std::vector<std::int8_t>(128, 1), Element::I8);
  b.constant("scales", {scales}, std::vector<float>(static_cast<std::size_t>(scales), 0.5f));
  b.constant<std::int64_t>("zeros", {scales}, std::vector<std::int64_t>(static_cast<std::size_t>(scales), zero_point), Element::I64);
  b.node("dq", "quantized_decomposed.dequantize_per_channel.default",
         {{"input", ref("w")}, {"scales", ref("scales")}, {"zero_points", ref("zeros")}, {"axis", axis}, {"quant_min", std::int64_t{-127}}, {"quant_max", std::int64_t{127}}, {"dtype", Element::I8}});
  b.node("linear_3", "aten.linear.default", {{"input", ref("x")}, {"weight", ref("dq")}});
  return b;
}

TEST(linear, reads_weights_behind_a_dequantize) {
  const auto y = values<float>(dequantized_weights(32, 0).run({{1, 2, 3, 4}}));
  EXPECT_EQ(y, std::vector<float>(32, 5.0f));
}

TEST(linear, says_which_scales_are_wrong) {
  EXPECT_THAT(dequantized_weights(31, 0).problem(), HasSubstr("weight scale has 31 values, expected 32 / quantize weights with axis 0, one scale per output feature"));
  EXPECT_THAT(dequantized_weights(4, 1).problem(), HasSubstr("weight scales lie along axis 1, expected 0 / quantize weights with axis 0"));
  EXPECT_THAT(dequantized_weights(32, 0, 3).problem(), HasSubstr("weight zero point is 3, expected 0"));
}

// ---- integers -------------------------------------------------------------------------------------------------------

// The case of a peer that lost bias and zero point on two of three instruction sets.
TEST(quantized_linear, folds_the_zero_point_into_the_bias) {
  QuantizedNode n;
  const auto x = n.input({1, 4}, per_tensor(1, -128));
  const auto w = n.constant<std::int8_t>(Element::I8, {2, 4}, std::vector<std::int8_t>(8, 1), per_tensor(1, 0));
  const auto b = n.constant<std::int32_t>(Element::I32, {2}, {88, -112}, per_tensor(1, 0));
  const auto graph = n.lowered("linear", parameters(LinearParameters{}), {x, w, b}, per_tensor(8, 0));
  EXPECT_THAT(codes(graph, {{0, 0, 0, 0}}), ElementsAre(75, 50));
  EXPECT_EQ(graph->nodes[0].op->name(), "cortex_m.quantized_linear");
  EXPECT_EQ(graph->nodes[0].inputs.size(), 3u);
}

TEST(quantized_linear, clamps_at_the_codes_of_the_range) {
  QuantizedNode n;
  const auto x = n.input({3, 1}, per_tensor(0.1f, 0));
  const auto w = n.constant<std::int8_t>(Element::I8, {1, 1}, {1}, per_tensor(1, 0));
  const auto graph = n.lowered("linear", parameters(LinearParameters{{0, 6}}), {x, w, no_value}, per_tensor(0.1f, -40));
  EXPECT_THAT(codes(graph, {{-20, 40, 90}}), ElementsAre(-40, 0, 20));
}

/// y by its definition, one scale per output.
std::vector<std::int8_t> reference(const std::vector<std::int8_t>& x, const std::vector<std::int8_t>& w, const std::vector<std::int32_t>& bias,
                                   std::int32_t input_zero_point, const std::vector<double>& scales, std::int32_t output_zero_point) {
  const auto outputs = bias.size(), depth = w.size() / outputs;
  std::vector<std::int8_t> y;
  for (std::size_t row = 0; row < x.size() / depth; ++row)
    for (std::size_t o = 0; o < outputs; ++o) {
      std::int64_t sum = bias[o];
      for (std::size_t i = 0; i < depth; ++i) sum += std::int64_t{x[row * depth + i] - input_zero_point} * w[o * depth + i];
      y.push_back(saturated(ExactScale(scales[o])(sum) + output_zero_point));
    }
  return y;
}

TEST(quantized_linear, equals_the_definition_per_tensor_and_per_channel) {
  const auto x = random_codes(3 * 17, 1), w = random_codes(5 * 17, 2);
  const std::vector<std::int32_t> bias = {1000, -2000, 0, 77, 123456};
  for (const bool per_channel : {false, true}) {
    auto q = per_tensor(0.0123f, 0);
    if (per_channel) q = {{0.01f, 1e-5f, 0.5f, 0.031f, 0.002f}, {0, 0, 0, 0, 0}, 0};
    std::vector<double> scales;
    for (std::size_t c = 0; c < 5; ++c) scales.push_back(double{0.07f} * double{q.scale(c)} / double{0.9f});
    QuantizedNode n;
    const auto input = n.input({3, 17}, per_tensor(0.07f, 13));
    const auto weights = n.constant<std::int8_t>(Element::I8, {5, 17}, w, q);
    const auto biases = n.constant<std::int32_t>(Element::I32, {5}, bias, std::nullopt);
    const auto graph = n.lowered("linear", parameters(LinearParameters{}), {input, weights, biases}, per_tensor(0.9f, -7));
    EXPECT_EQ(codes(graph, {x}), reference(x, w, bias, 13, scales, -7));
    EXPECT_EQ(graph->nodes[0].op->name(), per_channel ? "cortex_m.quantized_linear_per_channel" : "cortex_m.quantized_linear");
  }
}

TEST(quantized_linear, asks_for_a_kernel_with_the_layer_s_own_numbers) {
  QuantizedNode n;
  const auto x = n.input({2, 3, 4}, per_tensor(1, 0));
  const auto w = n.constant<std::int8_t>(Element::I8, {5, 4}, std::vector<std::int8_t>(20, 1), per_tensor(1, 0));
  const auto graph = n.lowered("linear", parameters(LinearParameters{}), {x, w, no_value}, per_tensor(1, 0));
  ASSERT_TRUE(graph.ok());
  const auto layer = graph->nodes[0].op->emit(Call(*graph, graph->nodes[0]), Isa::Portable);
  ASSERT_TRUE(layer.ok());
  EXPECT_EQ(layer->macs, 6 * 4 * 5);
  EXPECT_EQ(layer->structs[0].fields[0].second, "6");
  EXPECT_EQ(layer->calls[0].kernel, "fully_connected");
}

}  // namespace
}  // namespace corten::test
