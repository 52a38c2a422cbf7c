// SPDX-License-Identifier: Apache-2.0
// int8 depthwise convolution, row by row.
#pragma once
#include <cstddef>
#include <cstdint>

#include "corten/rt/isa_native.h"
#include "corten/rt/requantize.h"
#include "corten/rt/rows.h"

namespace corten::rt {

/// Output channel c · depth_multiplier + m sees input channel c. Padding as in Conv2d.
/// Precondition: output_channels = input_channels · depth_multiplier.
struct DepthwiseConv2d {
  std::int32_t batches, input_height, input_width, input_channels, output_height, output_width, output_channels;
  std::int32_t kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  std::int32_t padding_top, padding_left, depth_multiplier;
  std::int32_t padding_value;
};

/// Bytes of scratch that depthwise_conv2d and depthwise_conv2d_row need: none.
template <class Isa>
constexpr std::size_t depthwise_conv2d_scratch_bytes(const DepthwiseConv2d&) {
  return 0;
}

/// The sums of Step::channels output channels from `channel` for the pixel whose window starts in input column `left`.
/// Inside: every tap lies in the image, no row is nullptr.
template <class Step, bool Inside, class Rows>
inline typename Step::Sums depthwise_sums(const DepthwiseConv2d& conv, Rows rows, std::int32_t left, std::int32_t channel, std::int32_t input_channel,
                                          const std::int8_t* weights, const std::int32_t* bias) {
  auto sums = Step::load_bias(bias + channel);
  const std::int8_t* weight = weights + channel;
  for (std::int32_t ky = 0; ky < conv.kernel_height; ++ky) {
    const std::int8_t* const row = rows[ky];
    std::int32_t column = left;
    for (std::int32_t kx = 0; kx < conv.kernel_width; ++kx, column += conv.dilation_width, weight += conv.output_channels) {
      if (Inside || (row != nullptr && column >= 0 && column < conv.input_width))
        Step::multiply_add(sums, row + column * conv.input_channels + input_channel, weight);
      else
        Step::multiply_add(sums, conv.padding_value, weight);
    }
  }
  return sums;
}

template <class Isa, bool Inside, class Rows, class Requantize>
inline void depthwise_pixel(const DepthwiseConv2d& conv, Rows rows, std::int32_t left, const std::int8_t* weights, const std::int32_t* bias,
                            const Requantize& requantize, std::int8_t* output) {
  std::int32_t channel = 0;
  if (conv.depth_multiplier == 1)
    for (; channel + Isa::channels <= conv.output_channels; channel += Isa::channels)
      Isa::store_channels(depthwise_sums<Isa, Inside>(conv, rows, left, channel, channel, weights, bias), requantize, channel, output + channel);
  for (std::int32_t input_channel = channel / conv.depth_multiplier; input_channel < conv.input_channels; ++input_channel)
    for (std::int32_t m = 0; m < conv.depth_multiplier; ++m, ++channel)
      Portable::store_channels(depthwise_sums<Portable, Inside>(conv, rows, left, channel, input_channel, weights, bias), requantize, channel,
                               output + channel);
}

/// One output row: output_row[x][n] = requantize(bias[n] + Σ weights[ky][kx][n] · code, n). Needs no scratch.
template <class Isa = Native, class Rows, class Requantize>
void depthwise_conv2d_row(const DepthwiseConv2d& conv, Rows rows /*[kernel_height] row pointers, nullptr = padding*/,
                          const std::int8_t* weights /*[kernel_height][kernel_width][output_channels]*/, const std::int32_t* bias /*[output_channels]*/,
                          const Requantize& requantize, std::int8_t* output_row /*[output_width][output_channels]*/, void* /*scratch*/) {
  bool rows_inside = true;
  for (std::int32_t ky = 0; ky < conv.kernel_height; ++ky) rows_inside = rows_inside && rows[ky] != nullptr;
  const std::int32_t last_left = conv.input_width - 1 - (conv.kernel_width - 1) * conv.dilation_width;
  std::int32_t left = -conv.padding_left;
  for (std::int32_t x = 0; x < conv.output_width; ++x, left += conv.stride_width, output_row += conv.output_channels) {
    if (rows_inside && left >= 0 && left <= last_left)
      depthwise_pixel<Isa, true>(conv, rows, left, weights, bias, requantize, output_row);
    else
      depthwise_pixel<Isa, false>(conv, rows, left, weights, bias, requantize, output_row);
  }
}

/// The whole layer, output rows in ascending order.
template <class Isa = Native, class Requantize>
void depthwise_conv2d(const DepthwiseConv2d& conv, const std::int8_t* input /*[batches][input_height][input_width][input_channels]*/,
                      const std::int8_t* weights, const std::int32_t* bias, const Requantize& requantize, std::int8_t* output, void* scratch) {
  for_each_row(conv, conv.input_channels, conv.output_channels, input, output, [&](const WindowRows& rows, std::int8_t* output_row) {
    depthwise_conv2d_row<Isa>(conv, rows, weights, bias, requantize, output_row, scratch);
  });
}

}  // namespace corten::rt
