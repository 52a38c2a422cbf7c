// SPDX-License-Identifier: Apache-2.0
// The instruction set every core has: plain C++.
#pragma once
#include <cstdint>

#include "corten/rt/isa.h"
#include "corten/rt/unroll.h"

namespace corten::rt {

struct Portable : PortableTile {
  using Lane = std::int8_t;

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

  /// Sums of `channels` neighboring channels under a pooling window.
  struct PoolStep {
    static constexpr int channels = 1;
    using Sums = std::int32_t;

    static Sums zero() { return 0; }
    static void add_codes(Sums& sums, const std::int8_t* codes, int taps, int step) {
      for (; taps > 0; --taps, codes += step) sums += *codes;
    }
    static void spill(Sums sums, std::int32_t* to) { *to = sums; }
  };

  /// The largest codes of `channels` neighboring channels.
  struct MaximumStep {
    static constexpr int channels = 1;
    using Codes = std::int32_t;

    static Codes splat(std::int32_t code) { return code; }
    static void raise(Codes& largest, const std::int8_t* codes, int taps, int step) {
      for (; taps > 0; --taps, codes += step) largest = *codes > largest ? *codes : largest;
    }
    static void store(Codes largest, Codes high, std::int8_t* output) { *output = static_cast<std::int8_t>(largest > high ? high : largest); }
  };

  /// Depthwise sums of `channels` neighboring channels. add_taps and add_padding return the weights behind the taps they used.
  struct DepthwiseStep {
    static constexpr int channels = 1;
    using Sums = std::int32_t;

    static Sums load_bias(const std::int32_t* bias) { return *bias; }
    static const std::int8_t* add_taps(Sums& sums, const std::int8_t* codes, const std::int8_t* weights, int taps, int code_step, int weight_step) {
      for (; taps > 0; --taps, codes += code_step, weights += weight_step) sums += std::int32_t{*codes} * *weights;
      return weights;
    }
    static const std::int8_t* add_padding(Sums& sums, std::int32_t code, const std::int8_t* weights, int taps, int weight_step) {
      for (; taps > 0; --taps, weights += weight_step) sums += code * *weights;
      return weights;
    }
    template <class Requantize>
    static void store_channels(Sums sums, const Requantize& requantize, int channel, std::int8_t* output) {
      *output = requantize(sums, channel);
    }
  };
  using DepthwiseRest = DepthwiseStep;
};

}  // namespace corten::rt
