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

/// One output row: the largest code among the taps inside the image, clamped to [low, high]. Padding never wins.
template <class Isa = Native, class Rows>
void max_pool2d_row(const Pool2d& pool, Rows rows /*[kernel_height] row pointers, nullptr = outside*/, std::int8_t* output_row) {
  for (std::int32_t x = 0; x < pool.output_width; ++x, output_row += pool.channels) {
    const std::int32_t left = x * pool.stride_width - pool.padding_left;
    const TapRange taps(left, pool.input_width, pool.kernel_width, pool.dilation_width);
    for (std::int32_t channel = 0; channel < pool.channels; ++channel) {
      std::int32_t largest = pool.low;
      for (std::int32_t ky = 0; ky < pool.kernel_height; ++ky) {
        const std::int8_t* const row = rows[ky];
        if (row == nullptr) continue;
        const std::int8_t* code = row + (left + taps.first * pool.dilation_width) * pool.channels + channel;
        for (std::int32_t kx = taps.first; kx < taps.last; ++kx, code += pool.dilation_width * pool.channels)
          largest = *code > largest ? *code : largest;
      }
      output_row[channel] = static_cast<std::int8_t>(largest > pool.high ? pool.high : largest);
    }
  }
}

/// The whole layer, output rows in ascending order.
template <class Isa = Native>
void max_pool2d(const Pool2d& pool, const std::int8_t* input /*[batches][input_height][input_width][channels]*/, std::int8_t* output) {
  for_each_row(pool, pool.channels, pool.channels, input, output,
               [&](const WindowRows& rows, std::int8_t* output_row) { max_pool2d_row<Isa>(pool, rows, output_row); });
}

}  // namespace corten::rt
