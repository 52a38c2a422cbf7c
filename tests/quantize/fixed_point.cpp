// SPDX-License-Identifier: Apache-2.0
// Multipliers, the reference requantization, codes and tables against hand-worked vectors and exact integer models.
#include "compiler/quantize/fixed_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace corten {
namespace {

using Limits = std::numeric_limits<std::int32_t>;
__extension__ using Wide = __int128;

FixedPoint fixed(double real) { return to_fixed_point(real).value(); }

TEST(ToFixedPoint, KnownReals) {
  EXPECT_EQ(fixed(0), (FixedPoint{0, 0}));
  EXPECT_EQ(fixed(1), (FixedPoint{1 << 30, 1}));
  EXPECT_EQ(fixed(0.5), (FixedPoint{1 << 30, 0}));
  EXPECT_EQ(fixed(0.75), (FixedPoint{3 << 29, 0}));
  EXPECT_EQ(fixed(0.1), (FixedPoint{1717986918, -3}));  // 0.8 · 2^31 = 1717986918.4
  EXPECT_EQ(fixed(3), (FixedPoint{3 << 29, 2}));
}

TEST(ToFixedPoint, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(fixed(0.5 + std::ldexp(0.5, -31)), (FixedPoint{(1 << 30) + 1, 0}));
  EXPECT_EQ(fixed(0.5 + std::ldexp(1.5, -31)), (FixedPoint{(1 << 30) + 2, 0}));
}

TEST(ToFixedPoint, MantissaThatRoundsUpToTwo) { EXPECT_EQ(fixed(std::nextafter(1.0, 0.0)), (FixedPoint{1 << 30, 1})); }

TEST(ToFixedPoint, SmallestAndLargest) {
  EXPECT_EQ(fixed(std::ldexp(1, -32)), (FixedPoint{1 << 30, -31}));
  EXPECT_EQ(fixed(std::nextafter(std::ldexp(1, -32), 0)), (FixedPoint{1 << 30, -31}));
  EXPECT_EQ(fixed(std::ldexp(0.9999, -32)), (FixedPoint{0, 0}));
  EXPECT_EQ(fixed(std::numeric_limits<double>::denorm_min()), (FixedPoint{0, 0}));
  EXPECT_EQ(fixed(std::ldexp(1, 29)), (FixedPoint{1 << 30, 30}));
}

TEST(ToFixedPoint, RefusesWhatNoShiftCanApply) {
  for (const double real : {std::ldexp(1, 30), std::nextafter(std::ldexp(1, 30), 0), 1e300}) {
    const auto result = to_fixed_point(real);
    ASSERT_FALSE(result);
    EXPECT_NE(result.diagnostics()[0].message.find("expected less than 2^30"), std::string::npos);
  }
}

TEST(ToFixedPoint, RefusesWhatIsNoScale) {
  EXPECT_EQ(to_fixed_point(-0.5).diagnostics()[0].message, "multiplier is -0.5, expected zero or more");
  EXPECT_EQ(to_fixed_point(INFINITY).diagnostics()[0].message, "multiplier is inf, expected a finite number");
  EXPECT_EQ(to_fixed_point(NAN).diagnostics()[0].message, "multiplier is nan, expected a finite number");
}

TEST(ToFixedPoint, WithinHalfAStepOfTheExactRational) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> exponents(-31, 29);
  for (int i = 0; i < 100'000; ++i) {
    const auto mantissa = static_cast<std::int64_t>((random() >> 12) | (std::uint64_t{1} << 52));  // 53 bits
    const int exponent = exponents(random);
    const FixedPoint found = fixed(std::ldexp(static_cast<double>(mantissa), exponent - 53));
    ASSERT_GE(found.multiplier, 1 << 30);
    ASSERT_TRUE(found.shift == exponent || (found.shift == exponent + 1 && found.multiplier == 1 << 30));
    // Both sides in units of 2^(exponent − 53); half a step of the mantissa is 2^21 of them.
    const Wide meant = Wide{found.multiplier} << (22 + found.shift - exponent);
    const Wide difference = meant - mantissa;
    ASSERT_LE(difference < 0 ? -difference : difference, Wide{1} << 21);
    ASSERT_NE(difference, -(Wide{1} << 21)) << "a tie was rounded down";
    ASSERT_EQ(to_real(found), std::ldexp(static_cast<double>(found.multiplier), found.shift - 31));
  }
}

/// TFLite's formulas as its sources have them: a nudge that depends on the sign and C's truncating division, then a
/// remainder compared with a threshold. Nothing when the shifted value doesn't fit 32 bits.
std::optional<std::int32_t> tflite_double(std::int32_t value, FixedPoint by) {
  const Wide shifted = Wide{value} << std::max(by.shift, 0);
  if (shifted < Limits::min() || shifted > Limits::max()) return std::nullopt;
  const std::int64_t product = static_cast<std::int64_t>(shifted) * by.multiplier;
  const std::int64_t nudge = product >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30);
  const auto high = static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
  const int right = std::max(-by.shift, 0);
  const std::int64_t mask = (std::int64_t{1} << right) - 1;
  const std::int64_t remainder = high & mask;
  const std::int64_t threshold = (mask >> 1) + (high < 0 ? 1 : 0);
  return static_cast<std::int32_t>((std::int64_t{high} >> right) + (remainder > threshold ? 1 : 0));
}

/// The exact quotient rounded once, halves up, by comparing twice the remainder with the divisor.
std::int32_t rounded_once(std::int32_t value, FixedPoint by) {
  const Wide divisor = Wide{1} << (31 - by.shift);
  const Wide product = Wide{value} * by.multiplier;
  Wide quotient = product / divisor;
  Wide remainder = product % divisor;
  if (remainder < 0) {
    remainder += divisor;
    --quotient;
  }
  if (2 * remainder >= divisor) ++quotient;
  return static_cast<std::int32_t>(std::clamp<Wide>(quotient, Limits::min(), Limits::max()));
}

void expect_exact(std::int32_t value, FixedPoint by) {
  const auto expected = tflite_double(value, by);
  if (expected) {
    ASSERT_EQ(requantize(value, by, Rounding::Double), *expected) << value << " " << by.multiplier << " " << by.shift;
  }
  ASSERT_EQ(requantize(value, by, Rounding::Single), rounded_once(value, by))
      << value << " " << by.multiplier << " " << by.shift;
}

TEST(Requantize, DoubleAndSingleDisagreeWhereTheyMust) {
  const FixedPoint by{1583594044, -9};  // 7984 · by = 11.4991
  EXPECT_EQ(requantize(7984, by, Rounding::Double), 12);
  EXPECT_EQ(requantize(7984, by, Rounding::Single), 11);
  EXPECT_EQ(requantize(-23301, {2045235597, -5}, Rounding::Double), -694);
  EXPECT_EQ(requantize(-23301, {2045235597, -5}, Rounding::Single), -693);
  EXPECT_EQ(requantize(2493, {1316087905, -4}, Rounding::Double), 96);
  EXPECT_EQ(requantize(2493, {1316087905, -4}, Rounding::Single), 95);
}

TEST(Requantize, Ties) {
  const FixedPoint quarter{1 << 30, -1};
  const std::vector<std::int32_t> values{-10, -6, -2, 1, 2, 5, 6, 10};
  const std::vector<std::int32_t> twice{-3, -2, -1, 1, 1, 2, 2, 3};
  const std::vector<std::int32_t> once{-2, -1, 0, 0, 1, 1, 2, 3};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(requantize(values[i], quarter, Rounding::Double), twice[i]) << values[i];
    EXPECT_EQ(requantize(values[i], quarter, Rounding::Single), once[i]) << values[i];
  }
}

TEST(Requantize, EdgeTriples) {
  std::vector<std::int32_t> values{Limits::min(), Limits::min() + 1, Limits::max() - 1, Limits::max(), 0};
  for (int bit = 0; bit < 31; ++bit)
    for (const int delta : {-1, 0, 1}) {
      values.push_back((1 << bit) + delta);
      values.push_back(-(1 << bit) + delta);
    }
  for (const std::int32_t multiplier : {1 << 30, (1 << 30) + 1, (1 << 30) + 2, 3 << 29, Limits::max() - 1, Limits::max()})
    for (int shift = -31; shift <= 30; ++shift)
      for (const std::int32_t value : values) expect_exact(value, {multiplier, shift});
}

TEST(Requantize, AMillionRandomTriples) {
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::int32_t> values(Limits::min(), Limits::max());
  std::uniform_int_distribution<std::int32_t> multipliers(1 << 30, Limits::max());
  std::uniform_int_distribution<int> shifts(-31, 30);
  std::uniform_int_distribution<int> sizes(0, 31);
  for (int i = 0; i < 1'000'000; ++i) expect_exact(values(random) >> sizes(random), {multipliers(random), shifts(random)});
}

TEST(Requantize, SaturatesInsteadOfWrapping) {
  EXPECT_EQ(requantize(Limits::max(), {1 << 30, 30}, Rounding::Double), Limits::max());
  EXPECT_EQ(requantize(Limits::min(), {1 << 30, 30}, Rounding::Double), Limits::min());
  EXPECT_EQ(requantize(std::int64_t{1} << 61, {Limits::max(), 30}, Rounding::Single), Limits::max());
}

TEST(Requantize, ZeroMultiplier) {
  for (const auto rounding : {Rounding::Double, Rounding::Single}) EXPECT_EQ(requantize(Limits::min(), {}, rounding), 0);
}

std::vector<std::int32_t> codes(QuantizeRule rule, const std::vector<float>& reals, float scale) {
  std::vector<std::int32_t> result;
  for (const float x : reals) result.push_back(quantize_value(x, scale, 0, -128, 127, rule));
  return result;
}

TEST(QuantizeValue, TiesByRule) {
  const std::vector<float> halves{-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f};
  EXPECT_EQ(codes(QuantizeRule::TfLite, halves, 1), (std::vector<std::int32_t>{-3, -2, -1, 1, 2, 3}));
  EXPECT_EQ(codes(QuantizeRule::PyTorch, halves, 1), (std::vector<std::int32_t>{-2, -2, 0, 0, 2, 2}));
  EXPECT_EQ(codes(QuantizeRule::Onnx, halves, 1), (std::vector<std::int32_t>{-2, -2, 0, 0, 2, 2}));
}

TEST(QuantizeValue, PyTorchMultipliesAndTheOthersDivide) {
  EXPECT_EQ(quantize_value(-2.45f, 0.02f, 0, -128, 127, QuantizeRule::PyTorch), -122);
  EXPECT_EQ(quantize_value(-2.45f, 0.02f, 0, -128, 127, QuantizeRule::Onnx), -123);
  EXPECT_EQ(quantize_value(-2.45f, 0.02f, 0, -128, 127, QuantizeRule::TfLite), -123);
}

TEST(QuantizeValue, RoundsBeforeTheZeroPointAndClamps) {
  EXPECT_EQ(quantize_value(0.5f, 1, 1, -128, 127), 1);  // 0 + 1, where rounding 1.5 would give 2
  EXPECT_EQ(quantize_value(1e30f, 0.1f, 3, -128, 127), 127);
  EXPECT_EQ(quantize_value(-INFINITY, 0.1f, 3, -127, 127), -127);
  EXPECT_EQ(quantize_value(INFINITY, 0.1f, 3, -127, 127), 127);
  EXPECT_EQ(quantize_value(NAN, 0.1f, 3, -128, 127), 0);
  EXPECT_EQ(quantize_value(NAN, 0.1f, 200, 100, 255), 100);
  EXPECT_EQ(quantize_value(1e30f, 1, 0, Limits::min(), Limits::max()), Limits::max());
  EXPECT_EQ(quantize_value(-1e30f, 1, 0, Limits::min(), Limits::max()), Limits::min());
}

TEST(DequantizeValue, ScalesTheCenteredCode) {
  EXPECT_EQ(dequantize_value(-128, 0.5f, 10), -69.0f);
  EXPECT_EQ(dequantize_value(127, 0.1f, -128), 255 * 0.1f);
}

TEST(QuantizeBias, InputScaleTimesWeightScale) {
  EXPECT_EQ(quantize_bias(1.0f, 0.5f, 0.25f), 8);
  EXPECT_EQ(quantize_bias(0.3125f, 0.5f, 0.25f), 2);  // 2.5 goes to the even neighbor
  EXPECT_EQ(quantize_bias(1e30f, 0.5f, 0.25f), Limits::max() - 1);
  EXPECT_EQ(quantize_bias(-1e30f, 0.5f, 0.25f), Limits::min());
}

TEST(LookupTable, IdentityAndHalvesAwayFromZero) {
  const auto same = lookup_table([](double x) { return x; }, per_tensor(0.5f, 3), per_tensor(0.5f, 3));
  for (int code = -128; code <= 127; ++code) EXPECT_EQ(same[static_cast<std::size_t>(code + 128)], code);
  const auto halved = lookup_table([](double x) { return x / 2; }, per_tensor(1, 0), per_tensor(1, 0));
  EXPECT_EQ(halved[128 + 3], 2);
  EXPECT_EQ(halved[128 - 3], -2);
  EXPECT_EQ(halved[128 - 5], -3);
  EXPECT_EQ(halved[0], -64);
}

TEST(LookupTable, ClampsToTheOutputsRange) {
  const auto table = lookup_table([](double x) { return 3 * x; }, per_tensor(1, 0), per_tensor(1, 0, -100, 90));
  EXPECT_EQ(table[0], -100);
  EXPECT_EQ(table[255], 90);
}

TEST(LookupTable, ContinuesWhereTheFunctionIsUndefined) {
  const auto input = per_tensor(1, 0);
  const auto logarithm = lookup_table([](double x) { return std::log(x); }, input, per_tensor(0.1f, 5));
  EXPECT_EQ(logarithm[128], -128);  // log 0 = −infinity
  EXPECT_EQ(logarithm[0], -128);    // log of a negative continues it
  EXPECT_EQ(logarithm[128 + 1], 5);
  const auto root = lookup_table([](double x) { return std::sqrt(x - 0.5); }, input, per_tensor(1, 7));
  EXPECT_EQ(root[128], root[129]);
  EXPECT_EQ(root[129], 8);  // √0.5 rounds to 1
  const auto nowhere = lookup_table([](double) { return NAN; }, input, per_tensor(1, 7));
  for (const auto code : nowhere) EXPECT_EQ(code, 7);
}

}  // namespace
}  // namespace corten
