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

/// One pixel's window: its first input column and the taps of a kernel row that lie in the image.
struct DepthwiseWindow {
  std::int32_t left;
  TapRange taps;
};

/// Adds a window that lies in the image wholly. `element` is that of its first tap in a row.
template <class Step, class Rows>
CORTEN_INLINE void add_window(typename Step::Sums& sums, const DepthwiseConv2d& conv, const Rows& rows, std::int32_t element, const std::int8_t* weights) {
  for (std::int32_t ky = 0; ky < conv.kernel_height; ++ky)
    weights = Step::add_taps(sums, inside_row(rows, ky) + element, weights, conv.kernel_width, conv.dilation_width * conv.input_channels, conv.output_channels);
}

/// Adds a window that meets the padding.
template <class Step, class Rows>
CORTEN_INLINE void add_clipped_window(typename Step::Sums& sums, const DepthwiseConv2d& conv, const Rows& rows, TapRange inside, std::int32_t element,
                                      const std::int8_t* weights) {
  for (std::int32_t ky = 0; ky < conv.kernel_height; ++ky) {
    const std::int8_t* const row = rows[ky];
    const std::int32_t first = row == nullptr ? 0 : inside.first, last = row == nullptr ? 0 : inside.last;
    weights = Step::add_padding(sums, conv.padding_value, weights, first, conv.output_channels);
    if (first < last)
      weights = Step::add_taps(sums, row + element + first * conv.dilation_width * conv.input_channels, weights, last - first,
                               conv.dilation_width * conv.input_channels, conv.output_channels);
    weights = Step::add_padding(sums, conv.padding_value, weights, conv.kernel_width - last, conv.output_channels);
  }
}

/// Step::channels output channels from `channel` on, of one pixel.
template <class Step, bool Inside, class Rows, class Requantize>
CORTEN_INLINE void depthwise_step(const DepthwiseConv2d& conv, const Rows& rows, const DepthwiseWindow& window, std::int32_t channel, std::int32_t input_channel,
                                  const std::int8_t* weights, const std::int32_t* bias, const Requantize& requantize, std::int8_t* output) {
  auto sums = Step::load_bias(bias + channel);
  const std::int32_t element = window.left * conv.input_channels + input_channel;
  if constexpr (Inside)
    add_window<Step>(sums, conv, rows, element, weights + channel);
  else
    add_clipped_window<Step>(sums, conv, rows, window.taps, element, weights + channel);
  Step::store_channels(sums, requantize, channel, output + channel);
}

/// All channels of one pixel.
template <class Isa, bool Inside, class Rows, class Requantize>
void depthwise_pixel(const DepthwiseConv2d& conv, const Rows& rows, const DepthwiseWindow& window, const std::int8_t* weights, const std::int32_t* bias,
                     const Requantize& caller_requantize, std::int8_t* output) {
  const Requantize requantize = caller_requantize;  // a copy, since stores of codes may alias what is reached by reference
  using Step = typename Isa::DepthwiseStep;
  using Rest = typename Isa::DepthwiseRest;
  using Single = Portable::DepthwiseStep;
  std::int32_t channel = 0;
  if (conv.depth_multiplier == 1) {
    for (; channel + Step::channels <= conv.output_channels; channel += Step::channels)
      depthwise_step<Step, Inside>(conv, rows, window, channel, channel, weights, bias, requantize, output);
    if constexpr (Step::channels > Rest::channels)
      for (; channel + Rest::channels <= conv.output_channels; channel += Rest::channels)
        depthwise_step<Rest, Inside>(conv, rows, window, channel, channel, weights, bias, requantize, output);
  }
  for (std::int32_t input_channel = channel / conv.depth_multiplier; input_channel < conv.input_channels; ++input_channel)
    for (std::int32_t m = 0; m < conv.depth_multiplier; ++m, ++channel)
      depthwise_step<Single, Inside>(conv, rows, window, channel, input_channel, weights, bias, requantize, output);
}

/// One output row: output_row[x][n] = requantize(bias[n] + Σ weights[ky][kx][n] · code, n). Needs no scratch.
template <class Isa = Native, class Rows, class Requantize>
void depthwise_conv2d_row(const DepthwiseConv2d& conv, Rows rows /*[kernel_height] row pointers, nullptr = padding*/,
                          const std::int8_t* weights /*[kernel_height][kernel_width][output_channels]*/, const std::int32_t* bias /*[output_channels]*/,
                          const Requantize& requantize, std::int8_t* output_row /*[output_width][output_channels]*/, void* /*scratch*/) {
  bool rows_inside = true;
  for (std::int32_t ky = 0; ky < conv.kernel_height; ++ky) rows_inside = rows_inside && rows[ky] != nullptr;
  std::int32_t left = -conv.padding_left;
  for (std::int32_t x = 0; x < conv.output_width; ++x, left += conv.stride_width, output_row += conv.output_channels) {
    const DepthwiseWindow window{left, TapRange(left, conv.input_width, conv.kernel_width, conv.dilation_width)};
    if (rows_inside && window.taps.count() == conv.kernel_width)
      depthwise_pixel<Isa, true>(conv, rows, window, weights, bias, requantize, output_row);
    else
      depthwise_pixel<Isa, false>(conv, rows, window, weights, bias, requantize, output_row);
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
