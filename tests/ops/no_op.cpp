// SPDX-License-Identifier: Apache-2.0
// Nodes that leave no trace: no-ops and written-out constants.
#include <gmock/gmock.h>

#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(no_op, adds_no_node) {
  SourceBuilder b;
  b.input("x", {2});
  b.node("a", "aten.clone.default", {{"self", ref("x")}});
  b.node("b", "aten.dropout.default", {{"input", ref("a")}, {"p", 0.5}, {"train", false}});
  b.node("c", "aten.to.dtype", {{"self", ref("b")}, {"dtype", Element::F32}});
  b.node("d", "aten.expand.default", {{"self", ref("c")}, {"size", std::vector<std::int64_t>{-1}}});
  const auto graph = b.import();
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(graph->nodes.empty());
  EXPECT_EQ(graph->outputs, graph->inputs);
}

TEST(no_op, refuses_training) {
  SourceBuilder b;
  b.input("x", {2}).node("y", "aten.dropout.default", {{"input", ref("x")}, {"p", 0.5}, {"train", true}});
  EXPECT_THAT(b.problem(), HasSubstr(": dropout is in training mode / call model.eval()"));
}

TEST(no_op, refuses_conversions) {
  SourceBuilder b;
  b.input("x", {2}).node("y", "aten.to.dtype", {{"self", ref("x")}, {"dtype", Element::I64}});
  EXPECT_THAT(b.problem(), HasSubstr("conversion from f32 to i64 is not supported"));
}

TEST(expand, repeats_constants) {
  SourceBuilder b;
  b.input("x", {2, 3}).constant("c", {2, 1}, {1, 2});
  b.node("e", "aten.expand.default", {{"self", ref("c")}, {"size", std::vector<std::int64_t>{2, 3}}});
  b.node("y", "aten.add.Tensor", {{"self", ref("x")}, {"other", ref("e")}});
  EXPECT_THAT(values<float>(b.run({{0, 0, 0, 0, 0, 0}})), ElementsAre(1, 1, 1, 2, 2, 2));
  SourceBuilder computed;
  computed.input("x", {2, 1}).node("y", "aten.expand.default", {{"self", ref("x")}, {"size", std::vector<std::int64_t>{2, 3}}});
  EXPECT_THAT(computed.problem(), HasSubstr("expanding [2, 1] to [2, 3] repeats values that are not constant"));
}

TEST(constant, stands_for_full_zeros_ones_and_scalars) {
  SourceBuilder b;
  b.input("x", {2});
  b.node("a", "aten.full.default", {{"size", std::vector<std::int64_t>{2}}, {"fill_value", 2.5}});
  b.node("b", "aten.scalar_tensor.default", {{"s", std::int64_t{3}}, {"dtype", Element::F32}});
  b.node("c", "aten.ones.default", {{"size", std::vector<std::int64_t>{1}}});
  b.node("p", "aten.mul.Tensor", {{"self", ref("x")}, {"other", ref("a")}});
  b.node("q", "aten.add.Tensor", {{"self", ref("p")}, {"other", ref("b")}});
  b.node("y", "aten.sub.Tensor", {{"self", ref("q")}, {"other", ref("c")}});
  EXPECT_THAT(values<float>(b.run({{2, 4}})), ElementsAre(7, 12));
}

}  // namespace
}  // namespace corten::test
