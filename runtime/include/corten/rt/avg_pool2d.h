// SPDX-License-Identifier: Apache-2.0
// int8 average pooling, row by row.
#pragma once
#include <cstdint>

#include "corten/rt/isa_native.h"
#include "corten/rt/requantize.h"
#include "corten/rt/rows.h"

namespace corten::rt {

/// PyTorch's avg_pool2d. Input and output share one grid. Precondition: dilations are 1.
struct AvgPool2d {
  std::int32_t batches, input_height, input_width, channels, output_height, output_width;
  std::int32_t kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  std::int32_t padding_top, padding_left;
  std::int32_t low, high;
  std::int32_t count_include_padding;  // whether cells of the padded image outside the image count in the divisor
  std::int32_t divisor_override;       // 0 = none
  std::int32_t padding_bottom, padding_right;  // a window's overhang beyond these never counts
  std::int32_t padding_value;          // the zero point
};

/// sum / count, halves away from zero. Precondition: count ≥ 1, |sum| + count / 2 fits int32.
constexpr std::int32_t rounded_average(std::int32_t sum, std::int32_t count) {
  const std::int32_t half = count / 2;
  return (sum > 0 ? sum + half : sum - half) / count;
}

/// How one output pixel turns its sum of codes into a code: clamped zero_point + sum' / divisor, where sum' is the sum of codes
/// less taps · zero_point.
struct AverageWindow {
  std::int32_t divisor, zero_point, taps, low, high;

  std::int8_t operator()(std::int32_t sum) const {
    return static_cast<std::int8_t>(clamp_code(zero_point + rounded_average(sum - taps * zero_point, divisor), low, high));
  }
};

/// top, left: the image row and column under tap (0, 0); taps: those inside the image.
constexpr AverageWindow average_window(const AvgPool2d& pool, std::int32_t top, std::int32_t left, std::int32_t taps) {
  if (pool.divisor_override != 0) return {pool.divisor_override, pool.padding_value, taps, pool.low, pool.high};
  if (pool.count_include_padding != 0) {
    const TapRange padded_rows(top + pool.padding_top, pool.input_height + pool.padding_top + pool.padding_bottom, pool.kernel_height, pool.dilation_height);
    const TapRange padded_columns(left + pool.padding_left, pool.input_width + pool.padding_left + pool.padding_right, pool.kernel_width, pool.dilation_width);
    return {padded_rows.count() * padded_columns.count(), pool.padding_value, taps, pool.low, pool.high};
  }
  if (taps == 0) return {1, pool.padding_value, 0, pool.low, pool.high};
  return {taps, 0, taps, pool.low, pool.high};
}

/// Codes of `channel` … of one pixel, as many as whole steps reach. first_element: that of channel 0 under the first tap.
/// Returns the first channel that is left.
template <class Step, class Rows, class Average>
inline std::int32_t average_channels(const Rows& rows, TapRange tall, TapRange wide, std::int32_t first_element, std::int32_t channel, std::int32_t channels,
                                     const Average& average, std::int8_t* output) {
  for (; channel + Step::channels <= channels; channel += Step::channels) {
    auto sums = Step::zero();
    for (std::int32_t ky = tall.first; ky < tall.last; ++ky) Step::add_codes(sums, rows[ky] + first_element + channel, wide.count(), channels);
    std::int32_t sum[Step::channels];
    Step::spill(sums, sum);
    for (int i = 0; i < Step::channels; ++i) output[channel + i] = average(sum[i]);
  }
  return channel;
}

/// All channels of one pixel.
template <class Isa, class Rows, class Average>
inline void average_pixel(const Rows& rows, TapRange tall, TapRange wide, std::int32_t first_element, std::int32_t channels, const Average& average,
                          std::int8_t* output) {
  const std::int32_t channel = average_channels<typename Isa::PoolStep>(rows, tall, wide, first_element, 0, channels, average, output);
  average_channels<Portable::PoolStep>(rows, tall, wide, first_element, channel, channels, average, output);
}

/// One output row. top: the image row under ky = 0, y · stride_height − padding_top; rows[ky] is read only where that row
/// lies in the image. Not counting padding: average of the raw codes inside the image, halves away from zero. Counting it, or
/// with divisor_override: zero point + Σ (code − zero point) / divisor, halves away from zero. Clamped to [low, high].
template <class Isa = Native, class Rows>
void avg_pool2d_row(const AvgPool2d& pool, std::int32_t top, Rows rows /*[kernel_height] row pointers*/, std::int8_t* output_row) {
  const TapRange tall(top, pool.input_height, pool.kernel_height, pool.dilation_height);
  for (std::int32_t x = 0; x < pool.output_width; ++x, output_row += pool.channels) {
    const std::int32_t left = x * pool.stride_width - pool.padding_left;
    const TapRange wide(left, pool.input_width, pool.kernel_width, pool.dilation_width);
    const AverageWindow average = average_window(pool, top, left, tall.count() * wide.count());
    average_pixel<Isa>(rows, tall, wide, (left + wide.first) * pool.channels, pool.channels, average, output_row);
  }
}

/// The whole layer, output rows in ascending order.
template <class Isa = Native>
void avg_pool2d(const AvgPool2d& pool, const std::int8_t* input /*[batches][input_height][input_width][channels]*/, std::int8_t* output) {
  for_each_row(pool, pool.channels, pool.channels, input, output,
               [&](const WindowRows& rows, std::int8_t* output_row) { avg_pool2d_row<Isa>(pool, rows.first(), rows, output_row); });
}

}  // namespace corten::rt
