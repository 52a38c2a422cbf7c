// SPDX-License-Identifier: Apache-2.0
// The instruction set every core has: plain C++.
#pragma once
#include <cstdint>

#include "corten/rt/isa.h"
#include "corten/rt/unroll.h"

namespace corten::rt {

struct Portable : PortableTile {
  using Lane = std::int8_t;
  using Sums = std::int32_t;  // accumulators of one depthwise step

  /// acc[r][c] += Σ_i weights[r·stride + i] · patches[c·stride + i], i < depth.
  template <int Rows, int Cols>
  static void dot(std::int32_t (&acc)[Rows][Cols], const std::int8_t* weights, const Lane* patches, int depth) {
    for (int i = 0; i < depth; ++i) {
      CORTEN_UNROLL for (int r = 0; r < Rows; ++r) {
        const std::int32_t weight = weights[r * depth + i];
        CORTEN_UNROLL for (int c = 0; c < Cols; ++c) acc[r][c] += weight * patches[c * depth + i];
      }
    }
  }

  template <int Rows>
  static void dot_codes(std::int32_t (&acc)[Rows][1], const std::int8_t* weights, const std::int8_t* codes, int depth) {
    dot<Rows, 1>(acc, weights, codes, depth);
  }

  template <class Requantize, int Rows, int Cols>
  static void store(const std::int32_t (&acc)[Rows][Cols], const Requantize& requantize, int channel, std::int8_t* output, int output_stride) {
    CORTEN_UNROLL for (int r = 0; r < Rows; ++r)
      CORTEN_UNROLL for (int c = 0; c < Cols; ++c) output[c * output_stride + r] = requantize(acc[r][c], channel + r);
  }

  static Sums load_bias(const std::int32_t* bias) { return *bias; }
  static void multiply_add(Sums& sums, const std::int8_t* codes, const std::int8_t* weights) { sums += std::int32_t{*codes} * *weights; }
  static void multiply_add(Sums& sums, std::int32_t code, const std::int8_t* weights) { sums += code * *weights; }
  template <class Requantize>
  static void store_channels(Sums sums, const Requantize& requantize, int channel, std::int8_t* output) {
    *output = requantize(sums, channel);
  }
};

}  // namespace corten::rt
