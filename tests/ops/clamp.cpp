// SPDX-License-Identifier: Apache-2.0
// Ranges from every spelling, and what they are in codes.
#include <gmock/gmock.h>

#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> clamped(const std::string& target, Arguments arguments = {}) {
  SourceBuilder b;
  arguments.insert(arguments.begin(), {"self", ref("x")});
  b.input("x", {5}).constant("two", {}, {2}).node("y", target, std::move(arguments));
  return values<float>(b.run({{-9, -0.5f, 0.5f, 3, 9}}));
}

TEST(clamp, has_the_range_of_its_spelling) {
  EXPECT_THAT(clamped("aten.relu.default"), ElementsAre(0, 0, 0.5f, 3, 9));
  EXPECT_THAT(clamped("aten.relu6.default"), ElementsAre(0, 0, 0.5f, 3, 6));
  EXPECT_THAT(clamped("aten.hardtanh.default"), ElementsAre(-1, -0.5f, 0.5f, 1, 1));
  EXPECT_THAT(clamped("aten.hardtanh.default", {{"min_val", std::int64_t{0}}, {"max_val", 2.5}}), ElementsAre(0, 0, 0.5f, 2.5f, 2.5f));
  EXPECT_THAT(clamped("aten.clamp.default", {{"min", -1.5}}), ElementsAre(-1.5f, -0.5f, 0.5f, 3, 9));
  EXPECT_THAT(clamped("aten.clamp.default", {{"min", std::monostate{}}, {"max", std::int64_t{1}}}), ElementsAre(-9, -0.5f, 0.5f, 1, 1));
  EXPECT_THAT(clamped("aten.clamp_min.default", {{"min", 1.0}}), ElementsAre(1, 1, 1, 3, 9));
  EXPECT_THAT(clamped("aten.clamp_max.default", {{"max", 1.0}}), ElementsAre(-9, -0.5f, 0.5f, 1, 1));
  EXPECT_THAT(clamped("aten.clamp.Tensor", {{"max", ref("two")}}), ElementsAre(-9, -0.5f, 0.5f, 2, 2));
}

TEST(clamp, refuses_bounds_that_are_computed) {
  SourceBuilder b;
  b.input("x", {2}).input("low", {2}).node("y", "aten.clamp.Tensor", {{"self", ref("x")}, {"min", ref("low")}});
  EXPECT_THAT(b.problem(), HasSubstr(": the bounds are not constant numbers / use torch.maximum"));
}

TEST(quantized_clamp, keeps_codes_between_those_of_the_bounds) {
  const auto q = per_tensor(0.1f, -40);
  QuantizedNode n;
  const auto graph = n.lowered("clamp", parameters(ClampRange{0, 6}), {n.input({4}, q)}, q);
  EXPECT_THAT(codes(graph, {{-128, -40, 0, 127}}), ElementsAre(-40, -40, 0, 20));
}

// Other quantizers leave relu between two grids: (q + 128) · 2, clamped from zero's code.
TEST(quantized_clamp, changes_grid_where_its_ends_differ) {
  QuantizedNode n;
  const auto graph = n.lowered("clamp", parameters(ClampRange{.low = 0}), {n.input({4}, per_tensor(0.1f, 0))}, per_tensor(0.05f, -128));
  EXPECT_THAT(codes(graph, {{-50, 0, 10, 127}}), ElementsAre(-128, -128, -108, 126));
}

TEST(requantize, moves_codes_to_another_grid) {
  QuantizedNode n;
  const auto graph = n.lowered("requantize", parameters(NoParameters{}), {n.input({5}, per_tensor(0.25f, 10))}, per_tensor(1, 3));
  EXPECT_THAT(codes(graph, {{10, 14, 12, 8, -128}}), ElementsAre(3, 4, 4, 2, -32));  // halves away from zero
}

}  // namespace
}  // namespace corten::test
