// SPDX-License-Identifier: Apache-2.0
// Observers against hand-worked ranges, and a few histograms whose scale bits PyTorch 2.13 and torchao 0.18 gave.
// The wide comparison with torchao is tests/python/test_observers.py.
#include "compiler/quantize/observer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace corten {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
using Batches = std::vector<std::vector<float>>;

Quantization chosen_by(Observer& observer, const Batches& batches) {
  for (const auto& batch : batches) observer.observe(batch);
  return observer.quantization().value();
}

Quantization histogram_of(const Batches& batches) {
  HistogramObserver observer{Grid{}};
  return chosen_by(observer, batches);
}

/// count numbers whose cube roots are evenly spread over [−scale, scale): many small ones, few large ones.
std::vector<float> cubes(int count, float scale) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    const float t = (static_cast<float>(i) - static_cast<float>(count / 2)) / static_cast<float>(count / 2);
    values.push_back(t * t * t * scale);
  }
  return values;
}

void expect_bits(const Quantization& found, std::uint32_t scale_bits, std::int32_t zero_point) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(found.scale()), scale_bits) << found.scale();
  EXPECT_EQ(found.zero_point(), zero_point);
}

TEST(ChooseQuantization, Affine) {
  EXPECT_EQ(choose_quantization(0, 255, Grid{}), per_tensor(1, -128));
  EXPECT_EQ(choose_quantization(-128, 127, Grid{}), per_tensor(1, 0));
  EXPECT_EQ(choose_quantization(-255, 0, Grid{}), per_tensor(1, 127));
  EXPECT_EQ(choose_quantization(100, 510, Grid{}), per_tensor(2, -128)) << "the range must hold 0";
  EXPECT_EQ(choose_quantization(-510, -100, Grid{}), per_tensor(2, 127));
  EXPECT_EQ(choose_quantization(-127, 127, {.low = -127}), per_tensor(1, 0, -127, 127));
}

TEST(ChooseQuantization, ZeroPointRoundsHalvesToEven) {
  EXPECT_EQ(choose_quantization(-2.5f, 252.5f, Grid{}).zero_point(), -128 + 2);
  EXPECT_EQ(choose_quantization(-3.5f, 251.5f, Grid{}).zero_point(), -128 + 4);
}

TEST(ChooseQuantization, Symmetric) {
  EXPECT_EQ(choose_quantization(-12.75f, 3, {.symmetry = Symmetry::Symmetric}), per_tensor(12.75f / 127.5f, 0));
  EXPECT_EQ(choose_quantization(-3, 12.7f, {.symmetry = Symmetry::Symmetric, .low = -127}),
            per_tensor(12.7f / 127, 0, -127, 127));
}

TEST(ChooseQuantization, SmallestScale) {
  EXPECT_EQ(choose_quantization(0, 0, Grid{}), per_tensor(default_smallest_scale, -128));
  EXPECT_EQ(choose_quantization(0, 0, {.symmetry = Symmetry::Symmetric}), per_tensor(default_smallest_scale, 0));
  EXPECT_EQ(choose_quantization(0, 1e-6f, {.smallest_scale = 0.25f}), per_tensor(0.25f, -128));
}

TEST(ChooseQuantization, NothingSeen) { EXPECT_EQ(choose_quantization(infinity, -infinity, Grid{}), per_tensor(1, 0)); }

TEST(MinMaxObserver, KeepsTheWidestRange) {
  MinMaxObserver observer{Grid{}};
  EXPECT_EQ(chosen_by(observer, {{1, 2, 3}, {}, {-100, 5}, {155}}), per_tensor(1, -28));
}

TEST(MinMaxObserver, SeesEveryLane) {
  for (std::size_t count : {1u, 15u, 16u, 17u, 100u})
    for (std::size_t place = 0; place < count; ++place) {
      std::vector<float> values(count, 1.0f);
      values[place] = 255;
      MinMaxObserver observer{Grid{}};
      EXPECT_EQ(chosen_by(observer, {values}), per_tensor(1, -128));
    }
}

TEST(MinMaxObserver, RefusesWhatIsNoRange) {
  MinMaxObserver nan{Grid{}};
  nan.observe(std::vector<float>{1, NAN, 2, NAN});
  EXPECT_EQ(nan.quantization().diagnostics()[0].message, "2 observed value(s) are not a number");
  MinMaxObserver infinite{Grid{}};
  infinite.observe(std::vector<float>{1, -infinity});
  EXPECT_EQ(infinite.quantization().diagnostics()[0].message, "observed range [-inf, 1] is too wide for float32");
  MinMaxObserver wide{Grid{}};
  wide.observe(std::vector<float>{-3e38f, 3e38f});
  EXPECT_FALSE(wide.quantization());
}

TEST(PerChannelMinMaxObserver, OneScalePerIndexOfTheAxis) {
  // [2][3][2]: the middle axis holds channels with largest magnitudes 127, 254 and 0.
  const std::vector<float> values{-127, 1, 2, 254, 0, 0, 5, 6, 7, 8, 0, 0};
  PerChannelMinMaxObserver observer({2, 3, 2}, 1, {.symmetry = Symmetry::Symmetric, .low = -127});
  const Quantization expected{{1, 2, default_smallest_scale}, {0, 0, 0}, 1, -127, 127};
  EXPECT_EQ(chosen_by(observer, {values}), expected);
}

TEST(PerChannelMinMaxObserver, OutermostAndInnermostAxis) {
  const std::vector<float> values{127, -1, 2, 254};
  PerChannelMinMaxObserver rows({2, 2}, 0, {.symmetry = Symmetry::Symmetric, .low = -127});
  EXPECT_EQ(chosen_by(rows, {values}).scales, (std::vector<float>{1, 2}));
  PerChannelMinMaxObserver columns({2, 2}, 1, {.symmetry = Symmetry::Symmetric, .low = -127});
  EXPECT_EQ(chosen_by(columns, {values}).scales, (std::vector<float>{1, 2}));
}

TEST(HistogramObserver, ScalesOfPyTorch) {
  expect_bits(histogram_of({cubes(1000, 1)}), 0x3c000dff, 0);
  expect_bits(histogram_of({cubes(4096, 1), {50}}), 0x3e4cb333, -123);
  expect_bits(histogram_of({std::vector<float>(10, 2.5f), {-1}}), 0x3c60c4c5, -55);
}

TEST(HistogramObserver, GrowsOverManyBatches) {
  Batches batches;
  for (int k = 1; k <= 12; ++k) batches.push_back(cubes(1000, static_cast<float>(k)));
  expect_bits(histogram_of(batches), 0x3dc014fe, 0);
  batches.clear();
  for (const float k : {1.0f, 3.0f, 2.0f, 9.0f}) {
    batches.push_back(cubes(3000, k));
    for (float& x : batches.back()) x = std::max(x, 0.0f);
  }
  expect_bits(histogram_of(batches), 0x3d0f5c26, -128);
}

TEST(HistogramObserver, DegenerateRanges) {
  EXPECT_EQ(histogram_of({}), per_tensor(1, 0));
  EXPECT_EQ(histogram_of({{}}), per_tensor(1, 0));
  EXPECT_EQ(histogram_of({{0, 0, 0}}), per_tensor(default_smallest_scale, -128));
  EXPECT_EQ(histogram_of({{255, 255}}), per_tensor(1, -128));
  EXPECT_EQ(histogram_of({{-255}}), per_tensor(1, 127));
}

TEST(HistogramObserver, DropsInfinitiesOnly) {
  EXPECT_EQ(histogram_of({cubes(100, 3), {infinity, -infinity}}), histogram_of({cubes(100, 3)}));
  EXPECT_EQ(histogram_of({{infinity, 255, -infinity}}), per_tensor(1, -128));
  HistogramObserver nan{Grid{}};
  nan.observe(std::vector<float>{1, NAN});
  EXPECT_FALSE(nan.quantization());
  HistogramObserver wide{Grid{}};
  for (const float x : {-3e38f, 3e38f, 1.0f}) wide.observe(std::vector<float>{x});
  EXPECT_FALSE(wide.quantization());
}

TEST(HistogramObserver, ExtremeButFiniteRanges) {
  for (const auto& batch : {std::vector<float>{0, 1e37f}, std::vector<float>{-1e38f, 1e38f}, std::vector<float>{0, 1e-44f}}) {
    const Quantization found = histogram_of({batch});
    EXPECT_TRUE(std::isfinite(found.scale()));
    EXPECT_GT(found.scale(), 0);
  }
}

TEST(MakeObserver, ByKind) {
  const auto minmax = make_observer(ObserverKind::MinMax, Grid{});
  const auto histogram = make_observer(ObserverKind::Histogram, Grid{});
  const Batches batches{cubes(4096, 1), {50}};
  EXPECT_EQ(chosen_by(*minmax, batches), choose_quantization(-1, 50, Grid{}));
  EXPECT_EQ(chosen_by(*histogram, batches), histogram_of(batches));
}

}  // namespace
}  // namespace corten
