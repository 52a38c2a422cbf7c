// SPDX-License-Identifier: Apache-2.0
// Convolution kernels against the definition, on random and extreme operands, and overlapping in memory.
#include "convolution.h"

namespace corten::rt::test {
namespace {

template <class Kernel, class Isa, Rounding R>
void expect_exact(const Geometry& g, const Operands& operands, const Scales& scales) {
  const bool depthwise = Kernel::depthwise;
  EXPECT_EQ((run_whole<Kernel, Isa>(g, operands, scales.per_channel<R>())), exact_convolution(g, depthwise, operands, scales, R, true));
  EXPECT_EQ((run_whole<Kernel, Isa>(g, operands, scales.per_tensor<R>())), exact_convolution(g, depthwise, operands, scales, R, false));
}

template <class Kernel>
void expect_exact_everywhere(const Geometry& g, const Operands& operands, const Scales& scales) {
  expect_exact<Kernel, Portable, Rounding::Double>(g, operands, scales);
  expect_exact<Kernel, Portable, Rounding::Single>(g, operands, scales);
  expect_exact<Kernel, Dsp, Rounding::Double>(g, operands, scales);
  expect_exact<Kernel, Dsp, Rounding::Single>(g, operands, scales);
}

template <class Kernel>
class ConvolutionTest : public ::testing::Test {};
using Kernels = ::testing::Types<Convolution, Depthwise>;
TYPED_TEST_SUITE(ConvolutionTest, Kernels, );

TYPED_TEST(ConvolutionTest, EqualsTheDefinitionOnRandomGeometries) {
  Random random(7);
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE(i);
    const auto g = random_geometry(random, TypeParam::depthwise);
    const Scales scales(g.output_channels, g.kernel_height * g.kernel_width * (TypeParam::depthwise ? 1 : g.channels / g.groups), random);
    expect_exact_everywhere<TypeParam>(g, random_operands(g, TypeParam::depthwise, all_data[i % 5], random), scales);
    if (this->HasFailure()) return;
  }
}

/// Runs row after row with input and output in one block of memory, the output `distance` elements below the input (ascending)
/// or above it (descending, memory mirrored row by row), at the smallest distance at which no output row meets a row its window reads.
template <class Kernel, class Isa>
void expect_overlap_exact(const Geometry& g, const Operands& operands, const Scales& scales, bool ascending) {
  const auto conv = as<typename Kernel::Struct>(g);
  const int in_row = g.row_elements(), out_row = g.output_row_elements();
  int distance = 0;
  for (int y = 0; y < g.output_height; ++y)
    distance = std::max(distance, (y + 1) * out_row - std::clamp(y * g.stride_height - g.top, 0, g.height) * in_row);
  const int span = std::max(distance + g.height * in_row, g.output_height * out_row);
  Guarded<std::int8_t> memory(static_cast<std::size_t>(span)), scratch(Kernel::template scratch_bytes<Isa>(conv));
  const auto home = [&](int start, int elements) { return memory.data() + (ascending ? start : span - start - elements); };
  for (int y = 0; y < g.height; ++y) std::memcpy(home(distance + y * in_row, in_row), operands.input.data() + y * in_row, static_cast<std::size_t>(in_row));
  for (int y = 0; y < g.output_height; ++y) {
    std::vector<const std::int8_t*> rows;
    for (int ky = 0; ky < g.kernel_height; ++ky) {
      const int row = y * g.stride_height - g.top + ky * g.dilation_height;
      rows.push_back(row < 0 || row >= g.height ? nullptr : home(distance + row * in_row, in_row));
    }
    Kernel::template row<Isa>(conv, static_cast<const std::int8_t* const*>(rows.data()), operands.weights.data(), operands.bias.data(), scales.per_channel<Rounding::Double>(),
                              home(y * out_row, out_row), scratch.data());
  }
  memory.expect_guards(), scratch.expect_guards();
  std::vector<std::int8_t> output;
  for (int y = 0; y < g.output_height; ++y) output.insert(output.end(), home(y * out_row, out_row), home(y * out_row, out_row) + out_row);
  EXPECT_EQ(output, exact_convolution(g, Kernel::depthwise, operands, scales, Rounding::Double, true));
}

TYPED_TEST(ConvolutionTest, RowsOverlapAtTheTightestDistance) {
  Random random(8);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    auto g = random_geometry(random, TypeParam::depthwise);
    g.batches = 1;
    const Scales scales(g.output_channels, 9, random);
    const auto operands = random_operands(g, TypeParam::depthwise, Data::Uniform, random);
    for (bool ascending : {true, false}) {
      expect_overlap_exact<TypeParam, Portable>(g, operands, scales, ascending);
      expect_overlap_exact<TypeParam, Dsp>(g, operands, scales, ascending);
    }
    if (this->HasFailure()) return;
  }
}

template <class Isa>
void expect_pointwise_in_place(const Geometry& g, const Operands& operands, const Scales& scales) {
  const auto conv = as<Conv2d>(g);
  const std::size_t distance = static_cast<std::size_t>(std::max(0, g.height * g.width * (g.output_channels - g.channels)));
  Guarded<std::int8_t> memory(std::max(distance + g.input_elements(), g.output_elements())), scratch(conv2d_scratch_bytes<Isa>(conv));
  std::memcpy(memory.data() + distance, operands.input.data(), operands.input.size());
  conv2d<Isa>(conv, memory.data() + distance, operands.weights.data(), operands.bias.data(), scales.per_channel<Rounding::Double>(), memory.data(), scratch.data());
  memory.expect_guards(), scratch.expect_guards();
  const auto all = memory.values();
  EXPECT_EQ(std::vector<std::int8_t>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(g.output_elements())),
            exact_convolution(g, false, operands, scales, Rounding::Double, true));
}

TEST(Convolution, PointwiseRunsInPlace) {
  Random random(9);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const int channels = pick(random, 1, 20), output_channels = pick(random, 1, 20), height = pick(random, 1, 5), width = pick(random, 1, 7);
    const Geometry g{1, height, width, channels, height, width, output_channels, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0};
    const Scales scales(output_channels, channels, random);
    const auto operands = random_operands(g, false, Data::Uniform, random);
    expect_pointwise_in_place<Portable>(g, operands, scales);
    expect_pointwise_in_place<Dsp>(g, operands, scales);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace corten::rt::test
