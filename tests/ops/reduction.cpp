// SPDX-License-Identifier: Apache-2.0
// Mean and sum against PyTorch, and on codes against the rational value.
#include <gmock/gmock.h>

#include "corten/rt/mean.h"
#include "tests/ops/imported.h"

namespace corten::test {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

SourceBuilder reduction(const std::string& target, const Shape& shape, Arguments arguments) {
  arguments.insert(arguments.begin(), {"self", ref("x")});
  SourceBuilder b;
  b.input("x", shape).node("y", target, std::move(arguments));
  return b;
}

TEST(mean, reduces_height_and_width_of_an_image) {
  const auto y = reduction("aten.mean.dim", {2, 2, 3, 2}, {{"dim", list({2, 3})}}).run({ramp(24)});
  EXPECT_EQ(y.shape, (Shape{2, 2}));
  EXPECT_THAT(values<float>(y), Pointwise(FloatNear(1e-6f), std::vector<float>{0.5f, -0.208333328f, 0, -0.708333313f}));
}

TEST(mean, reduces_channels) {
  const auto y = reduction("aten.mean.dim", {2, 2, 3, 2}, {{"dim", list({1})}}).run({ramp(24)});
  EXPECT_EQ(y.shape, (Shape{2, 3, 2}));
  EXPECT_THAT(values<float>(y), Pointwise(FloatNear(1e-6f), std::vector<float>{-0.3125f, 0.9375f, -1.8125f, -0.5625f, 0.6875f, 1.9375f, -0.8125f, 0.4375f, -2.3125f, -1.0625f, 0.1875f, 1.4375f}));
}

TEST(mean, reduces_everything) {
  for (const auto& builder : {reduction("aten.mean.default", {2, 2, 3, 2}, {}), reduction("aten.mean.dim", {2, 2, 3, 2}, {{"dim", list({})}})}) {
    const auto y = builder.run({ramp(24)});
    EXPECT_EQ(y.shape, Shape{});
    EXPECT_THAT(values<float>(y), Pointwise(FloatNear(1e-6f), std::vector<float>{-0.104166664f}));
  }
}

TEST(mean, leaves_the_remaining_axes_in_the_framework_order) {
  // Over height, [N, C, H, W] leaves [N, C, W], which lies as [N, W, C] and goes out transposed.
  const auto y = reduction("aten.mean.dim", {1, 2, 1, 3}, {{"dim", list({2})}, {"keepdim", true}}).run({{1, 2, 3, 4, 5, 6}});
  EXPECT_EQ(y.shape, (Shape{1, 1, 3, 2}));
  EXPECT_THAT(values<float>(y), Pointwise(FloatNear(0), std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(sum, keeps_reduced_axes_on_request) {
  const auto y = reduction("aten.sum.dim_IntList", {2, 2, 3, 2}, {{"dim", list({-1})}, {"keepdim", true}}).run({ramp(24)});
  EXPECT_EQ(y.shape, (Shape{2, 3, 1, 2}));
  EXPECT_THAT(values<float>(y), Pointwise(FloatNear(1e-6f), std::vector<float>{-4, 5.25f, 1, -5.75f, 6, -0.75f, -5, 4.25f, 0, -6.75f, 5, -1.75f}));
}

TEST(mean, requantizes_the_centered_sum) {
  const auto x = random_codes(60, 3);
  const float in = 0.05f, out = 0.03f;
  for (bool sum : {false, true}) {
    const auto builder = reduction(sum ? "aten.sum.dim_IntList" : "aten.mean.dim", {2, 5, 2, 3}, {{"dim", list({2, 3})}});
    const auto graph = lowered(builder.import(), per_tensor(in, -17), per_tensor(out, 9));
    const auto y = codes(graph, {x});
    ASSERT_EQ(y.size(), 10u);
    const ExactScale scale(double{in} / (double{out} * (sum ? 1 : 6)));
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t c = 0; c < 5; ++c) {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < 6; ++i) total += x[(n * 6 + i) * 5 + c] + 17;
        EXPECT_EQ(y[n * 5 + c], saturated(scale(total) + 9)) << (sum ? "sum" : "mean");
      }
  }
}

/// "{1, 2}" into an array.
void fill(std::int32_t (&items)[6], const std::string& text) {
  std::size_t at = 1;
  for (auto& item : items) {
    std::size_t length = 0;
    item = std::stoi(text.substr(at), &length);
    at += length + 2;
  }
}

TEST(mean, tells_the_kernel_to_do_the_same) {
  for (const auto& dims : {list({0}), list({1}), list({2, 3}), list({1, 3}), list({0, 1, 2, 3}), list({2})}) {
    const auto x = random_codes(2 * 3 * 4 * 5, 5);
    const auto graph = lowered(reduction("aten.mean.dim", {2, 3, 4, 5}, {{"dim", dims}, {"keepdim", true}}).import(), per_tensor(0.05f, -17), per_tensor(0.02f, 9));
    const auto y = codes(graph, {x});
    const auto layer = layer_of(graph);
    const auto at = [&](std::string_view name) { return std::stoi(field_of(layer, name)); };
    rt::Mean mean{at("kept_rank"), {}, {}, at("reduced_rank"), {}, {}, at("count"), at("input_zero_point"), at("output_zero_point"), at("multiplier"), at("shift"), at("low"), at("high")};
    fill(mean.kept_shape, field_of(layer, "kept_shape")), fill(mean.kept_stride, field_of(layer, "kept_stride"));
    fill(mean.reduced_shape, field_of(layer, "reduced_shape")), fill(mean.reduced_stride, field_of(layer, "reduced_stride"));
    std::vector<std::int8_t> kernel(y.size());
    rt::mean<rt::Rounding::Double>(mean, x.data(), kernel.data());
    // keepdim outputs lie as NHWC at the door, as the kernel writes them.
    EXPECT_EQ(kernel, y) << ::testing::PrintToString(dims);
  }
}

TEST(sum, refuses_sums_that_leave_32_bits) {
  const auto graph = lowered(reduction("aten.sum.default", {1, 1000}, {}).import(), per_tensor(1.0f, 0), per_tensor(1e-5f, 0));
  EXPECT_THAT(graph.diagnostics().at(0).message, HasSubstr("the sum of 1000 elements"));
}

TEST(mean, refuses_another_type) {
  EXPECT_THAT(reduction("aten.mean.dim", {1, 3}, {{"dim", list({1})}, {"dtype", Element::I64}}).problem(), HasSubstr("dtype is i64, expected f32"));
}

}  // namespace
}  // namespace corten::test
