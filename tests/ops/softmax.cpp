// SPDX-License-Identifier: Apache-2.0
// Softmax against PyTorch, against exact real softmax, and against codes of a second, separately written fixed point.
#include <gmock/gmock.h>

#include "corten/rt/softmax.h"
#include "tests/ops/imported.h"

namespace corten::test {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

SourceBuilder softmax(const Shape& shape, std::int64_t dim, const std::string& target = "aten.softmax.int") {
  SourceBuilder b;
  b.input("x", shape).node("y", target, {{"self", ref("x")}, {"dim", dim}});
  return b;
}

Result<Graph> lowered_softmax(const Shape& shape, std::int64_t dim, float scale) {
  return lowered(softmax(shape, dim).import(), per_tensor(scale, 11), per_tensor(1.0f / 256, -128));
}

TEST(softmax, gives_what_torch_gives) {
  EXPECT_THAT(values<float>(softmax({2, 3}, -1, "aten._softmax.default").run({ramp(6)})),
              Pointwise(FloatNear(1e-6f), std::vector<float>{0.00939027872f, 0.957834482f, 0.032775294f, 0.965820611f, 0.0330485627f, 0.0011308596f}));
}

TEST(softmax, follows_channels_to_where_they_lie) {
  const auto y = values<float>(softmax({1, 2, 1, 2}, 1).run({{1, 2, 4, 4}}));  // NHWC: channels are neighbors
  EXPECT_THAT(y, Pointwise(FloatNear(1e-6f), std::vector<float>{0.26894143f, 0.7310586f, 0.5f, 0.5f}));
}

struct Row {
  float scale;
  std::vector<std::int8_t> x, y;
};

TEST(softmax, gives_the_codes_of_the_fixed_point_format) {
  const Row rows[] = {{0.1f, {60, 94, -127, -76, 12, 94, -58, -114, 4, -93}, {-124, -2, -128, -128, -128, -2, -128, -128, -128, -128}},
                      {0.02f, {60, 117, 48, -67, -73, 30, 52, 120, -122, -78}, {-102, -47, -108, -126, -126, -114, -106, -42, -127, -126}},
                      {0.05f, {60, -116, -33, -57, 98, -35, -93, 99, 8, -63, 40, -54}, {-111, -128, -128, -128, -15, -128, -128, -9, -127, -128, -122, -128}},
                      {1.5f, {60, -92, -114}, {127, -128, -128}},
                      {0.0078125f, {60, -69, 62, -38, -73}, {-48, -99, -47, -91, -100}},
                      {20.0f, {61, 24, -5, 0}, {127, -128, -128, -128}}};
  for (const auto& row : rows)
    EXPECT_EQ(codes(lowered_softmax({1, static_cast<std::int64_t>(row.x.size())}, -1, row.scale), {row.x}), row.y) << row.scale;
}

TEST(softmax, has_known_parameters) {
  const auto layer = layer_of(lowered_softmax({3, 10}, 1, 0.1f));
  EXPECT_EQ(field_of(layer, "multiplier"), "1717986944");
  EXPECT_EQ(field_of(layer, "shift"), "23");
  EXPECT_EQ(field_of(layer, "diff_min"), "-248");
  EXPECT_EQ(field_of(layer, "outer"), "3");
}

std::int64_t field(const Layer& layer, std::string_view name) { return std::stoll(field_of(layer, name)); }

/// Rows along the middle axis, so that they interleave; also what the runtime's kernel gives for them.
TEST(softmax, stays_within_one_code_of_the_exact_value) {
  for (float scale : {0.003f, 0.02f, 0.1f, 0.4f, 3.0f, 17.0f}) {
    const auto x = random_codes(2 * 9 * 3, static_cast<std::uint32_t>(scale * 1000));
    const auto graph = lowered_softmax({2, 9, 3}, 1, scale);
    const auto y = codes(graph, {x});
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t k = 0; k < 3; ++k) {
        double sum = 0;
        int peak = -128;
        for (std::size_t i = 0; i < 9; ++i) peak = std::max(peak, int{x[(o * 9 + i) * 3 + k]});
        for (std::size_t i = 0; i < 9; ++i) sum += std::exp(double{scale} * (x[(o * 9 + i) * 3 + k] - peak));
        for (std::size_t i = 0; i < 9; ++i) {
          const auto exact = std::exp(double{scale} * (x[(o * 9 + i) * 3 + k] - peak)) / sum * 256 - 128;
          EXPECT_NEAR(y[(o * 9 + i) * 3 + k], std::min(exact, 127.0), 1.0) << "scale " << scale;
        }
      }
    const auto layer = layer_of(graph);
    const auto at = [&](std::string_view name) { return static_cast<std::int32_t>(field(layer, name)); };
    std::vector<std::int8_t> kernel(x.size());
    rt::softmax({at("outer"), at("depth"), at("inner"), at("multiplier"), at("shift"), at("diff_min")}, x.data(), kernel.data());
    EXPECT_EQ(kernel, y) << "scale " << scale;
  }
}

TEST(softmax, spreads_evenly_over_the_longest_row) {
  const auto y = codes(lowered_softmax({1, 1023}, 1, 0.1f), {std::vector<std::int8_t>(1023, 5)});
  EXPECT_EQ(y, std::vector<std::int8_t>(1023, -128));  // 256/1023 rounds to 0
}

TEST(softmax, refuses_what_it_can_not_do) {
  EXPECT_THAT(lowered_softmax({1, 1024}, 1, 0.1f).diagnostics().at(0).message, HasSubstr("axis has 1024 elements, expected at most 1023"));
  EXPECT_THAT(lowered(softmax({1, 3}, 1), per_tensor(0.1f, 0)).diagnostics().at(0).message, HasSubstr("expected 1/256 and -128"));
  EXPECT_THAT(softmax({1, 3}, 2).problem(), HasSubstr("dim 2 of an input of rank 2"));
}

}  // namespace
}  // namespace corten::test
