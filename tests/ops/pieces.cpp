// SPDX-License-Identifier: Apache-2.0
// Concatenation, slices and padding: what goes where.
#include <gmock/gmock.h>

#include "tests/ops/imported.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t constexpr largest = std::numeric_limits<std::int64_t>::max();

SourceBuilder two(const std::string& target, const Shape& a, const Shape& b, std::int64_t dim) {
  SourceBuilder builder;
  builder.input("a", a).input("b", b).node("y", target, {{"tensors", std::vector<SourceRef>{ref("a"), ref("b")}}, {"dim", dim}});
  return builder;
}

SourceBuilder one(const std::string& target, const Shape& shape, Arguments arguments) {
  arguments.insert(arguments.begin(), {"self", ref("x")});
  SourceBuilder builder;
  builder.input("x", shape).node("y", target, std::move(arguments));
  return builder;
}

/// A node with several results.
Result<Graph> parts(const std::string& target, const Shape& shape, Arguments arguments, std::vector<std::string> results, std::vector<std::string> outputs) {
  arguments.insert(arguments.begin(), {"self", ref("x")});
  SourceGraph source{"net", {{"x", Element::F32, shape}}, {}, {}, std::move(outputs), {}, {}};
  source.nodes.push_back({target, std::move(arguments), std::move(results), {"net.pt2", "part", "", "", ""}});
  return import_graph(source);
}

std::vector<std::vector<float>> run_parts(const Result<Graph>& graph, const std::vector<float>& x) {
  std::vector<std::vector<float>> result;
  if (!graph) {
    ADD_FAILURE() << graph.diagnostics()[0].message;
    return result;
  }
  const auto outputs = interpret(*graph, {Tensor::of<float>(Element::F32, graph->type(graph->inputs[0]).shape, x)});
  for (const auto& output : *outputs) result.push_back(values<float>(output));
  return result;
}

TEST(cat, joins_channels_where_they_lie) {
  const auto y = two("aten.cat.default", {1, 1, 1, 2}, {1, 2, 1, 2}, 1).run({{1, 2}, {3, 4, 5, 6}});
  EXPECT_EQ(y.shape, (Shape{1, 1, 2, 3}));
  EXPECT_THAT(values<float>(y), ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST(cat, moves_codes) {
  const auto graph = lowered(two("aten.cat.default", {2, 1}, {2, 2}, -1), per_tensor(0.1f, 3));
  EXPECT_THAT(codes(graph, {{1, 2}, {3, 4, 5, 6}}), ElementsAre(1, 3, 4, 2, 5, 6));
  const auto layer = layer_of(graph);
  ASSERT_EQ(layer.calls.size(), 2u);
  EXPECT_THAT(layer.calls[0].arguments, ElementsAre("block0", "input0", "output0"));
  EXPECT_THAT(layer.calls[1].arguments, ElementsAre("block1", "input1", "output0 + 1"));
  EXPECT_EQ(layer.structs[1].fields[3].second, "{3, 1, 0, 0, 0, 0}");
}

TEST(cat, takes_constants) {
  SourceBuilder builder;
  builder.input("x", {1, 2}).constant("c", {1, 1}, {0.5f}).node("y", "aten.cat.default", {{"tensors", std::vector<SourceRef>{ref("c"), ref("x")}}, {"dim", std::int64_t{1}}});
  EXPECT_THAT(values<float>(builder.run({{1, 2}})), ElementsAre(0.5f, 1, 2));
  const auto graph = lowered(builder, per_tensor(0.1f, 3));
  EXPECT_THAT(codes(graph, {{1, 2}}), ElementsAre(8, 1, 2));
  EXPECT_EQ(layer_of(graph).arrays.at(0).name, "operand0");
}

TEST(cat, stacks_along_a_new_axis) {
  EXPECT_THAT(values<float>(two("aten.stack.default", {2, 2}, {2, 2}, 1).run({{1, 2, 3, 4}, {5, 6, 7, 8}})), ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
  EXPECT_THAT(values<float>(two("aten.stack.default", {2, 2}, {2, 2}, -1).run({{1, 2, 3, 4}, {5, 6, 7, 8}})), ElementsAre(1, 5, 2, 6, 3, 7, 4, 8));
}

TEST(cat, refuses_shapes_that_do_not_fit) {
  EXPECT_THAT(two("aten.cat.default", {2, 1}, {3, 2}, 1).problem(), HasSubstr("input 1 is [3, 2], expected [2, 1] but for axis 1"));
  EXPECT_THAT(two("aten.cat.default", {2, 1}, {2, 2}, 5).problem(), HasSubstr("dim 5 of tensors of rank 2"));
}

TEST(slice, takes_a_range) {
  const auto range = [](std::int64_t start, std::int64_t end, std::int64_t step) {
    return values<float>(one("aten.slice.Tensor", {1, 6}, {{"dim", std::int64_t{1}}, {"start", start}, {"end", end}, {"step", step}}).run({{0, 1, 2, 3, 4, 5}}));
  };
  EXPECT_THAT(range(1, 3, 1), ElementsAre(1, 2));
  EXPECT_THAT(range(2, largest, 1), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(range(-2, largest, 1), ElementsAre(4, 5));
  EXPECT_THAT(range(-100, -3, 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(range(1, largest, 2), ElementsAre(1, 3, 5));
  EXPECT_THAT(range(0, largest, 4), ElementsAre(0, 4));
}

TEST(slice, of_everything_is_no_node) {
  const auto graph = one("aten.slice.Tensor", {1, 6}, {{"dim", std::int64_t{1}}, {"start", std::int64_t{0}}, {"end", largest}}).import();
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(graph->nodes.empty());
}

TEST(slice, takes_channels_of_an_image) {
  const auto y = one("aten.narrow.default", {1, 3, 1, 2}, {{"dim", std::int64_t{1}}, {"start", std::int64_t{1}}, {"length", std::int64_t{2}}}).run({{0, 1, 2, 3, 4, 5}});
  EXPECT_THAT(values<float>(y), ElementsAre(1, 2, 4, 5));
}

TEST(slice, selects_and_drops_the_axis) {
  const auto y = one("aten.select.int", {2, 3}, {{"dim", std::int64_t{-1}}, {"index", std::int64_t{-1}}}).run({{0, 1, 2, 3, 4, 5}});
  EXPECT_EQ(y.shape, Shape{2});
  EXPECT_THAT(values<float>(y), ElementsAre(2, 5));
}

TEST(slice, selects_a_row_of_an_image) {
  // [N, C, H, W] without H is [N, C, W]; it lies as [N, W, C] and leaves as the framework has it or as a sequence.
  const auto y = one("aten.select.int", {1, 2, 2, 2}, {{"dim", std::int64_t{2}}, {"index", std::int64_t{1}}}).run({{0, 1, 2, 3, 4, 5, 6, 7}});
  EXPECT_EQ(element_count(y.shape), 4);
  EXPECT_THAT(values<float>(y), ElementsAre(4, 5, 6, 7));
}

TEST(slice, splits) {
  const std::vector<float> x{0, 1, 2, 3, 4};
  const auto dim = std::pair<std::string, SourceArgument>{"dim", std::int64_t{1}};
  using Lists = std::vector<std::vector<float>>;
  EXPECT_EQ(run_parts(parts("aten.split.Tensor", {1, 5}, {{"split_size", std::int64_t{2}}, dim}, {"a", "b", "c"}, {"a", "b", "c"}), x), (Lists{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(run_parts(parts("aten.split_with_sizes.default", {1, 5}, {{"split_sizes", list({1, 4})}, dim}, {"a", "b"}, {"b", "a"}), x), (Lists{{1, 2, 3, 4}, {0}}));
  EXPECT_EQ(run_parts(parts("aten.chunk.default", {1, 5}, {{"chunks", std::int64_t{2}}, dim}, {"a", "b"}, {"a", "b"}), x), (Lists{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(run_parts(parts("aten.unbind.int", {1, 5}, {dim}, {"", "b", "", "", "e"}, {"b", "e"}), x), (Lists{{1}, {4}}));
}

TEST(slice, scatters_by_joining) {
  SourceBuilder builder;
  builder.input("x", {1, 5}).input("s", {1, 2});
  builder.node("y", "aten.slice_scatter.default", {{"self", ref("x")}, {"src", ref("s")}, {"dim", std::int64_t{1}}, {"start", std::int64_t{1}}, {"end", std::int64_t{3}}});
  EXPECT_THAT(values<float>(builder.run({{0, 1, 2, 3, 4}, {8, 9}})), ElementsAre(0, 8, 9, 3, 4));
  SourceBuilder last;
  last.input("x", {2, 2}).input("s", {2});
  last.node("y", "aten.select_scatter.default", {{"self", ref("x")}, {"src", ref("s")}, {"dim", std::int64_t{1}}, {"index", std::int64_t{-1}}});
  EXPECT_THAT(values<float>(last.run({{0, 1, 2, 3}, {8, 9}})), ElementsAre(0, 8, 2, 9));
}

TEST(slice, moves_codes_with_strides) {
  const auto graph = lowered(one("aten.slice.Tensor", {2, 5, 1}, {{"dim", std::int64_t{1}}, {"start", std::int64_t{1}}, {"step", std::int64_t{3}}}), per_tensor(0.1f, 3));
  EXPECT_THAT(codes(graph, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}), ElementsAre(1, 4, 6, 9));
  const auto layer = layer_of(graph);
  EXPECT_THAT(layer.calls[0].arguments, ElementsAre("block", "input0 + 1", "output0"));
  EXPECT_EQ(field_of(layer, "shape"), "{2, 2, 1, 0, 0, 0}");
  EXPECT_EQ(field_of(layer, "input_stride"), "{5, 3, 1, 0, 0, 0}");
}

TEST(slice, refuses_empty_ranges_and_backward_steps) {
  EXPECT_THAT(one("aten.slice.Tensor", {1, 6}, {{"dim", std::int64_t{1}}, {"start", std::int64_t{4}}, {"end", std::int64_t{2}}}).problem(), HasSubstr("slice 4:2 of 6 elements is empty"));
  EXPECT_THAT(one("aten.slice.Tensor", {1, 6}, {{"dim", std::int64_t{1}}, {"step", std::int64_t{-1}}}).problem(), HasSubstr("step is -1, expected 1 or more"));
  EXPECT_THAT(one("aten.select.int", {1, 6}, {{"dim", std::int64_t{1}}, {"index", std::int64_t{6}}}).problem(), HasSubstr("index 6 of 6 elements"));
}

TEST(pad, reads_pairs_from_the_last_dim) {
  const auto y = one("aten.constant_pad_nd.default", {1, 1, 1, 2}, {{"pad", list({1, 0, 0, 1})}, {"value", 9.0}}).run({{1, 2}});
  EXPECT_EQ(y.shape, (Shape{1, 2, 3, 1}));
  EXPECT_THAT(values<float>(y), ElementsAre(9, 1, 2, 9, 9, 9));
}

TEST(pad, pads_any_rank) {
  EXPECT_THAT(values<float>(one("aten.pad.default", {2}, {{"pad", list({1, 2})}}).run({{1, 2}})), ElementsAre(0, 1, 2, 0, 0));
  EXPECT_EQ(one("aten.pad.default", {1, 1, 1, 1, 2}, {{"pad", list({0, 1})}}).run({{1, 2}}).shape, (Shape{1, 1, 1, 1, 3}));
}

TEST(pad, crops_by_negative_numbers) {
  EXPECT_THAT(values<float>(one("aten.constant_pad_nd.default", {1, 4}, {{"pad", list({-1, 1})}}).run({{1, 2, 3, 4}})), ElementsAre(2, 3, 4, 0));
}

TEST(pad, fills_with_the_code_of_the_value) {
  const auto filled = [](double value) {
    return codes(lowered(one("aten.constant_pad_nd.default", {1, 1}, {{"pad", list({1, 0})}, {"value", value}}), per_tensor(0.5f, -7)), {{5}});
  };
  EXPECT_THAT(filled(0), ElementsAre(-7, 5));
  EXPECT_THAT(filled(1.25), ElementsAre(-5, 5));  // 2.5 to even
  EXPECT_THAT(filled(-std::numeric_limits<double>::infinity()), ElementsAre(-128, 5));
}

TEST(pad, refuses_other_modes_by_name) {
  EXPECT_THAT(one("aten.pad.default", {1, 4}, {{"pad", list({1, 1})}, {"mode", std::string("reflect")}}).problem(), HasSubstr("padding mode is reflect, expected constant"));
  EXPECT_THAT(one("aten.replication_pad1d.default", {1, 1, 4}, {{"padding", list({1, 1})}}).problem(), HasSubstr("padding by aten.replication_pad1d.default is not supported"));
}

}  // namespace
}  // namespace corten::test
