// SPDX-License-Identifier: Apache-2.0
// int8 fully connected layer.
#pragma once
#include <cstddef>
#include <cstdint>

#include "corten/rt/isa_native.h"
#include "corten/rt/requantize.h"

namespace corten::rt {

struct FullyConnected {
  std::int32_t rows;  // product of the leading dimensions
  std::int32_t depth, output_channels;
};

/// Bytes of scratch that fully_connected needs: none.
template <class Isa>
constexpr std::size_t fully_connected_scratch_bytes(const FullyConnected&) {
  return 0;
}

template <class Isa, int Rows, class Requantize>
CORTEN_INLINE void fully_connected_tile(const FullyConnected& layer, int channel, const std::int8_t* codes, const std::int8_t* weights, const std::int32_t* bias,
                                 const Requantize& requantize, std::int8_t* output) {
  std::int32_t acc[Rows][1];
  CORTEN_UNROLL for (int r = 0; r < Rows; ++r) acc[r][0] = bias[channel + r];
  Isa::template dot_codes<Rows>(acc, weights + channel * layer.depth, codes, layer.depth);
  Isa::template store<Requantize, Rows, 1>(acc, requantize, channel, output + channel, 0);
}

/// output[row][n] = requantize(bias[n] + Σ_k input[row][k] · weights[n][k], n).
/// Output row r must not overlap input rows r and later.
template <class Isa = Native, class Requantize>
void fully_connected(const FullyConnected& caller_layer, const std::int8_t* input /*[rows][depth]*/, const std::int8_t* weights /*[output_channels][depth]*/,
                     const std::int32_t* bias /*[output_channels]*/, const Requantize& caller_requantize,
                     std::int8_t* output /*[rows][output_channels]*/, void* /*scratch*/) {
  // Copies, since stores of codes may alias anything reached by reference.
  const FullyConnected layer = caller_layer;
  const Requantize requantize = caller_requantize;
  for (std::int32_t row = 0; row < layer.rows; ++row, input += layer.depth, output += layer.output_channels) {
    std::int32_t channel = 0;
    for (; channel + 4 <= layer.output_channels; channel += 4) fully_connected_tile<Isa, 4>(layer, channel, input, weights, bias, requantize, output);
    for (; channel < layer.output_channels; ++channel) fully_connected_tile<Isa, 1>(layer, channel, input, weights, bias, requantize, output);
  }
}

}  // namespace corten::rt
