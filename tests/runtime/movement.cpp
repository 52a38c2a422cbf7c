// SPDX-License-Identifier: Apache-2.0
// Kernels that move data, change its grid or reduce it.
#include <cmath>

#include "corten/rt/copy.h"
#include "corten/rt/dequantize.h"
#include "corten/rt/mean.h"
#include "corten/rt/pad.h"
#include "corten/rt/quantize.h"
#include "corten/rt/transpose.h"
#include "exact.h"
#include "guarded.h"

namespace corten::rt::test {
namespace {

using Codes = std::vector<std::int8_t>;

/// Index of `position` along each axis of a row-major shape.
std::vector<int> index_of(int position, const std::int32_t* shape, int rank) {
  std::vector<int> index(static_cast<std::size_t>(rank));
  for (int axis = rank - 1; axis >= 0; --axis) index[static_cast<std::size_t>(axis)] = position % shape[axis], position /= shape[axis];
  return index;
}

TEST(Transpose, MovesEveryElement) {
  Random random(31);
  for (int i = 0; i < 200; ++i) {
    Transpose axes{pick(random, 0, 6), {}, {}};
    std::vector<int> order(static_cast<std::size_t>(axes.rank)), extent(order.size()), stride(order.size());
    int elements = 1;
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
      const auto at = static_cast<std::size_t>(axis);
      order[at] = axis, extent[at] = pick(random, 1, 4), stride[at] = elements, elements *= extent[at];
    }
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t axis = 0; axis < order.size(); ++axis) axes.shape[axis] = extent[static_cast<std::size_t>(order[axis])], axes.input_stride[axis] = stride[static_cast<std::size_t>(order[axis])];
    const auto input = codes(static_cast<std::size_t>(elements), Data::Uniform, random);
    Guarded<std::int8_t> output(input.size());
    transpose(axes, input.data(), output.data());
    output.expect_guards();
    const auto moved = output.values();
    for (int position = 0; position < elements; ++position) {
      const auto index = index_of(position, axes.shape, axes.rank);
      int from = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis) from += index[axis] * axes.input_stride[axis];
      ASSERT_EQ(moved[static_cast<std::size_t>(position)], input[static_cast<std::size_t>(from)]);
    }
  }
}

TEST(Pad, AnyRank) {  // T31: [7] and rank 5
  const Codes seven = {1, 2, 3, 4, 5, 6, 7};
  Guarded<std::int8_t> row(10);
  pad(Pad{1, {7}, {2}, {1}, -9}, seven.data(), row.data());
  row.expect_guards();
  EXPECT_EQ(row.values(), (Codes{-9, -9, 1, 2, 3, 4, 5, 6, 7, -9}));
  const Codes four = {1, 2, 3, 4};
  Guarded<std::int8_t> deep(24);
  pad(Pad{5, {1, 2, 1, 2, 1}, {0, 0, 1, 0, 0}, {0, 1, 0, 0, 1}, 5}, four.data(), deep.data());  // [1, 3, 2, 2, 2]
  deep.expect_guards();
  EXPECT_EQ(deep.values(), (Codes{5, 5, 5, 5, 1, 5, 2, 5, 5, 5, 5, 5, 3, 5, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5}));
}

TEST(CopyBlock, SlicesAndConcatenates) {
  const Codes input = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};  // [3, 4]
  Codes columns(4);
  copy(Copy{2, {2, 2}, {8, 2}, {2, 1}}, input.data() + 1, columns.data());  // [::2, 1::2]
  EXPECT_EQ(columns, (Codes{1, 3, 9, 11}));
  Codes joined(9, 50);
  copy(Copy{2, {3, 2}, {4, 1}, {3, 1}}, input.data(), joined.data() + 1);  // columns 0, 1 beside another part
  EXPECT_EQ(joined, (Codes{50, 0, 1, 50, 4, 5, 50, 8, 9}));
  const std::vector<float> reals = {1, 2, 3};
  std::vector<float> backward(3);
  copy(Copy{1, {3}, {-1}, {1}}, reals.data() + 2, backward.data());
  EXPECT_EQ(backward, (std::vector<float>{3, 2, 1}));
}

TEST(MeanKernel, EqualsTheDefinition) {
  Random random(32);
  for (int i = 0; i < 300; ++i) {
    const int rank = pick(random, 1, 5), reduced_mask = pick(random, 0, (1 << rank) - 1);
    Mean mean{};
    mean.count = 1;
    std::int32_t shape[5], stride[5];
    int elements = 1, outputs = 1;
    for (int axis = rank - 1; axis >= 0; --axis) shape[axis] = pick(random, 1, 5), stride[axis] = elements, elements *= shape[axis];
    for (int axis = 0; axis < rank; ++axis) {
      if (reduced_mask >> axis & 1) mean.reduced_shape[mean.reduced_rank] = shape[axis], mean.reduced_stride[mean.reduced_rank++] = stride[axis], mean.count *= shape[axis];
      else mean.kept_shape[mean.kept_rank] = shape[axis], mean.kept_stride[mean.kept_rank++] = stride[axis], outputs *= shape[axis];
    }
    mean.input_zero_point = pick(random, -128, 127), mean.output_zero_point = pick(random, -128, 127);
    mean.multiplier = pick(random, 1 << 30, INT32_MAX), mean.shift = pick(random, -10, 1), mean.low = -128, mean.high = pick(random, 0, 127);
    const auto input = codes(static_cast<std::size_t>(elements), all_data[i % 5], random);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(outputs), -std::int64_t{mean.count} * mean.input_zero_point);
    for (int position = 0; position < elements; ++position) {
      const auto index = index_of(position, shape, rank);
      int output = 0;
      for (int axis = 0; axis < rank; ++axis)
        if (!(reduced_mask >> axis & 1)) output = output * shape[axis] + index[static_cast<std::size_t>(axis)];
      sums[static_cast<std::size_t>(output)] += input[static_cast<std::size_t>(position)];
    }
    Guarded<std::int8_t> once(sums.size()), twice(sums.size());
    corten::rt::mean<Rounding::Single>(mean, input.data(), once.data());
    corten::rt::mean<Rounding::Double>(mean, input.data(), twice.data());
    once.expect_guards(), twice.expect_guards();
    for (std::size_t n = 0; n < sums.size(); ++n) {
      ASSERT_EQ(once.data()[n], exact_code(Rounding::Single, sums[n], mean.multiplier, mean.shift, mean.output_zero_point, mean.low, mean.high));
      ASSERT_EQ(twice.data()[n], exact_code(Rounding::Double, sums[n], mean.multiplier, mean.shift, mean.output_zero_point, mean.low, mean.high));
    }
  }
}

TEST(QuantizeKernel, RoundsHalfToEvenAndSaturates) {
  const std::vector<float> reals = {-0.5f, 0.5f, 1.5f, -1.5f, 2.5f, -2.5f, 1e30f, -1e30f, 126.4f, std::nanf("")};
  Codes output(reals.size());
  quantize(Quantize{1.0f, 0, -128, 127}, static_cast<std::int32_t>(reals.size()), reals.data(), output.data());
  EXPECT_EQ(output, (Codes{0, 0, 2, -2, 2, -2, 127, -128, 126, -128}));
  const float fine = -2.45f;  // T09b: PyTorch multiplies by the reciprocal
  quantize(Quantize{1.0f / 0.02f, 0, -128, 127}, 1, &fine, output.data());
  EXPECT_EQ(output[0], -122);
}

TEST(QuantizeKernel, EqualsNearbyint) {
  Random random(33);
  std::uniform_real_distribution<float> real(-40.0f, 40.0f);
  for (int i = 0; i < 100000; ++i) {
    const Quantize grid{real(random), pick(random, -128, 127), -128, 127};
    const float value = real(random);
    std::int8_t code;
    quantize(grid, 1, &value, &code);
    ASSERT_EQ(code, std::clamp(std::nearbyint(value * grid.inverse_scale) + static_cast<float>(grid.zero_point), -128.0f, 127.0f));
  }
}

TEST(DequantizeKernel, SubtractsThenScales) {
  const Codes input = {-128, 0, 127};
  std::vector<float> output(3);
  dequantize(Dequantize{0.5f, 3}, 3, input.data(), output.data());
  EXPECT_EQ(output, (std::vector<float>{-65.5f, -1.5f, 62.0f}));
}

}  // namespace
}  // namespace corten::rt::test
