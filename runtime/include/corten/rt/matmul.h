// SPDX-License-Identifier: Apache-2.0
// Weight rows times gathered patches: the multiplication inside convolutions.
#pragma once
#include <cstdint>

#include "corten/rt/unroll.h"

namespace corten::rt {

/// Where the results of a block go and what they are multiplied by.
struct MatmulBlock {
  const std::int8_t* weights;  // [channels][depth]
  const std::int32_t* bias;    // [channels]
  std::int32_t depth;
  std::int32_t first_channel;  // index of weights[0] for the requantizer
  std::int32_t channels;
  std::int32_t output_stride;  // elements between the outputs of two patches
};

/// One register tile, from bias to stored codes.
template <class Isa, int Rows, int Cols, class Requantize>
CORTEN_INLINE void matmul_tile(const MatmulBlock& block, int row, const typename Isa::Lane* patches, const Requantize& requantize, std::int8_t* output) {
  std::int32_t acc[Rows][Cols];
  CORTEN_UNROLL for (int r = 0; r < Rows; ++r)
    CORTEN_UNROLL for (int c = 0; c < Cols; ++c) acc[r][c] = block.bias[row + r];
  Isa::template dot<Rows, Cols>(acc, block.weights + row * block.depth, patches, block.depth);
  Isa::template store<Requantize, Rows, Cols>(acc, requantize, block.first_channel + row, output + row, block.output_stride);
}

/// output[c · output_stride + n] = requantize(bias[n] + Σ_k weights[n][k] · patch c [k], first_channel + n) for all channels n.
template <class Isa, int Cols, class Requantize>
void matmul(const MatmulBlock& caller_block, const typename Isa::Lane* patches, const Requantize& caller_requantize, std::int8_t* output) {
  // Copies, since stores of codes may alias anything reached by reference.
  const MatmulBlock block = caller_block;
  const Requantize requantize = caller_requantize;
  int row = 0;
  for (; row + Isa::rows <= block.channels; row += Isa::rows)
    matmul_tile<Isa, Isa::rows, Cols>(block, row, patches, requantize, output);
  for (; row < block.channels; ++row) matmul_tile<Isa, 1, Cols>(block, row, patches, requantize, output);
}

}  // namespace corten::rt
