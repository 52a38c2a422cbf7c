// SPDX-License-Identifier: Apache-2.0
// Softmax against real arithmetic, and the layouts it runs on.
#include "corten/rt/softmax.h"

#include <cmath>

#include "guarded.h"

namespace corten::rt::test {
namespace {

using Codes = std::vector<std::int8_t>;

/// beta · scale · 2^26 as the multiplier and shift of a Softmax.
Softmax with_scale(double scale, std::int32_t outer, std::int32_t depth, std::int32_t inner) {
  int exponent = 0;
  const double fraction = std::frexp(std::min(scale * std::ldexp(1.0, 26), 2147483647.0), &exponent);
  auto multiplier = std::llround(std::ldexp(fraction, 31));
  if (multiplier == std::int64_t{1} << 31) multiplier /= 2, ++exponent;
  return {outer, depth, inner, static_cast<std::int32_t>(multiplier), exponent, -static_cast<std::int32_t>(std::floor(std::ldexp(31.0, 26 - exponent)))};
}

Codes run(const Softmax& softmax, const Codes& values) {
  Guarded<std::int8_t> input(values.size(), 1), output(values.size());
  std::copy(values.begin(), values.end(), input.data());
  corten::rt::softmax(softmax, input.data(), output.data());
  output.expect_guards();
  EXPECT_EQ(input.values(), values);
  corten::rt::softmax(softmax, input.data(), input.data());
  EXPECT_EQ(input.values(), output.values()) << "in place";
  return output.values();
}

TEST(SoftmaxKernel, IsTheRoundedRealSoftmax) {
  Random random(41);
  int off_by_one = 0, elements = 0;
  for (int i = 0; i < 500; ++i) {
    const double scale = std::exp2(std::uniform_real_distribution<double>(-8, 2)(random));
    const auto values = codes(static_cast<std::size_t>(pick(random, 1, 40)), all_data[i % 5], random);
    const auto output = run(with_scale(scale, 1, static_cast<std::int32_t>(values.size()), 1), values);
    double sum = 0;
    for (auto value : values) sum += std::exp(scale * value);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const double code = std::min(127.0, std::floor(256 * std::exp(scale * values[n]) / sum + 0.5) - 128);
      ASSERT_NEAR(output[n], code, 1);
      off_by_one += output[n] != code, ++elements;
    }
  }
  EXPECT_LT(off_by_one * 1000, elements);
}

TEST(SoftmaxKernel, ThreeRowsOfTen) {  // T29: every row on its own
  Random random(42);
  const auto values = codes(30, Data::Uniform, random);
  const auto softmax = with_scale(0.05, 3, 10, 1);
  const auto output = run(softmax, values);
  for (std::ptrdiff_t row = 0; row < 3; ++row) {
    const auto alone = run(with_scale(0.05, 1, 10, 1), Codes(values.begin() + 10 * row, values.begin() + 10 * row + 10));
    EXPECT_EQ(Codes(output.begin() + 10 * row, output.begin() + 10 * row + 10), alone);
  }
}

TEST(SoftmaxKernel, RunsAlongAnyAxis) {
  Random random(43);
  const auto values = codes(24, Data::Uniform, random);  // [2, 4, 3], axis 1
  const auto output = run(with_scale(0.1, 2, 4, 3), values);
  for (std::size_t outer = 0; outer < 2; ++outer)
    for (std::size_t inner = 0; inner < 3; ++inner) {
      Codes line, expected;
      for (std::size_t i = 0; i < 4; ++i) line.push_back(values[(outer * 4 + i) * 3 + inner]), expected.push_back(output[(outer * 4 + i) * 3 + inner]);
      EXPECT_EQ(run(with_scale(0.1, 1, 4, 1), line), expected);
    }
}

TEST(SoftmaxKernel, EqualValuesShareTheWhole) {
  EXPECT_EQ(run(with_scale(0.1, 1, 4, 1), Codes(4, -128)), Codes(4, -64));
  EXPECT_EQ(run(with_scale(0.1, 1, 1, 1), Codes(1, 5)), Codes(1, 127));
  EXPECT_EQ(run(with_scale(1.0, 1, 2, 1), Codes{127, -128}), (Codes{127, -128}));
}

}  // namespace
}  // namespace corten::rt::test
