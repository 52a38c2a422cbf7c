// SPDX-License-Identifier: Apache-2.0
// Convolution cases that broke other libraries, with numbers worked out by hand.
#include "convolution.h"

namespace corten::rt::test {
namespace {

using Codes = std::vector<std::int8_t>;

constexpr PerTensor<Rounding::Double> unit{1 << 30, 1, 0, -128, 127};
PerTensor<Rounding::Double> unit_at(std::int32_t zero_point, std::int32_t low = -128, std::int32_t high = 127) { return {1 << 30, 1, zero_point, low, high}; }

template <class Kernel, class Requantize>
void expect_codes(const Geometry& g, const Operands& operands, const Requantize& requantize, const Codes& expected) {
  EXPECT_EQ((run_whole<Kernel, Portable>(g, operands, requantize)), expected);
  EXPECT_EQ((run_whole<Kernel, Dsp>(g, operands, requantize)), expected);
}

TEST(ConvolutionCases, DepthwisePadsWithTheInputZeroPoint) {  // N02
  const Geometry g{1, 5, 5, 1, 5, 5, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, -128};
  const Operands operands{Codes(25, -118), Codes(9, 1), {9 * 128}};  // 0 − zero point · Σ weights
  const Codes expected = {-88, -68, -68, -68, -88, -68, -38, -38, -38, -68, -68, -38, -38, -38, -68, -68, -38, -38, -38, -68, -88, -68, -68, -68, -88};
  expect_codes<Depthwise>(g, operands, unit_at(-128), expected);
  expect_codes<Convolution>(g, operands, unit_at(-128), expected);
}

TEST(ConvolutionCases, OneDimensional) {  // N06
  const Geometry plain{1, 1, 8, 1, 1, 8, 1, 1, 3, 1, 1, 1, 1, 0, 1, 1, 0};
  const Operands operands{Codes(8, 1), Codes(3, 1), {0}};
  expect_codes<Convolution>(plain, operands, unit, {2, 3, 3, 3, 3, 3, 3, 2});
  expect_codes<Depthwise>(plain, operands, unit, {2, 3, 3, 3, 3, 3, 3, 2});
  Geometry dilated = plain;
  dilated.dilation_width = 2, dilated.left = 2;
  expect_codes<Convolution>(dilated, operands, unit, {2, 2, 3, 3, 3, 3, 2, 2});
  expect_codes<Depthwise>(dilated, operands, unit, {2, 2, 3, 3, 3, 3, 2, 2});
  Geometry grouped = plain;
  grouped.channels = grouped.output_channels = grouped.groups = 2;
  expect_codes<Convolution>(grouped, {Codes(16, 1), {1, 1, 1, 2, 2, 2}, {0, 0}}, unit, {2, 4, 3, 6, 3, 6, 3, 6, 3, 6, 3, 6, 3, 6, 2, 4});
}

TEST(ConvolutionCases, SamePaddingOfEvenExtentLiesBehind) {  // T19: TensorFlow pads 0 before, 1 behind; PyTorch padding 1 the other way round
  Codes ramp(64);
  for (int i = 0; i < 64; ++i) ramp[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i % 8 + 1);
  const Operands operands{ramp, Codes(9, 1), {0}};
  Geometry behind{1, 8, 8, 1, 4, 4, 1, 3, 3, 2, 2, 1, 1, 0, 0, 1, 0};
  // Rows count 3, 3, 3, 2; columns give 1+2+3, 3+4+5, 5+6+7, 7+8.
  expect_codes<Convolution>(behind, operands, unit, {18, 36, 54, 45, 18, 36, 54, 45, 18, 36, 54, 45, 12, 24, 36, 30});
  Geometry before = behind;
  before.top = before.left = 1;
  // Rows count 2, 3, 3, 3; columns give 1+2, 2+3+4, 4+5+6, 6+7+8.
  expect_codes<Convolution>(before, operands, unit, {6, 18, 30, 42, 9, 27, 45, 63, 9, 27, 45, 63, 9, 27, 45, 63});
  expect_codes<Depthwise>(before, operands, unit, {6, 18, 30, 42, 9, 27, 45, 63, 9, 27, 45, 63, 9, 27, 45, 63});
}

TEST(ConvolutionCases, EachAxisHasItsOwnPadding) {  // N09: rows pad 0 and 1, columns 1 and 1; 8 channels
  const Geometry g{1, 8, 7, 8, 4, 4, 1, 3, 3, 2, 2, 1, 1, 0, 1, 1, 0};
  const Operands operands{Codes(8 * 7 * 8, 1), Codes(72, 1), {0}};
  expect_codes<Convolution>(g, operands, unit, {48, 72, 72, 48, 48, 72, 72, 48, 48, 72, 72, 48, 32, 48, 48, 32});
  const Geometry wide{1, 8, 8, 1, 4, 4, 1, 5, 5, 2, 2, 1, 1, 1, 1, 1, 0};  // kernel 5, padding 1 and 2: 4, 5, 5, 3 taps
  expect_codes<Convolution>(wide, {Codes(64, 1), Codes(25, 1), {0}}, unit, {16, 20, 20, 12, 20, 25, 25, 15, 20, 25, 25, 15, 12, 15, 15, 9});
}

TEST(ConvolutionCases, ClampOfAFusedActivationHolds) {  // N15
  const Geometry g{1, 1, 3, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, -40};
  // Codes after the zero point −40: −60, 0, 90.
  expect_codes<Depthwise>(g, {{-20, 40, 127}, {1}, {0}}, unit_at(-40, -40, 20), {-40, 0, 20});
  expect_codes<Convolution>(g, {{-20, 40, 127}, {1}, {0}}, unit_at(-40, -40, 20), {-40, 0, 20});
}

TEST(ConvolutionCases, GroupedPointwise) {  // T13: 16 channels, filter depth 4; output n = 4 · group value
  const Geometry g{1, 8, 8, 16, 8, 8, 16, 1, 1, 1, 1, 1, 1, 0, 0, 4, 0};
  Operands operands{Codes(1024), Codes(64, 1), std::vector<std::int32_t>(16, 0)};
  Codes expected(1024);
  for (std::size_t i = 0; i < 1024; ++i) operands.input[i] = static_cast<std::int8_t>(i % 16 / 4 + 1), expected[i] = static_cast<std::int8_t>(4 * (i % 16 / 4 + 1));
  expect_codes<Convolution>(g, operands, unit, expected);
}

TEST(ConvolutionCases, LargeDepthwiseKernels) {  // T17: areas around 512 taps, 4 channels
  for (int taps : {511, 512, 513}) {
    const Geometry g{1, 1, taps, 4, 1, 1, 4, 1, taps, 1, 1, 1, 1, 0, 0, 1, 0};
    const Operands operands{Codes(static_cast<std::size_t>(4 * taps), -128), Codes(static_cast<std::size_t>(4 * taps), -128), std::vector<std::int32_t>(4, -taps * 16384 + 100)};
    expect_codes<Depthwise>(g, operands, unit, {100, 100, 100, 100});
  }
}

TEST(ConvolutionCases, SignedDepthwiseWithoutBias) {  // T21
  const Geometry g{1, 8, 8, 2, 8, 8, 2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0};
  Codes input(128);
  for (std::size_t i = 0; i < 128; ++i) input[i] = i % 2 ? 3 : -3;
  const auto output = run_whole<Depthwise, Dsp>(g, {input, Codes(18, 1), {0, 0}}, unit);
  EXPECT_EQ(output[2 * (8 * 3 + 3)], -27);
  EXPECT_EQ(output[2 * (8 * 3 + 3) + 1], 27);
  EXPECT_EQ(output[0], -12);
  EXPECT_EQ(output[127], 12);
}

}  // namespace
}  // namespace corten::rt::test
