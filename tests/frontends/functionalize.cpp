// SPDX-License-Identifier: Apache-2.0
// In-place operators become functional. Expected graphs are worked out by hand from PyTorch's aliasing rules.
#include "compiler/frontends/functionalize.h"

#include <gtest/gtest.h>

#include "compiler/frontends/views.h"
#include "tests/frontends/pt2_builder.h"

namespace corten {
namespace {

using namespace test;

Pt2Builder on_linear(const std::vector<std::int64_t>& shape) {
  return Pt2Builder().input("x", shape).node("aten.exp.default", {tensor("self", "x")}, "y", shape);
}

TEST(Functionalize, ExampleOfTheHeader) {
  const auto graph = on_linear({2, 4})
                         .node("aten.relu_.default", {tensor("self", "y")}, "relu_", {2, 4})
                         .node("aten.view.default", {tensor("self", "relu_"), integers("size", {8})}, "view", {8})
                         .node("aten.mul_.Tensor", {tensor("self", "view"), integer("other", 2)}, "mul_", {8})
                         .node("aten.add.Tensor", {tensor("self", "relu_"), tensor("other", "relu_")}, "add", {2, 4})
                         .output("add")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "relu_ = relu.default(self=y)\n"
            "view = view.default(self=relu_, size=[8])\n"
            "mul_ = mul.Tensor(self=view, other=2)\n"
            "y_v2 = view.default(self=mul_, size=[2, 4])\n"
            "add = add.Tensor(self=y_v2, other=y_v2)\n"
            "return add\n");
}

TEST(Functionalize, BaseChangeReachesViews) {
  const auto graph = on_linear({2, 3, 4})
                         .node("aten.permute.default", {tensor("self", "y"), integers("dims", {2, 0, 1})}, "p", {4, 2, 3})
                         .node("aten.add_.Tensor", {tensor("self", "y"), integer("other", 1)}, "add_", {2, 3, 4})
                         .output("p")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "add_ = add.Tensor(self=y, other=1)\n"
            "p_v2 = permute.default(self=add_, dims=[2, 0, 1])\n"
            "return p_v2\n");
}

TEST(Functionalize, ViewChangeIsPermutedBack) {
  const auto graph = on_linear({2, 3, 4})
                         .node("aten.permute.default", {tensor("self", "y"), integers("dims", {2, 0, -2})}, "p", {4, 2, 3})
                         .node("aten.add_.Tensor", {tensor("self", "p"), integer("other", 1)}, "add_", {4, 2, 3})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "p = permute.default(self=y, dims=[2, 0, -2])\n"
            "add_ = add.Tensor(self=p, other=1)\n"
            "y_v2 = permute.default(self=add_, dims=[1, 2, 0])\n"
            "return y_v2\n");
}

TEST(Functionalize, PartsAreScattered) {
  const auto graph = on_linear({4, 4})
                         .node("aten.slice.Tensor", {tensor("self", "y"), integer("dim", 1), integer("start", 1), integer("end", 3)}, "s", {4, 2})
                         .node("aten.fill_.Scalar", {tensor("self", "s"), integer("value", 2)}, "f", {4, 2})
                         .node("aten.select.int", {tensor("self", "y"), integer("dim", 0), integer("index", 0)}, "e", {4})
                         .node("aten.zero_.default", {tensor("self", "e")}, "z", {4})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "s = slice.Tensor(self=y, dim=1, start=1, end=3)\n"
            "f = full_like.default(self=s, fill_value=2)\n"
            "y_v2 = slice_scatter.default(self=y, src=f, dim=1, start=1, end=3)\n"
            "e = select.int(self=y_v2, dim=0, index=0)\n"
            "z = zeros_like.default(self=e)\n"
            "y_v3 = select_scatter.default(self=y_v2, src=z, dim=0, index=0)\n"
            "return y_v3\n");
}

TEST(Functionalize, SplitPiecesKnowTheirPlace) {
  const auto graph = on_linear({2, 5})
                         .value("a", {2, 2})
                         .value("b", {2, 2})
                         .value("c", {2, 1})
                         .raw_node("aten.split.Tensor", {tensor("self", "y"), integer("split_size", 2), integer("dim", 1)},
                                   {R"({"as_tensors":[{"name":"a"},{"name":"b"},{"name":"c"}]})"})
                         .node("aten.neg_.default", {tensor("self", "b")}, "n", {2, 2})
                         .output("y")
                         .output("a")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            ", b,  = split.Tensor(self=y, split_size=2, dim=1)\n"
            "n = neg.default(self=b)\n"
            "y_v2 = slice_scatter.default(self=y, src=n, dim=1, start=2, end=4)\n"
            "a_v2, ,  = split.Tensor(self=y_v2, split_size=2, dim=1)\n"
            "return y_v2, a_v2\n");
}

TEST(Functionalize, CopyTakesShapeAndElement) {
  const auto graph = on_linear({2, 4})
                         .node("aten.arange.default", {integer("end", 4)}, "r", {4}, 5)
                         .node("aten.copy_.default", {tensor("self", "y"), tensor("src", "r")}, "c", {2, 4})
                         .node("aten.add.Tensor", {tensor("self", "c"), tensor("other", "y")}, "add", {2, 4})
                         .output("add")
                         .read();
  EXPECT_EQ(print(graph),
            "r = arange.default(end=4)\n"
            "y_v2 = expand.default(self=r, size=[2, 4])\n"
            "y_v3 = _to_copy.default(self=y_v2, dtype=f32)\n"
            "add = add.Tensor(self=y_v3, other=y_v3)\n"
            "return add\n");
}

// dropout in eval mode hands back its argument itself.
TEST(Functionalize, IdleDropoutIsAnAlias) {
  const auto graph = on_linear({4})
                         .node("aten.dropout.default", {tensor("input", "y"), argument("p", R"({"as_float":0.5})"), truth("train", false)}, "d", {4})
                         .node("aten.relu_.default", {tensor("self", "d")}, "r", {4})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "d = dropout.default(input=y, p=0.5f, train=false)\n"
            "r = relu.default(self=d)\n"
            "return r\n");
}

// A reshape of transposed data copies, so a change of it stays with it.
TEST(Functionalize, ReshapeThatCopiesIsNoAlias) {
  const auto graph = on_linear({2, 3})
                         .strided_value("t", {3, 2}, {1, 3})
                         .raw_node("aten.t.default", {tensor("self", "y")}, {Pt2Builder::reference("t")})
                         .node("aten.reshape.default", {tensor("self", "t"), integers("shape", {6})}, "r", {6})
                         .node("aten.relu_.default", {tensor("self", "r")}, "relu_", {6})
                         .output("y")
                         .output("r")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "t = t.default(self=y)\n"
            "r = reshape.default(self=t, shape=[6])\n"
            "relu_ = relu.default(self=r)\n"
            "return y, relu_\n");
}

TEST(Functionalize, ComparisonKeepsItsElement) {
  const auto graph = on_linear({4}).node("aten.gt_.Scalar", {tensor("self", "y"), integer("other", 0)}, "g", {4}).output("g").read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "y_v2 = gt.Scalar(self=y, other=0)\n"
            "g = _to_copy.default(self=y_v2, dtype=f32)\n"
            "return g\n");
}

TEST(Functionalize, SqueezeInPlaceRebindsTheName) {
  const auto graph = on_linear({1, 4})
                         .node("aten.squeeze_.dim", {tensor("self", "y"), integer("dim", 0)}, "s", {4})
                         .node("aten.relu_.default", {tensor("self", "y")}, "r", {4})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph),
            "y = exp.default(self=x)\n"
            "s = squeeze.dim(self=y, dim=0)\n"
            "r = relu.default(self=s)\n"
            "return r\n");
}

TEST(Functionalize, OverwrittenValuesDisappear) {
  const auto graph = on_linear({4}).node("aten.fill_.Scalar", {tensor("self", "y"), integer("value", 3)}, "f", {4}).output("x").read();
  EXPECT_EQ(print(graph), "return x\n");
}

TEST(Functionalize, ChangedInputWarns) {
  const auto graph = Pt2Builder().input("x", {4}).node("aten.relu_.default", {tensor("self", "x")}, "r", {4}).output("x").read();
  EXPECT_EQ(print(graph), "r = relu.default(self=x)\nreturn r\n");
  ASSERT_EQ(graph->warnings.size(), 1u);
  EXPECT_EQ(graph->warnings[0].message, "input 'x' is changed in place; the change isn't handed back");
}

TEST(Functionalize, RefusesStateButNotTheBatchCounter) {
  const std::string four(4, '\0');
  const auto counted = on_linear({4})
                           .buffer("b_n", "bn.num_batches_tracked", {}, std::string(8, '\0'), true, 5)
                           .node("aten.add_.Tensor", {tensor("self", "b_n"), integer("other", 1)}, "n", {}, 5)
                           .output("y")
                           .read();
  EXPECT_EQ(print(counted), "y = exp.default(self=x)\nreturn y\n");
  const auto stateful = on_linear({1})
                            .buffer("b_h", "hidden", {1}, four)
                            .node("aten.copy_.default", {tensor("self", "b_h"), tensor("src", "y")}, "c", {1})
                            .output("y")
                            .read();
  EXPECT_EQ(print(stateful), "error: model keeps memory between calls: buffer 'hidden' is changed at c\n");
  const auto through_view = on_linear({1})
                                .buffer("b_h", "hidden", {2}, four + four)
                                .node("aten.slice.Tensor", {tensor("self", "b_h"), integer("dim", 0), integer("start", 0), integer("end", 1)}, "s", {1})
                                .node("aten.copy_.default", {tensor("self", "s"), tensor("src", "y")}, "c", {1})
                                .output("y")
                                .read();
  EXPECT_EQ(print(through_view), "error: model keeps memory between calls: buffer 'hidden' is changed at c\n");
}

TEST(Functionalize, RefusesWhatCannotBeUndone) {
  const auto graph = on_linear({3, 3})
                         .node("aten.diagonal.default", {tensor("self", "y")}, "d", {3})
                         .node("aten.add_.Tensor", {tensor("self", "d"), integer("other", 1)}, "a", {3})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph), "error: changes 'y' in place through aten.diagonal.default, which can't be undone at a\n");
  const auto resized = on_linear({4}).node("aten.resize_.default", {tensor("self", "y"), integers("size", {2})}, "r", {2}).output("r").read();
  EXPECT_EQ(print(resized), "error: 'aten.resize_.default' changes its arguments in a way Corten doesn't support at r\n");
}

TEST(Functionalize, RefusesUnboundedViewChains) {
  auto builder = on_linear({4});
  std::string last = "y";
  for (int i = 0; i < 100; ++i) {
    const auto next = fmt::format("v{}", i);
    builder.node("aten.view.default", {tensor("self", last), integers("size", {4})}, next, {4});
    last = next;
  }
  const auto graph = builder.node("aten.relu_.default", {tensor("self", last)}, "r", {4}).output("y").read();
  EXPECT_EQ(print(graph), "error: found a chain of views too long to follow at r\n");
}

// PyTorch's own rule, on cases worked out with torch.Tensor.view.
TEST(Views, CanViewFollowsPyTorch) {
  using pt2::can_view;
  EXPECT_TRUE(can_view({2, 3, 4}, {12, 4, 1}, {24}));
  EXPECT_TRUE(can_view({2, 3, 4}, {12, 4, 1}, {2, 12}));
  EXPECT_FALSE(can_view({2, 4, 3}, {12, 1, 4}, {2, 12}));
  EXPECT_TRUE(can_view({2, 4, 3}, {12, 1, 4}, {2, 2, 2, 3}));
  EXPECT_TRUE(can_view({2, 1, 3}, {3, 77, 1}, {6}));
  EXPECT_TRUE(can_view({4}, {0}, {2, 2}));
  EXPECT_FALSE(can_view({2, 4}, {0, 1}, {8}));
  EXPECT_TRUE(can_view({0, 3}, {3, 1}, {0}));
  EXPECT_TRUE(can_view({}, {}, {1, 1}));
}

}  // namespace
}  // namespace corten
