// SPDX-License-Identifier: Apache-2.0
// Each rule of the verifier broken once: the message says what was found.
#include "compiler/ir/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "compiler/ir/text.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

constexpr std::string_view valid =
    "graph g folded rounding double\n"
    "input %x: i8[1, 2] quantized(scale 0.5, zero_point 1)\n"
    "constant %w: i8[2, 2] quantized(axis 0, scales [0.25, 0.125], zero_points [0, 0]) = [1, 2, 3, 4]\n"
    "%y: i8[1, 2] quantized(scale 0.5, zero_point 0) = linear(%x, %w, _) as y at {node \"linear\"}\n"
    "%z: i8[2] quantized(scale 0.5, zero_point 0) = reshape(%y) {shape [2]} as z\n"
    "output %z\n";

/// x, w, y, z are values 0 to 3; y and z are nodes 0 and 1.
Graph valid_graph() { return *parse(valid, {}, "g.cir"); }

struct Broken {
  const char* name;
  std::function<void(Graph&)> change;
  const char* message;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenGraph : public testing::TestWithParam<Broken> {};

TEST(Verify, AcceptsTheGraphThatTheOthersBreak) { EXPECT_TRUE(verify(valid_graph()).ok()); }

TEST_P(BrokenGraph, IsRefused) {
  auto graph = valid_graph();
  GetParam().change(graph);
  const auto status = verify(graph);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.diagnostics().front().message, GetParam().message);
}

Quantization& grid(Graph& graph, ValueId id) { return *graph.value(id).type.quantization; }

INSTANTIATE_TEST_SUITE_P(
    Verify, BrokenGraph,
    testing::Values(
        Broken{"name_taken", [](Graph& g) { g.value(3).name = "y"; }, "two values are called %y"},
        Broken{"constant_of_another_shape", [](Graph& g) { g.value(1).constant = std::make_shared<const Tensor>(Element::I8, Shape{4}); }, "constant %w differs from its type"},
        Broken{"constant_of_another_element", [](Graph& g) { g.value(1).constant = std::make_shared<const Tensor>(Element::U8, Shape{2, 2}); }, "constant %w differs from its type"},
        Broken{"scale_count", [](Graph& g) { grid(g, 1).scales.push_back(1); }, "%w has 3 scales, expected 2"},
        Broken{"zero_point_count", [](Graph& g) { grid(g, 1).zero_points.pop_back(); }, "%w has 2 scales, expected 2"},
        Broken{"axis_outside", [](Graph& g) { grid(g, 1).axis = 2; }, "%w has 2 scales, expected 1"},
        Broken{"scale_zero", [](Graph& g) { grid(g, 0).scales = {0}; }, "%x has scale 0, expected a positive number"},
        Broken{"scale_negative", [](Graph& g) { grid(g, 0).scales = {-0.5f}; }, "%x has scale -0.5, expected a positive number"},
        Broken{"scale_not_finite", [](Graph& g) { grid(g, 0).scales = {std::numeric_limits<float>::infinity()}; }, "%x has scale inf, expected a positive number"},
        Broken{"scale_nan", [](Graph& g) { grid(g, 0).scales = {std::numeric_limits<float>::quiet_NaN()}; }, "%x has scale nan, expected a positive number"},
        Broken{"order", [](Graph& g) { std::swap(g.nodes[0], g.nodes[1]); }, "z reads %y before it is made"},
        Broken{"output_never_made", [](Graph& g) { g.nodes.pop_back(); }, "output %z is never made"},
        Broken{"output_shape", [](Graph& g) { g.value(2).type.shape = {2, 1}; }, "y is i8[2, 1] quantized(scale 0.5, zero_point 0), expected i8[1, 2]"},
        Broken{"output_element", [](Graph& g) { g.value(2).type = {Element::F32, {1, 2}, {}}; }, "y is f32[1, 2], expected i8[1, 2]"},
        Broken{"output_count", [](Graph& g) { g.nodes[0].outputs.push_back(3); }, "y has 2 outputs, linear makes 1"},
        Broken{"operator_refuses", [](Graph& g) { g.value(0).type.shape = {1, 3}; }, "linear: input [1, 3] doesn't end in the 2 input features of weights [2, 2]"},
        Broken{"codes_and_floats", [](Graph& g) { g.value(1) = {"w", {Element::F32, {2, 2}, {}}, std::make_shared<const Tensor>(Element::F32, Shape{2, 2})}; }, "y reads both codes and floats"},
        Broken{"not_lowered", [](Graph& g) { g.stage = Stage::Integer; }, "y still has to be lowered"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Verify, NamesTheOriginOfTheNode) {
  auto graph = valid_graph();
  graph.value(2).type.shape = {2, 1};
  EXPECT_EQ(verify(graph).diagnostics().front().origin.node, "linear");
}

TEST(Verify, StopsCollectingAtTheLimit) {
  auto graph = valid_graph();
  for (int i = 0; i < 50; ++i) graph.values.push_back({"x", {Element::F32, {1}, {}}});
  EXPECT_EQ(verify(graph).diagnostics().size(), max_diagnostics);
}

TEST(Verify, FloatNodesMayStayAtTheIntegerStage) {
  const auto graph = parse("graph g integer rounding double\ninput %x: f32[2]\n%y: f32[2] = clamp(%x) {low 0} as y\noutput %y\n", {}, "g.cir");
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(verify(*graph).ok());
}

/// Graph text with one node of `op` that reads `inputs`.
std::string one_node(std::string_view op, const std::string& inputs) {
  return fmt::format("graph g imported rounding double\ninput %x: f32[1, 2]\n%y: f32[1, 2] = {}({}) as n\noutput %y\n", op, inputs);
}

TEST(Verify, NoOperatorReadsAnInputThatIsNotThere) {
  for (const auto* op : operators()) {
    const bool has_inputs = !op->inputs().empty();
    for (const std::string inputs : {"", "_", "%x, %x, %x, %x, %x, %x, %x"}) {
      const auto graph = parse(one_node(op->name(), inputs), {}, "g.cir");
      ASSERT_TRUE(graph.ok()) << op->name();
      const auto status = verify(*graph);
      const bool any_number = op->inputs().find("…") != std::string_view::npos;
      if (has_inputs && !(any_number && inputs.size() > 1)) {
        ASSERT_FALSE(status.ok()) << op->name() << "(" << inputs << ")";
        EXPECT_THAT(status.diagnostics().front().message, testing::HasSubstr("expected (" + std::string(op->inputs()) + ")"));
      }
    }
  }
}

TEST(Verify, NamesAreIdentifiersAndUnique) {
  const std::string text = "graph g imported rounding double\ninput %x: f32[2]\n%y: f32[2] = clamp(%x) as a.b\n%z: f32[2] = clamp(%y) as a.b\noutput %z\n";
  const auto graph = parse(text, {}, "g.cir");
  ASSERT_TRUE(graph.ok());
  const auto status = verify(*graph);
  ASSERT_EQ(status.diagnostics().size(), 3u);
  EXPECT_EQ(status.diagnostics()[0].message, "layer name a.b is no identifier");
  EXPECT_EQ(status.diagnostics()[2].message, "two layers are called a.b");
}

}  // namespace
}  // namespace corten
