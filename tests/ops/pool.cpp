// SPDX-License-Identifier: Apache-2.0
// Pooling against PyTorch's own results, and on codes against quotients by remainder.
#include <gmock/gmock.h>

#include "tests/ops/imported.h"

namespace corten::test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

struct Case {
  std::string target;
  Shape input;  // framework layout
  Arguments arguments;
  Shape output;  // NHWC
  std::vector<float> expected;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.target << " of " << to_string(test.input); }

class pool : public ::testing::TestWithParam<Case> {};

SourceBuilder builder(const std::string& target, const Shape& input, Arguments arguments) {
  arguments.insert(arguments.begin(), {"self", ref("x")});
  SourceBuilder b;
  b.input("x", input).node("y", target, std::move(arguments));
  return b;
}

TEST_P(pool, gives_what_torch_gives) {
  const auto& test = GetParam();
  const auto y = builder(test.target, test.input, test.arguments).run({ramp(static_cast<std::size_t>(element_count(test.input)))});
  EXPECT_EQ(y.shape, test.output);
  EXPECT_THAT(values<float>(y), Pointwise(FloatNear(1e-6f), test.expected));
}

const std::pair<std::string, SourceArgument> ceil_mode{"ceil_mode", true}, no_padding_counted{"count_include_pad", false};
std::pair<std::string, SourceArgument> with(const std::string& name, std::vector<std::int64_t> items) { return {name, std::move(items)}; }
const auto kernel3 = with("kernel_size", {3, 3}), kernel2 = with("kernel_size", {2, 2}), stride2 = with("stride", {2, 2}), padding1 = with("padding", {1, 1});

INSTANTIATE_TEST_SUITE_P(max, pool, ::testing::Values(
    Case{"aten.max_pool2d.default", {1, 2, 5, 6}, {kernel3, stride2, padding1}, {1, 3, 3, 2}, {-1.375f, 3.25f, 1.125f, 3.25f, 3.625f, 0.25f, 3.875f, 2.75f, 0.625f, 3.5f, 3.125f, -0.25f, 3.875f, 1.75f, -0.375f, 3.75f, 2.125f, 3.75f}},
    Case{"aten.max_pool2d_with_indices.default", {1, 1, 5, 6}, {kernel2, with("stride", {3, 3}), ceil_mode}, {1, 2, 2, 1}, {2, 3.625f, 1, 3.125f}},
    Case{"aten.max_pool2d.default", {1, 1, 6, 6}, {kernel3, stride2, padding1, ceil_mode}, {1, 4, 4, 1}, {2, 3.25f, 3.625f, 0.25f, 1.5f, 2.75f, 3.625f, 0.25f, 1, 2.25f, 3.5f, 3.5f, 0.125f, 1.375f, 2.625f, -0.75f}},
    Case{"aten.max_pool2d.default", {1, 1, 5, 4}, {kernel2, with("stride", {1, 1}), with("dilation", {2, 2})}, {1, 3, 2, 1}, {3.625f, 3.25f, 1.125f, 2.75f, 3.625f, 0.25f}},
    Case{"aten.max_pool1d.default", {1, 2, 7}, {with("kernel_size", {3}), with("stride", {2}), with("padding", {1})}, {1, 4, 2}, {-1.375f, 3.25f, 1.125f, 3.25f, 3.625f, 0.25f, 3.625f, 1.5f}},
    Case{"aten.adaptive_max_pool2d.default", {1, 1, 6, 6}, {with("output_size", {2, 3})}, {1, 2, 3, 1}, {2, 3.25f, 3.625f, 1, 2.25f, 3.5f}}));

INSTANTIATE_TEST_SUITE_P(avg, pool, ::testing::Values(
    Case{"aten.avg_pool2d.default", {1, 1, 5, 5}, {kernel3, stride2, padding1}, {1, 3, 3, 1}, {-0.333333343f, 0.569444418f, 0.5f, 0.402777791f, -0.458333343f, -0.125f, 0.277777791f, -0.291666657f, -0.666666687f}},
    Case{"aten.avg_pool2d.default", {1, 1, 5, 5}, {kernel3, stride2, padding1, no_padding_counted}, {1, 3, 3, 1}, {-0.75f, 0.854166687f, 1.125f, 0.604166687f, -0.458333343f, -0.1875f, 0.625f, -0.4375f, -1.5f}},
    Case{"aten.avg_pool2d.default", {1, 1, 5, 5}, {kernel2, with("stride", {}), ceil_mode}, {1, 3, 3, 1}, {-0.75f, 0.5f, -0.5625f, 1.5f, -1.25f, -2.3125f, 0.1875f, 1.4375f, -3.625f}},
    Case{"aten.avg_pool2d.default", {1, 1, 6, 6}, {kernel3, stride2, padding1, ceil_mode}, {1, 4, 4, 1}, {-0.194444448f, 0.333333343f, 0.277777791f, -0.541666687f, -0.541666687f, -0.0972222239f, 0.263888896f, -0.666666687f, -0.875f, -0.597222209f, 0.652777791f, 0.416666657f, -0.520833313f, -0.645833313f, -0.020833334f, -0.1875f}},
    Case{"aten.avg_pool2d.default", {1, 1, 6, 6}, {kernel3, stride2, padding1, ceil_mode, no_padding_counted}, {1, 4, 4, 1}, {-0.4375f, 0.5f, 0.416666657f, -1.625f, -0.8125f, -0.0972222239f, 0.263888896f, -1.33333337f, -1.3125f, -0.597222209f, 0.652777791f, 0.833333313f, -1.5625f, -1.29166663f, -0.0416666679f, -0.75f}},
    Case{"aten.avg_pool2d.default", {1, 1, 5, 5}, {kernel2, {"divisor_override", std::int64_t{3}}}, {1, 2, 2, 1}, {-1, 0.666666687f, 2, -1.66666663f}},
    Case{"aten.avg_pool1d.default", {1, 2, 7}, {with("kernel_size", {3}), with("stride", {2}), with("padding", {1})}, {1, 4, 2}, {-1.33333337f, 1.75f, -0.125f, -0.833333313f, 2.375f, -1, 0.166666672f, 0.583333313f}},
    Case{"aten.adaptive_avg_pool2d.default", {1, 1, 7, 7}, {with("output_size", {3, 3})}, {1, 3, 3, 1}, {-0.291666657f, 0.0694444403f, -0.458333343f, 0.458333343f, -0.958333313f, 0.291666657f, 0.319444448f, -0.208333328f, 1.04166663f}},
    Case{"aten._adaptive_avg_pool2d.default", {1, 1, 5, 4}, {with("output_size", {3, 2})}, {1, 3, 2, 1}, {-1.0625f, 0.1875f, -0.645833313f, 0.604166687f, -1.5625f, -0.3125f}},
    Case{"aten.adaptive_avg_pool2d.default", {1, 1, 5, 4}, {with("output_size", {3, 3})}, {1, 3, 3, 1}, {-1.0625f, -0.4375f, 0.1875f, -0.645833313f, -0.020833334f, 0.604166687f, -1.5625f, -0.9375f, -0.3125f}},
    Case{"aten.adaptive_avg_pool1d.default", {1, 1, 5}, {with("output_size", {2})}, {1, 2, 1}, {-0.666666687f, 0.583333313f}}));

TEST(max_pool2d, takes_the_largest_code_and_ignores_padding) {
  const auto graph = lowered(builder("aten.max_pool2d.default", {1, 1, 2, 2}, {kernel3, stride2, padding1}), per_tensor(0.1f, 20));
  EXPECT_THAT(codes(graph, {{-128, -100, -90, -128}}), ElementsAre(-90));
}

TEST(max_pool2d, pools_every_batch) {
  const auto graph = lowered(builder("aten.max_pool2d.default", {2, 1, 2, 2}, {kernel2}), per_tensor(0.1f, 0));
  EXPECT_THAT(codes(graph, {{1, 2, 3, 4, 8, 7, 6, 5}}), ElementsAre(4, 8));
}

TEST(max_pool2d, keeps_a_clamp_as_codes) {
  auto graph = builder("aten.max_pool2d.default", {1, 1, 1, 3}, {with("kernel_size", {1, 1})}).import();
  ASSERT_TRUE(graph.ok());
  auto& node = graph->nodes[0];
  node.parameters = node.op->with_clamp(Call(*graph, node), {0, 6});
  const auto q = per_tensor(0.1f, -40);
  EXPECT_THAT(codes(lowered(std::move(graph), q, q), {{-100, 0, 90}}), ElementsAre(-40, 0, 20));
}

TEST(max_pool2d, refuses_indices_that_are_read) {
  SourceGraph source{"net", {{"x", Element::F32, {1, 1, 4, 4}}}, {}, {}, {"y", "i"}, {}, {}};
  source.nodes.push_back({"aten.max_pool2d_with_indices.default", {{"self", ref("x")}, kernel2}, {"y", "i"}, {"net.pt2", "pool", "", "", ""}});
  const auto graph = import_graph(source);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.diagnostics()[0].message, "max_pool2d_with_indices: the indices of max pooling are used, expected only its maxima");
}

TEST(max_pool2d, refuses_adaptive_windows_of_different_sizes) {
  EXPECT_THAT(builder("aten.adaptive_max_pool2d.default", {1, 1, 5, 5}, {with("output_size", {3, 3})}).problem(), HasSubstr("from 5×5 to 3×3 has windows of different sizes"));
}

TEST(pool2d, refuses_images_without_a_batch_and_windows_that_do_not_fit) {
  EXPECT_THAT(builder("aten.max_pool2d.default", {1, 4, 4}, {kernel2}).problem(), HasSubstr("input of rank 3, expected 4 / give the input a batch dimension"));
  EXPECT_THAT(builder("aten.avg_pool2d.default", {1, 1, 2, 2}, {kernel3}).problem(), HasSubstr("kernel 3×3 is larger than the padded input [1, 2, 2, 1]"));
  EXPECT_THAT(builder("aten.avg_pool2d.default", {1, 1, 4, 4}, {kernel2, with("padding", {2, 2})}).problem(), HasSubstr("padding [2, 2, 2, 2], expected at most half of the kernel 2×2"));
}

TEST(avg_pool2d, rounds_halves_away_from_code_zero) {
  const auto graph = lowered(builder("aten.avg_pool2d.default", {1, 1, 1, 12}, {with("kernel_size", {1, 2})}), per_tensor(0.1f, 7));
  EXPECT_THAT(codes(graph, {{-5, 0, -3, 0, -1, 0, 1, 0, 3, 0, 5, 0}}), ElementsAre(-3, -2, -1, 1, 2, 3));
}

TEST(avg_pool2d, counts_padding_as_the_zero_point) {
  const auto x = random_codes(25, 7);
  for (bool counted : {false, true}) {
    const auto graph = lowered(builder("aten.avg_pool2d.default", {1, 1, 5, 5}, {kernel3, stride2, padding1, {"count_include_pad", counted}}), per_tensor(0.1f, 33));
    const auto y = codes(graph, {x});
    ASSERT_EQ(y.size(), 9u);
    for (int oy = 0; oy < 3; ++oy)
      for (int ox = 0; ox < 3; ++ox) {
        int sum = 0, taps = 0;
        for (int iy = 2 * oy - 1; iy < 2 * oy + 2; ++iy)
          for (int ix = 2 * ox - 1; ix < 2 * ox + 2; ++ix)
            if (iy >= 0 && iy < 5 && ix >= 0 && ix < 5) sum += x[static_cast<std::size_t>(iy * 5 + ix)], ++taps;
        const auto expected = counted ? 33 + half_away(sum - 33 * taps, 9) : half_away(sum, taps);
        EXPECT_EQ(y[static_cast<std::size_t>(oy * 3 + ox)], expected) << oy << ", " << ox << (counted ? " with padding" : "");
      }
  }
}

TEST(avg_pool2d, divides_the_centered_sum_by_a_given_divisor) {
  const auto graph = lowered(builder("aten.avg_pool2d.default", {1, 1, 2, 2}, {kernel2, {"divisor_override", std::int64_t{3}}}), per_tensor(0.1f, 10));
  EXPECT_THAT(codes(graph, {{20, 21, 22, 23}}), ElementsAre(25));  // 10 + 46 / 3
}

TEST(adaptive_avg_pool2d, averages_codes_of_uneven_windows) {
  const auto graph = lowered(builder("aten.adaptive_avg_pool2d.default", {1, 1, 1, 5}, {with("output_size", {1, 3})}), per_tensor(0.1f, 10));
  EXPECT_EQ(graph->nodes[0].op->name(), "cortex_m.quantized_adaptive_avg_pool2d");
  EXPECT_THAT(codes(graph, {{1, 2, -7, 2, -1}}), ElementsAre(2, -1, 1));  // 3/2, −3/3, 1/2
}

TEST(adaptive_avg_pool2d, becomes_a_strided_average_where_windows_are_alike) {
  const auto graph = builder("aten.adaptive_avg_pool2d.default", {1, 1, 7, 8}, {with("output_size", {3, 1})}).import();
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->nodes[0].op->name(), "avg_pool2d");
  EXPECT_THAT(graph->nodes[0].parameters->print(), HasSubstr("kernel [3, 8], stride [2, 8]"));
}

TEST(avg_pool2d, emits_its_window) {
  const auto layer = layer_of(lowered(builder("aten.avg_pool2d.default", {1, 1, 5, 5}, {kernel3, stride2, padding1}), per_tensor(0.1f, 33)));
  EXPECT_EQ(layer.header, "avg_pool2d.h");
  EXPECT_EQ(field_of(layer, "count_include_padding"), "1");
  EXPECT_EQ(field_of(layer, "padding_value"), "33");
}

}  // namespace
}  // namespace corten::test
