// SPDX-License-Identifier: Apache-2.0
// What a patch does to a graph: chains, order, names, and what nobody needs any more.
#include "compiler/ir/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/ops/clamp_range.h"
#include "compiler/ops/operator.h"
#include "compiler/ops/reshape.h"

namespace corten {
namespace {

using testing::ElementsAre;

// Values x a b c are 0 to 3.
Graph chain() {
  return *parse("graph g imported rounding double\ninput %x: f32[4]\n%a: f32[4] = clamp(%x) {low 0} as a\n%b: f32[4] = clamp(%a) {low 1} as b\n%c: f32[4] = clamp(%b) {low 2} as c\noutput %c\n", {}, "g.cir");
}

std::vector<std::string> node_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.push_back(node.name);
  return names;
}

std::string lines(const Graph& graph) {
  std::string text;
  for (const auto& node : graph.nodes) text += print_node(graph, node) + "\n";
  return text;
}

ValueId add_clamp(Patch& patch, ValueId from, const std::string& name) { return *patch.value(op("clamp"), parameters(ClampRange{7, 8}), {from}, name, {}); }

TEST(Patch, ShowsNothingBeforeApply) {
  auto graph = chain();
  const auto before = lines(graph);
  Patch patch(graph, "rule");
  EXPECT_TRUE(patch.empty());
  patch.replace(2, add_clamp(patch, 0, "new"));
  EXPECT_FALSE(patch.empty());
  EXPECT_EQ(lines(graph), before);
}

TEST(Patch, FollowsChainsOfReplacements) {
  auto graph = chain();
  Patch patch(graph, "rule");
  patch.replace(2, 1);
  patch.replace(1, 0);
  EXPECT_EQ(patch.now(2), 0);
  patch.apply();
  EXPECT_EQ(lines(graph), "%c: f32[4] = clamp(%x) {low 2, high inf} as c\n");
  EXPECT_TRUE(verify(graph).ok());
}

TEST(Patch, NodesAddedAfterAReplacementReadWhatIsNew) {
  auto graph = chain();
  Patch patch(graph, "rule");
  patch.replace(1, 0);
  const auto added = add_clamp(patch, 1, "added");
  EXPECT_EQ(graph.value(added).name, "added");
  patch.replace(3, added);
  patch.apply();
  EXPECT_EQ(lines(graph), "%added: f32[4] = clamp(%x) {low 7, high 8} as added\n");
}

TEST(Patch, NodesAddedBeforeAReplacementKeepReadingWhatWas) {
  auto graph = chain();
  Patch patch(graph, "rule");
  patch.at(2);
  const auto wrapped = add_clamp(patch, 2, "wrap");
  patch.replace(2, wrapped);
  patch.apply();
  EXPECT_THAT(node_names(graph), ElementsAre("a", "b", "wrap", "c"));
  EXPECT_EQ(print_node(graph, graph.nodes[2]), "%wrap: f32[4] = clamp(%b) {low 7, high 8} as wrap");
  EXPECT_EQ(print_node(graph, graph.nodes[3]), "%c: f32[4] = clamp(%wrap) {low 2, high inf} as c");
}

TEST(Patch, PutsNodesWhereTheirAnchorIs) {
  auto graph = chain();
  Patch patch(graph, "rule");
  patch.at(0);
  const auto early = add_clamp(patch, 0, "early");
  patch.at(2);
  const auto late = add_clamp(patch, 0, "late");
  const auto sum = *patch.value(op("add"), op("add").parse_parameters(*std::make_unique<FieldReader>(std::vector<std::pair<std::string, std::string>>{})), {early, late}, "sum", {});
  graph.outputs.push_back(sum);
  patch.apply();
  EXPECT_THAT(node_names(graph), ElementsAre("a", "early", "b", "c", "late", "sum"));
  EXPECT_TRUE(verify(graph).ok());
}

TEST(Patch, RestoresTheOrderOfExecution) {
  auto graph = chain();
  Patch patch(graph, "rule");  // added at the end, read by the first node
  patch.set_input(0, 0, add_clamp(patch, 0, "first"));
  patch.apply();
  EXPECT_THAT(node_names(graph), ElementsAre("first", "a", "b", "c"));
  EXPECT_TRUE(verify(graph).ok());
}

TEST(Patch, DropsWhatNoOutputNeedsAndKeepsInputs) {
  auto graph = chain();
  Patch patch(graph, "rule");
  const auto constant = patch.constant("k", Tensor(Element::F32, {4}));
  (void)patch.constant("unused", Tensor(Element::F32, {4}));
  patch.replace(3, constant);
  patch.apply();
  EXPECT_EQ(print(graph).text, "graph g imported rounding double\ninput %x: f32[4]\nconstant %k: f32[4] = [0, 0, 0, 0]\noutput %k\n");
}

TEST(Patch, MakesNamesUniqueAndIdentifiers) {
  auto graph = chain();
  Patch patch(graph, "rule");
  EXPECT_EQ(graph.value(patch.constant("a", Tensor(Element::F32, {}))).name, "a_1");
  EXPECT_EQ(graph.value(patch.constant("a", Tensor(Element::F32, {}))).name, "a_2");
  EXPECT_EQ(graph.value(patch.constant("1.w-ß", Tensor(Element::F32, {}))).name, "_1_w___");
  patch.at(2);
  patch.replace(2, add_clamp(patch, 2, "c"));
  patch.apply();
  EXPECT_THAT(node_names(graph), ElementsAre("a", "b", "c", "c_1"));
  EXPECT_EQ(unique_value_name(graph, "x"), "x_1");
  EXPECT_EQ(unique_node_name(graph, "c"), "c_2");
  EXPECT_EQ(unique_node_name(graph, "new"), "new");
}

TEST(Patch, ChangesParametersTypesAndEnds) {
  auto graph = chain();
  Patch patch(graph, "rule");
  patch.set_parameters(0, parameters(ClampRange{-1, 1}));
  patch.set_type(0, {Element::F32, {4}, {}});
  patch.set_graph_output(0, 1);
  patch.apply();
  EXPECT_EQ(lines(graph), "%a: f32[4] = clamp(%x) {low -1, high 1} as a\n");
}

TEST(Patch, RefusesWhatTheOperatorRefuses) {
  auto graph = chain();
  Patch patch(graph, "rule");
  const auto value = patch.value(op("reshape"), parameters(ReshapeParameters{{5}}), {0}, "r", {{"m.pt2", "view", "", "", ""}});
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.diagnostics().front().origin.node, "view");
  EXPECT_TRUE(patch.empty());
}

TEST(Patch, ReadersOfARemovedNodeDisappearWithIt) {
  auto graph = chain();
  graph.outputs = {1};
  remove_dead(graph);
  EXPECT_THAT(node_names(graph), ElementsAre("a"));
  EXPECT_EQ(graph.values.size(), 2u);
}

}  // namespace
}  // namespace corten
