// SPDX-License-Identifier: Apache-2.0
// Batch norm in inference, and as the depthwise convolution it becomes on its own.
#include "compiler/ops/batch_norm.h"

#include <gmock/gmock.h>

#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// (x − 1) / √(3.75 + 0.25) · 4 + 10 = 2x + 8 and (x − (−2)) / √(0.75 + 0.25) · −1 + 0 = −x − 2.
SourceBuilder net(Shape input, const std::string& target, Arguments more) {
  SourceBuilder b;
  b.input("x", std::move(input)).constant("gamma", {2}, {4, -1}).constant("beta", {2}, {10, 0});
  b.constant("mean", {2}, {1, -2}).constant("variance", {2}, {3.75f, 0.75f});
  Arguments arguments = {{"input", ref("x")}, {"weight", ref("gamma")}, {"bias", ref("beta")}, {"running_mean", ref("mean")}, {"running_var", ref("variance")}, {"momentum", 0.1}, {"eps", 0.25}};
  arguments.insert(arguments.end(), more.begin(), more.end());
  b.node("y", target, arguments);
  return b;
}

TEST(batch_norm, normalizes_the_channels_of_any_rank) {
  EXPECT_THAT(values<float>(net({1, 2, 1, 2}, "aten.batch_norm.default", {{"training", false}}).run({{1, 2, 3, 4}})), ElementsAre(10, -4, 14, -6));
  EXPECT_THAT(values<float>(net({2, 2}, "aten._native_batch_norm_legit_no_training.default", {}).run({{1, 2, 3, 4}})), ElementsAre(10, -4, 14, -6));
}

TEST(batch_norm, refuses_training) {
  EXPECT_THAT(net({1, 2, 1, 2}, "aten.batch_norm.default", {{"training", true}}).problem(), HasSubstr(": batch norm is in training mode / call model.eval()"));
}

TEST(batch_norm, becomes_a_depthwise_convolution_on_its_own) {
  for (const auto& shape : {Shape{2, 2}, Shape{1, 2, 2}, Shape{1, 2, 1, 2}}) {
    auto graph = net(shape, "aten.batch_norm.default", {{"training", false}}).import();
    ASSERT_TRUE(graph.ok());
    std::size_t norm = 0;
    while (graph->nodes[norm].op->name() != "batch_norm") ++norm;
    const auto node = graph->nodes[norm];
    const auto& type = graph->type(graph->inputs[0]);
    const auto input = Tensor::of<float>(Element::F32, type.shape, {1, 2, 3, 4});
    const auto before = interpret(*graph, {input});
    Patch patch(*graph, "expand");
    ASSERT_TRUE(expand_batch_norm(Call(*graph, node), patch.at(static_cast<int>(norm))).ok());
    patch.apply();
    for (const auto& left : graph->nodes) EXPECT_NE(left.op->name(), "batch_norm");
    EXPECT_EQ(interpret(*graph, {input})->front(), before->front());
  }
}

}  // namespace
}  // namespace corten::test
