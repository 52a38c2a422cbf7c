// SPDX-License-Identifier: Apache-2.0
// int8 average pooling to a given output extent.
#pragma once
#include <cstdint>

#include "corten/rt/avg_pool2d.h"

namespace corten::rt {

/// PyTorch's adaptive_avg_pool2d. Input and output share one grid.
struct AdaptiveAvgPool2d {
  std::int32_t batches, input_height, input_width, channels, output_height, output_width;
  std::int32_t low, high;
};

/// Cells ⌊i · input / output⌋ … ⌈(i + 1) · input / output⌉ − 1 of an axis.
constexpr TapRange adaptive_range(std::int32_t i, std::int32_t input, std::int32_t output) {
  const std::int32_t first = i * input / output, end = ((i + 1) * input + output - 1) / output;
  TapRange range(0, input, end, 1);
  range.first = first;
  return range;
}

/// One output row from all input rows of its window: the average of the codes, halves away from zero, clamped to [low, high].
/// rows[i] is row i of the image; only rows of adaptive_range(y, input_height, output_height) are read.
template <class Isa = Native, class Rows>
void adaptive_avg_pool2d_row(const AdaptiveAvgPool2d& pool, std::int32_t y, Rows rows, std::int8_t* output_row) {
  const TapRange tall = adaptive_range(y, pool.input_height, pool.output_height);
  for (std::int32_t x = 0; x < pool.output_width; ++x, output_row += pool.channels) {
    const TapRange wide = adaptive_range(x, pool.input_width, pool.output_width);
    const std::int32_t count = tall.count() * wide.count();
    const AverageWindow average{count, 0, count, pool.low, pool.high};
    average_pixel<Isa>(rows, tall, wide, wide.first * pool.channels, pool.channels, average, output_row);
  }
}

/// The whole layer, output rows in ascending order.
template <class Isa = Native>
void adaptive_avg_pool2d(const AdaptiveAvgPool2d& pool, const std::int8_t* input /*[batches][input_height][input_width][channels]*/, std::int8_t* output) {
  const std::int32_t row_elements = pool.input_width * pool.channels;
  for (std::int32_t batch = 0; batch < pool.batches; ++batch, input += pool.input_height * row_elements)
    for (std::int32_t y = 0; y < pool.output_height; ++y, output += pool.output_width * pool.channels)
      adaptive_avg_pool2d_row<Isa>(pool, y, WindowRows{input, 0, pool.input_height, 1, row_elements}, output);
}

}  // namespace corten::rt
