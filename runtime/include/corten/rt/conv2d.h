// SPDX-License-Identifier: Apache-2.0
// int8 convolution, row by row.
#pragma once
#include <cstddef>
#include <cstdint>

#include "corten/rt/bytes.h"
#include "corten/rt/isa_native.h"
#include "corten/rt/matmul.h"
#include "corten/rt/requantize.h"
#include "corten/rt/rows.h"

namespace corten::rt {

/// Padding below and to the right follows from the output's extents. Padding cells hold the code padding_value.
/// Preconditions: extents, strides, dilations and groups ≥ 1; input and output channels divisible by groups.
struct Conv2d {
  std::int32_t batches, input_height, input_width, input_channels, output_height, output_width, output_channels;
  std::int32_t kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  std::int32_t padding_top, padding_left, groups;
  std::int32_t padding_value;

  constexpr std::int32_t group_channels() const { return input_channels / groups; }
  constexpr std::int32_t depth() const { return kernel_height * kernel_width * group_channels(); }
};

/// Bytes of scratch that conv2d and conv2d_row need. Isa: a kernel's instruction set or its facts (DspTile).
template <class Isa>
constexpr std::size_t conv2d_scratch_bytes(const Conv2d& conv) {
  const auto lanes = round_up(static_cast<std::size_t>(conv.depth()), Isa::depth);
  const std::size_t expanded = Isa::cols * lanes * Isa::lane_bytes;
  return round_up(Isa::lane_bytes == 1 ? expanded : expanded + lanes, 4);  // a wider lane is expanded from a gathered patch
}

/// Writes the patch of `group` that the output pixel in column `x` sees: [kernel_height][kernel_width][group_channels].
template <class Rows>
void gather_patch(const Conv2d& conv, Rows rows, std::int32_t x, std::int32_t group, std::int8_t* patch) {
  const std::int32_t channels = conv.group_channels();
  const std::int32_t left = x * conv.stride_width - conv.padding_left;
  const bool inside = left >= 0 && left + (conv.kernel_width - 1) * conv.dilation_width < conv.input_width;
  const bool contiguous = inside && conv.dilation_width == 1 && conv.groups == 1;
  const std::int32_t run = conv.kernel_width * channels;
  for (std::int32_t ky = 0; ky < conv.kernel_height; ++ky) {
    const std::int8_t* const row = rows[ky];
    if (row == nullptr) {
      patch = fill_codes(patch, conv.padding_value, run);
      continue;
    }
    if (contiguous) {
      patch = copy_codes(patch, row + left * channels, run);
      continue;
    }
    std::int32_t column = left;
    for (std::int32_t kx = 0; kx < conv.kernel_width; ++kx, column += conv.dilation_width) {
      const bool outside = column < 0 || column >= conv.input_width;
      patch = outside ? fill_codes(patch, conv.padding_value, channels)
                      : copy_codes(patch, row + column * conv.input_channels + group * channels, channels);
    }
  }
}

/// Gathers patch `column` of a tile of Cols in the form Isa multiplies.
template <class Isa, int Cols, class Rows>
void gather_column(const Conv2d& conv, Rows rows, std::int32_t x, std::int32_t group, int column, void* scratch) {
  const std::int32_t depth = conv.depth();
  auto* const patches = static_cast<typename Isa::Lane*>(scratch);
  if constexpr (Isa::lane_bytes == 1) {
    gather_patch(conv, rows, x, group, patches + column * depth);
  } else {
    auto* const codes = static_cast<std::int8_t*>(scratch) + Isa::cols * round_up(static_cast<std::size_t>(depth), Isa::depth) * Isa::lane_bytes;
    gather_patch(conv, rows, x, group, codes);
    Isa::template expand<Cols>(codes, patches, column, depth);
  }
}

/// One output row: output_row[x][n] = requantize(bias[n] + Σ weights · codes, n). Each group of Isa::cols pixels is read whole
/// before its first output is written, which is what allows a 1×1 convolution to run in place (see README).
template <class Isa = Native, class Rows, class Requantize>
void conv2d_row(const Conv2d& conv, Rows rows /*[kernel_height] row pointers, nullptr = padding*/,
                const std::int8_t* weights /*[output_channels][kernel_height][kernel_width][input_channels / groups]*/,
                const std::int32_t* bias /*[output_channels]*/, const Requantize& requantize,
                std::int8_t* output_row /*[output_width][output_channels]*/, void* scratch) {
  const std::int32_t depth = conv.depth(), channels = conv.output_channels / conv.groups;
  const auto* const patches = static_cast<const typename Isa::Lane*>(scratch);
  for (std::int32_t group = 0; group < conv.groups; ++group) {
    const std::int32_t first = group * channels;
    const MatmulBlock block{weights + first * depth, bias + first, depth, first, channels, conv.output_channels};
    std::int8_t* output = output_row + first;
    std::int32_t x = 0;
    for (; x + Isa::cols <= conv.output_width; x += Isa::cols, output += Isa::cols * conv.output_channels) {
      for (int c = 0; c < Isa::cols; ++c) gather_column<Isa, Isa::cols>(conv, rows, x + c, group, c, scratch);
      matmul<Isa, Isa::cols>(block, patches, requantize, output);
    }
    for (; x < conv.output_width; ++x, output += conv.output_channels) {
      gather_column<Isa, 1>(conv, rows, x, group, 0, scratch);
      matmul<Isa, 1>(block, patches, requantize, output);
    }
  }
}

/// The whole layer, output rows in ascending order.
template <class Isa = Native, class Requantize>
void conv2d(const Conv2d& conv, const std::int8_t* input /*[batches][input_height][input_width][input_channels]*/, const std::int8_t* weights,
            const std::int32_t* bias, const Requantize& requantize, std::int8_t* output, void* scratch) {
  for_each_row(conv, conv.input_channels, conv.output_channels, input, output, [&](const WindowRows& rows, std::int8_t* output_row) {
    conv2d_row<Isa>(conv, rows, weights, bias, requantize, output_row, scratch);
  });
}

}  // namespace corten::rt
