// SPDX-License-Identifier: Apache-2.0
// Pooling kernels against the definition, and overlapping in memory.
#include "corten/rt/adaptive_avg_pool2d.h"
#include "corten/rt/avg_pool2d.h"
#include "corten/rt/max_pool2d.h"
#include "exact.h"
#include "guarded.h"

namespace corten::rt::test {
namespace {

using Codes = std::vector<std::int8_t>;

AvgPool2d random_pool(Random& random, bool dilated) {
  AvgPool2d p{};
  p.batches = pick(random, 1, 2), p.input_height = pick(random, 1, 8), p.input_width = pick(random, 1, 8), p.channels = pick(random, 1, 21);
  p.kernel_height = pick(random, 1, 4), p.kernel_width = pick(random, 1, 4), p.stride_height = pick(random, 1, 4), p.stride_width = pick(random, 1, 5);
  p.dilation_height = dilated ? pick(random, 1, 2) : 1, p.dilation_width = dilated ? pick(random, 1, 2) : 1;
  p.padding_top = pick(random, 0, p.kernel_height / 2), p.padding_left = pick(random, 0, p.kernel_width / 2);
  p.padding_bottom = pick(random, 0, p.kernel_height / 2), p.padding_right = pick(random, 0, p.kernel_width / 2);
  const auto output = [&](int extent, int padding, int kernel, int dilation, int stride, int before) {
    const int free = extent + padding - (kernel - 1) * dilation - 1;
    int count = std::max(0, free) / stride + 1;
    if (pick(random, 0, 1) && free > 0 && free % stride && count * stride < extent + before) ++count;  // ceil_mode
    return count;
  };
  p.output_height = output(p.input_height, p.padding_top + p.padding_bottom, p.kernel_height, p.dilation_height, p.stride_height, p.padding_top);
  p.output_width = output(p.input_width, p.padding_left + p.padding_right, p.kernel_width, p.dilation_width, p.stride_width, p.padding_left);
  p.low = pick(random, 0, 2) ? -128 : pick(random, -100, 0), p.high = pick(random, 0, 2) ? 127 : pick(random, 0, 100);
  p.count_include_padding = pick(random, 0, 1), p.divisor_override = pick(random, 0, 2) ? 0 : pick(random, 1, 20);
  p.padding_value = pick(random, -128, 127);
  return p;
}

std::size_t input_elements(const AvgPool2d& p) { return static_cast<std::size_t>(p.batches * p.input_height * p.input_width * p.channels); }

/// Calls visit(code, inside the image, inside the padded image) for each cell of a window.
template <class Visit>
void for_each_cell(const AvgPool2d& p, const Codes& input, int batch, int y, int x, int channel, Visit visit) {
  for (int ky = 0; ky < p.kernel_height; ++ky)
    for (int kx = 0; kx < p.kernel_width; ++kx) {
      const int row = y * p.stride_height - p.padding_top + ky * p.dilation_height, column = x * p.stride_width - p.padding_left + kx * p.dilation_width;
      const bool inside = row >= 0 && row < p.input_height && column >= 0 && column < p.input_width;
      const bool padded = row < p.input_height + p.padding_bottom && column < p.input_width + p.padding_right;
      visit(inside ? input[static_cast<std::size_t>(((batch * p.input_height + row) * p.input_width + column) * p.channels + channel)] : 0, inside, padded);
    }
}

std::int8_t exact_maximum(const AvgPool2d& p, const Codes& input, int batch, int y, int x, int channel) {
  int largest = -128;
  for_each_cell(p, input, batch, y, x, channel, [&](int code, bool inside, bool) { largest = inside ? std::max(largest, code) : largest; });
  return static_cast<std::int8_t>(std::clamp(largest, p.low, p.high));
}

std::int8_t exact_average(const AvgPool2d& p, const Codes& input, int batch, int y, int x, int channel) {
  std::int64_t raw = 0, real = 0;
  int taps = 0, cells = 0;
  for_each_cell(p, input, batch, y, x, channel, [&](int code, bool inside, bool padded) {
    if (inside) raw += code, real += code - p.padding_value, ++taps;
    cells += padded;
  });
  Exact code;
  if (p.divisor_override != 0) code = p.padding_value + nearest_away(real, p.divisor_override);
  else if (p.count_include_padding != 0) code = p.padding_value + nearest_away(real, cells);
  else code = taps == 0 ? Exact{p.padding_value} : nearest_away(raw, taps);
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(code), p.low, p.high));
}

template <class Exactly>
Codes exact_pool(const AvgPool2d& p, const Codes& input, Exactly exactly) {
  Codes output;
  for (int batch = 0; batch < p.batches; ++batch)
    for (int y = 0; y < p.output_height; ++y)
      for (int x = 0; x < p.output_width; ++x)
        for (int channel = 0; channel < p.channels; ++channel) output.push_back(exactly(p, input, batch, y, x, channel));
  return output;
}

Pool2d maximum_of(const AvgPool2d& p) {
  return {p.batches, p.input_height, p.input_width, p.channels, p.output_height, p.output_width, p.kernel_height, p.kernel_width, p.stride_height, p.stride_width,
          p.dilation_height, p.dilation_width, p.padding_top, p.padding_left, p.low, p.high};
}

struct Maximum {
  static constexpr bool dilates = true;
  static constexpr auto exactly = exact_maximum;
  template <class Isa>
  static void whole(const AvgPool2d& p, const std::int8_t* input, std::int8_t* output) { max_pool2d<Isa>(maximum_of(p), input, output); }
  template <class Isa>
  static void row(const AvgPool2d& p, int, const std::int8_t* const* rows, std::int8_t* output) { max_pool2d_row<Isa>(maximum_of(p), rows, output); }
};
struct Average {
  static constexpr bool dilates = false;
  static constexpr auto exactly = exact_average;
  template <class Isa>
  static void whole(const AvgPool2d& p, const std::int8_t* input, std::int8_t* output) { avg_pool2d<Isa>(p, input, output); }
  template <class Isa>
  static void row(const AvgPool2d& p, int top, const std::int8_t* const* rows, std::int8_t* output) { avg_pool2d_row<Isa>(p, top, rows, output); }
};

template <class Kernel, class Isa>
void expect_exact(const AvgPool2d& p, const Codes& values) {
  const auto expected = exact_pool(p, values, Kernel::exactly);
  Guarded<std::int8_t> input(values.size(), 1), output(expected.size(), 2);
  std::copy(values.begin(), values.end(), input.data());
  Kernel::template whole<Isa>(p, input.data(), output.data());
  output.expect_guards();
  EXPECT_EQ(output.values(), expected);
}

/// As for convolutions: one block of memory, the smallest distance at which no output row meets a row of its own window.
template <class Kernel, class Isa>
void expect_overlap_exact(const AvgPool2d& p, const Codes& values, bool ascending) {
  const int in_row = p.input_width * p.channels, out_row = p.output_width * p.channels;
  int distance = 0;
  for (int y = 0; y < p.output_height; ++y)
    distance = std::max(distance, (y + 1) * out_row - std::clamp(y * p.stride_height - p.padding_top, 0, p.input_height) * in_row);
  const int span = std::max(distance + p.input_height * in_row, p.output_height * out_row);
  Guarded<std::int8_t> memory(static_cast<std::size_t>(span));
  const auto home = [&](int start, int elements) { return memory.data() + (ascending ? start : span - start - elements); };
  for (int y = 0; y < p.input_height; ++y) std::copy_n(values.begin() + y * in_row, in_row, home(distance + y * in_row, in_row));
  for (int y = 0; y < p.output_height; ++y) {
    std::vector<const std::int8_t*> rows;
    const int top = y * p.stride_height - p.padding_top;
    for (int ky = 0; ky < p.kernel_height; ++ky) {
      const int row = top + ky * p.dilation_height;
      rows.push_back(row < 0 || row >= p.input_height ? nullptr : home(distance + row * in_row, in_row));
    }
    Kernel::template row<Isa>(p, top, rows.data(), home(y * out_row, out_row));
  }
  memory.expect_guards();
  Codes output;
  for (int y = 0; y < p.output_height; ++y) output.insert(output.end(), home(y * out_row, out_row), home(y * out_row, out_row) + out_row);
  EXPECT_EQ(output, exact_pool(p, values, Kernel::exactly));
}

template <class Kernel>
class PoolTest : public ::testing::Test {};
using Kernels = ::testing::Types<Maximum, Average>;
TYPED_TEST_SUITE(PoolTest, Kernels, );

TYPED_TEST(PoolTest, EqualsTheDefinition) {  // T25: batch 2
  Random random(21);
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    const auto p = random_pool(random, TypeParam::dilates);
    const auto values = codes(input_elements(p), all_data[i % 5], random);
    expect_exact<TypeParam, Portable>(p, values);
    expect_exact<TypeParam, Dsp>(p, values);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(PoolTest, RowsOverlapAtTheTightestDistance) {
  Random random(22);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    auto p = random_pool(random, TypeParam::dilates);
    p.batches = 1;
    const auto values = codes(input_elements(p), Data::Uniform, random);
    for (bool ascending : {true, false}) expect_overlap_exact<TypeParam, Portable>(p, values, ascending), expect_overlap_exact<TypeParam, Dsp>(p, values, ascending);
    if (this->HasFailure()) return;
  }
}

AvgPool2d pairs(int count) { return {1, count, 2, 1, count, 1, 1, 2, 1, 1, 1, 1, 0, 0, -128, 127, 0, 0, 0, 0, 0}; }

TEST(AveragePool, HalvesGoAwayFromZero) {  // T10b
  const Codes input = {-3, -2, -2, -1, 0, -1, 1, 0, 2, 1, 2, 3};
  Codes output(6);
  avg_pool2d<Portable>(pairs(6), input.data(), output.data());
  EXPECT_EQ(output, (Codes{-3, -2, -1, 1, 2, 3}));
}

TEST(AveragePool, BothBatchesAreWritten) {  // T25: 2×4×4×1
  Codes input(32);
  for (int i = 0; i < 32; ++i) input[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i);
  Codes maximum(8), average(8);
  const AvgPool2d p{2, 4, 4, 1, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0, -128, 127, 0, 0, 0, 0, 0};
  max_pool2d<Portable>(maximum_of(p), input.data(), maximum.data());
  avg_pool2d<Portable>(p, input.data(), average.data());
  EXPECT_EQ(maximum, (Codes{5, 7, 13, 15, 21, 23, 29, 31}));
  EXPECT_EQ(average, (Codes{3, 5, 11, 13, 19, 21, 27, 29}));  // 2.5, 4.5, 10.5 …
}

TEST(AveragePool, PaddingCountsWhenAsked) {  // 3×3 window, padding 1, stride 2 over 4×4 with ceil_mode: the overhang never counts
  AvgPool2d p{1, 4, 4, 1, 3, 3, 3, 3, 2, 2, 1, 1, 1, 1, -128, 127, 1, 0, 1, 1, 10};
  const Codes input(16, 46);  // 36 above the zero point
  Codes output(9);
  avg_pool2d<Portable>(p, input.data(), output.data());
  // Taps inside: rows 2, 3, 1; padded cells: rows 3, 3, 2. Real 36 · taps / cells, plus 10.
  EXPECT_EQ(output, (Codes{26, 34, 22, 34, 46, 28, 22, 28, 19}));
  p.count_include_padding = 0;
  avg_pool2d<Portable>(p, input.data(), output.data());
  EXPECT_EQ(output, Codes(9, 46));
  p.divisor_override = 12;
  avg_pool2d<Portable>(p, input.data(), output.data());
  EXPECT_EQ(output, (Codes{22, 28, 16, 28, 37, 19, 16, 19, 13}));
}

TEST(AdaptiveAveragePool, WindowsOverlap) {  // 7 → 3: cells 0–2, 2–4, 4–6
  Codes input = {1, 2, 4, 8, 16, 32, 64}, output(3);
  adaptive_avg_pool2d<Portable>({1, 1, 7, 1, 1, 3, -128, 127}, input.data(), output.data());
  EXPECT_EQ(output, (Codes{2, 9, 37}));  // 7/3, 28/3, 112/3
}

TEST(AdaptiveAveragePool, EqualsTheDefinition) {
  Random random(23);
  for (int i = 0; i < 300; ++i) {
    const AdaptiveAvgPool2d p{pick(random, 1, 2), pick(random, 1, 9), pick(random, 1, 9), pick(random, 1, 6), pick(random, 1, 5), pick(random, 1, 5), -128, 127};
    const auto input = codes(static_cast<std::size_t>(p.batches * p.input_height * p.input_width * p.channels), all_data[i % 5], random);
    Codes expected;
    for (int b = 0; b < p.batches; ++b)
      for (int y = 0; y < p.output_height; ++y)
        for (int x = 0; x < p.output_width; ++x)
          for (int c = 0; c < p.channels; ++c) {
            int sum = 0, count = 0;
            // Cell r belongs to window y if it meets [y · in / out, (y + 1) · in / out).
            for (int r = 0; r < p.input_height; ++r)
              for (int s = 0; s < p.input_width; ++s)
                if ((r + 1) * p.output_height > y * p.input_height && r * p.output_height < (y + 1) * p.input_height && (s + 1) * p.output_width > x * p.input_width &&
                    s * p.output_width < (x + 1) * p.input_width)
                  sum += input[static_cast<std::size_t>(((b * p.input_height + r) * p.input_width + s) * p.channels + c)], ++count;
            expected.push_back(static_cast<std::int8_t>(nearest_away(sum, count)));
          }
    Guarded<std::int8_t> output(expected.size());
    adaptive_avg_pool2d<Dsp>(p, input.data(), output.data());
    output.expect_guards();
    ASSERT_EQ(output.values(), expected) << i;
  }
}

}  // namespace
}  // namespace corten::rt::test
