// SPDX-License-Identifier: Apache-2.0
// Convolution from its mathematical definition, in 64 bits, and the operands to try kernels on.
#pragma once
#include "corten/rt/conv2d.h"
#include "corten/rt/depthwise_conv2d.h"
#include "exact.h"
#include "guarded.h"

namespace corten::rt::test {

/// Multipliers and shifts that spread most accumulators of depth products over the int8 range.
struct Scales {
  std::vector<std::int32_t> multiplier, shift;
  std::int32_t zero_point, low, high;

  Scales(int channels, int depth, Random& random)
      : multiplier(integers(static_cast<std::size_t>(channels), 1 << 30, INT32_MAX, random)), shift(multiplier.size()), zero_point(pick(random, -128, 127)) {
    int bits = 6;
    while ((1 << (2 * (bits - 6))) < depth) ++bits;
    for (auto& value : shift) value = -std::max(0, bits + pick(random, -3, 3));
    low = pick(random, 0, 2) == 0 ? std::max(-128, zero_point) : -128;
    high = pick(random, 0, 2) == 0 ? std::min(127, low + pick(random, 0, 255)) : 127;
  }
  template <Rounding R>
  PerChannel<R> per_channel() const { return {multiplier.data(), shift.data(), zero_point, low, high}; }
  template <Rounding R>
  PerTensor<R> per_tensor() const { return {multiplier[0], shift[0], zero_point, low, high}; }
  std::int8_t exact(Rounding rounding, bool per_channel, std::int64_t sum, int channel) const {
    const auto n = static_cast<std::size_t>(per_channel ? channel : 0);
    return exact_code(rounding, sum, multiplier[n], shift[n], zero_point, low, high);
  }
};

struct Geometry {
  int batches, height, width, channels, output_height, output_width, output_channels;
  int kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width, top, left, groups, padding_value;
  int row_elements() const { return width * channels; }
  int output_row_elements() const { return output_width * output_channels; }
  std::size_t input_elements() const { return static_cast<std::size_t>(batches * height * row_elements()); }
  std::size_t output_elements() const { return static_cast<std::size_t>(batches * output_height * output_row_elements()); }
};

/// A random geometry; the output may see any amount of padding. groups is the depth multiplier if depthwise.
inline Geometry random_geometry(Random& random, bool depthwise) {
  const int sizes[] = {1, 3, 5, 7, 4, 8, 2, 16, 20};
  const auto size = [&] { return sizes[pick(random, 0, 8)]; };
  Geometry g{};
  g.batches = pick(random, 1, 2), g.height = pick(random, 1, 8), g.width = pick(random, 1, 9);
  g.kernel_height = pick(random, 1, 4), g.kernel_width = pick(random, 1, 4), g.stride_height = pick(random, 1, 3), g.stride_width = pick(random, 1, 5);
  g.dilation_height = pick(random, 1, 2), g.dilation_width = pick(random, 1, 3), g.top = pick(random, 0, 3), g.left = pick(random, 0, 3);
  const auto output = [&](int extent, int before, int kernel, int dilation, int stride) {
    return std::max(1, (extent + before + pick(random, 0, 3) - (kernel - 1) * dilation - 1) / stride + 1);
  };
  g.output_height = output(g.height, g.top, g.kernel_height, g.dilation_height, g.stride_height);
  g.output_width = output(g.width, g.left, g.kernel_width, g.dilation_width, g.stride_width);
  g.groups = pick(random, 0, 1) ? 1 : pick(random, 2, 3);
  g.channels = depthwise ? size() : size() * g.groups;
  g.output_channels = depthwise ? g.channels * g.groups : size() * g.groups;
  g.padding_value = pick(random, -128, 127);
  if (!depthwise && pick(random, 0, 3) == 0) {  // pointwise
    g.kernel_height = g.kernel_width = g.stride_height = g.stride_width = g.groups = 1, g.top = g.left = 0;
    g.output_height = g.height, g.output_width = g.width;
  }
  return g;
}

template <class Struct>
Struct as(const Geometry& g) {
  return {g.batches, g.height, g.width, g.channels, g.output_height, g.output_width, g.output_channels, g.kernel_height, g.kernel_width, g.stride_height, g.stride_width,
          g.dilation_height, g.dilation_width, g.top, g.left, g.groups, g.padding_value};
}

/// Code of the padded image.
inline std::int64_t cell(const Geometry& g, const std::vector<std::int8_t>& input, int batch, int y, int x, int channel) {
  if (y < 0 || y >= g.height || x < 0 || x >= g.width) return g.padding_value;
  return input[static_cast<std::size_t>(((batch * g.height + y) * g.width + x) * g.channels + channel)];
}

struct Operands {
  std::vector<std::int8_t> input, weights;
  std::vector<std::int32_t> bias;
};

/// The sum for output (batch, y, x, n), from the definition.
inline std::int64_t exact_sum(const Geometry& g, bool depthwise, const Operands& operands, int batch, int y, int x, int n) {
  std::int64_t sum = operands.bias[static_cast<std::size_t>(n)];
  const int depth = depthwise ? 1 : g.channels / g.groups;
  const int first = depthwise ? n / g.groups : n / (g.output_channels / g.groups) * depth;
  for (int ky = 0; ky < g.kernel_height; ++ky)
    for (int kx = 0; kx < g.kernel_width; ++kx)
      for (int k = 0; k < depth; ++k) {
        const int at = depthwise ? (ky * g.kernel_width + kx) * g.output_channels + n : ((n * g.kernel_height + ky) * g.kernel_width + kx) * depth + k;
        const int row = y * g.stride_height + ky * g.dilation_height - g.top, column = x * g.stride_width + kx * g.dilation_width - g.left;
        sum += cell(g, operands.input, batch, row, column, first + k) * operands.weights[static_cast<std::size_t>(at)];
      }
  return sum;
}

inline std::vector<std::int8_t> exact_convolution(const Geometry& g, bool depthwise, const Operands& operands, const Scales& scales, Rounding rounding, bool per_channel) {
  std::vector<std::int8_t> output;
  for (int batch = 0; batch < g.batches; ++batch)
    for (int y = 0; y < g.output_height; ++y)
      for (int x = 0; x < g.output_width; ++x)
        for (int n = 0; n < g.output_channels; ++n)
          output.push_back(scales.exact(rounding, per_channel, exact_sum(g, depthwise, operands, batch, y, x, n), n));
  return output;
}

inline Operands random_operands(const Geometry& g, bool depthwise, Data data, Random& random) {
  const int taps = g.kernel_height * g.kernel_width;
  const int weights = depthwise ? taps * g.output_channels : taps * g.output_channels * (g.channels / g.groups);
  const auto weight_data = data == Data::Uniform ? Data::Uniform : all_data[pick(random, 0, 4)];
  return {codes(g.input_elements(), data, random), codes(static_cast<std::size_t>(weights), weight_data, random),
          integers(static_cast<std::size_t>(g.output_channels), -20000, 20000, random)};
}

/// The kernels under one name each.
struct Convolution {
  using Struct = Conv2d;
  static constexpr bool depthwise = false;
  template <class Isa>
  static std::size_t scratch_bytes(const Struct& conv) { return conv2d_scratch_bytes<Isa>(conv); }
  template <class Isa, class... Arguments>
  static void whole(Arguments&&... arguments) { conv2d<Isa>(arguments...); }
  template <class Isa, class... Arguments>
  static void row(Arguments&&... arguments) { conv2d_row<Isa>(arguments...); }
};
struct Depthwise {
  using Struct = DepthwiseConv2d;
  static constexpr bool depthwise = true;
  template <class Isa>
  static std::size_t scratch_bytes(const Struct& conv) { return depthwise_conv2d_scratch_bytes<Isa>(conv); }
  template <class Isa, class... Arguments>
  static void whole(Arguments&&... arguments) { depthwise_conv2d<Isa>(arguments...); }
  template <class Isa, class... Arguments>
  static void row(Arguments&&... arguments) { depthwise_conv2d_row<Isa>(arguments...); }
};

/// Runs the whole layer between guards, scratch full of garbage.
template <class Kernel, class Isa, class Requantize>
std::vector<std::int8_t> run_whole(const Geometry& g, const Operands& operands, const Requantize& requantize) {
  const auto conv = as<typename Kernel::Struct>(g);
  Guarded<std::int8_t> input(operands.input.size(), 1), output(g.output_elements(), 3), scratch(Kernel::template scratch_bytes<Isa>(conv));
  std::memcpy(input.data(), operands.input.data(), operands.input.size());
  std::memset(scratch.data(), 0xa7, scratch.size());
  Kernel::template whole<Isa>(conv, input.data(), operands.weights.data(), operands.bias.data(), requantize, output.data(), scratch.data());
  input.expect_guards(), output.expect_guards(), scratch.expect_guards();
  EXPECT_EQ(input.values(), operands.input);
  return output.values();
}

}  // namespace corten::rt::test
