// SPDX-License-Identifier: Apache-2.0
// int8 maximum pooling, row by row.
#pragma once
#include <cstdint>

#include "corten/rt/isa_native.h"
#include "corten/rt/requantize.h"
#include "corten/rt/rows.h"

namespace corten::rt {

struct Pool2d {
  std::int32_t batches, input_height, input_width, channels, output_height, output_width;
  std::int32_t kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  std::int32_t padding_top, padding_left;
  std::int32_t low, high;
};

/// Codes of one pixel from `channel` on, as many as whole steps reach. first_element: that of channel 0 under the first tap.
/// Returns the first channel that is left.
template <class Step, class Rows>
inline std::int32_t largest_channels(const Pool2d& pool, const Rows& rows, TapRange wide, std::int32_t first_element, std::int32_t channel, std::int8_t* output) {
  const auto low = Step::splat(pool.low), high = Step::splat(pool.high);
  const std::int32_t channels = pool.channels, step = pool.dilation_width * channels;
  for (; channel + Step::channels <= channels; channel += Step::channels) {
    auto largest = low;
    for (std::int32_t ky = 0; ky < pool.kernel_height; ++ky) {
      const std::int8_t* const row = rows[ky];
      if (row != nullptr) Step::raise(largest, row + first_element + channel, wide.count(), step);
    }
    Step::store(largest, high, output + channel);
  }
  return channel;
}

/// One output row: the largest code among the taps inside the image, clamped to [low, high]. Padding never wins.
template <class Isa = Native, class Rows>
void max_pool2d_row(const Pool2d& pool, Rows rows /*[kernel_height] row pointers, nullptr = outside*/, std::int8_t* output_row) {
  for (std::int32_t x = 0; x < pool.output_width; ++x, output_row += pool.channels) {
    const std::int32_t left = x * pool.stride_width - pool.padding_left;
    const TapRange wide(left, pool.input_width, pool.kernel_width, pool.dilation_width);
    const std::int32_t first_element = (left + wide.first * pool.dilation_width) * pool.channels;
    const std::int32_t channel = largest_channels<typename Isa::MaximumStep>(pool, rows, wide, first_element, 0, output_row);
    largest_channels<Portable::MaximumStep>(pool, rows, wide, first_element, channel, output_row);
  }
}

/// The whole layer, output rows in ascending order.
template <class Isa = Native>
void max_pool2d(const Pool2d& pool, const std::int8_t* input /*[batches][input_height][input_width][channels]*/, std::int8_t* output) {
  for_each_row(pool, pool.channels, pool.channels, input, output,
               [&](const WindowRows& rows, std::int8_t* output_row) { max_pool2d_row<Isa>(pool, rows, output_row); });
}

}  // namespace corten::rt
