// SPDX-License-Identifier: Apache-2.0
// Helium, the vector extension of Armv8.1-M.
#pragma once
#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>

#include <cstdint>

#include "corten/rt/isa.h"
#include "corten/rt/requantize.h"
#include "corten/rt/unroll.h"

namespace corten::rt {
namespace mve {

/// requantize<R> of four values, each with its own multiplier and shift.
template <Rounding R>
inline int32x4_t requantize4(int32x4_t values, int32x4_t multipliers, int32x4_t shifts) {
  if constexpr (R == Rounding::Single) {
    int32x4_t result = values;
    result = vsetq_lane_s32(requantize<R>(vgetq_lane_s32(values, 0), vgetq_lane_s32(multipliers, 0), vgetq_lane_s32(shifts, 0)), result, 0);
    result = vsetq_lane_s32(requantize<R>(vgetq_lane_s32(values, 1), vgetq_lane_s32(multipliers, 1), vgetq_lane_s32(shifts, 1)), result, 1);
    result = vsetq_lane_s32(requantize<R>(vgetq_lane_s32(values, 2), vgetq_lane_s32(multipliers, 2), vgetq_lane_s32(shifts, 2)), result, 2);
    return vsetq_lane_s32(requantize<R>(vgetq_lane_s32(values, 3), vgetq_lane_s32(multipliers, 3), vgetq_lane_s32(shifts, 3)), result, 3);
  }
  const int32x4_t zero = vdupq_n_s32(0);
  const int32x4_t right = vminq_s32(shifts, zero);
  const int32x4_t high = vqrdmulhq_s32(vshlq_s32(values, vmaxq_s32(shifts, zero)), multipliers);
  const int32x4_t away = vshrq_n_s32(vandq_s32(high, right), 31);  // −1 where a negative value is to be shifted right
  return vrshlq_s32(vaddq_s32(high, away), right);
}

template <Rounding R>
inline int32x4_t codes(const PerTensor<R>& q, int32x4_t values, int /*channel*/) {
  const int32x4_t scaled = requantize4<R>(values, vdupq_n_s32(q.multiplier), vdupq_n_s32(q.shift));
  return vminq_s32(vmaxq_s32(vaddq_n_s32(scaled, q.zero_point), vdupq_n_s32(q.low)), vdupq_n_s32(q.high));
}
template <Rounding R>
inline int32x4_t codes(const PerChannel<R>& q, int32x4_t values, int channel) {
  const int32x4_t scaled = requantize4<R>(values, vldrwq_s32(q.multiplier + channel), vldrwq_s32(q.shift + channel));
  return vminq_s32(vmaxq_s32(vaddq_n_s32(scaled, q.zero_point), vdupq_n_s32(q.low)), vdupq_n_s32(q.high));
}

/// 0 4 8 12
inline uint32x4_t every_fourth() { return vidupq_n_u32(0, 4); }

/// As codes, for channels channel, channel + 4, + 8 and + 12.
template <Rounding R>
inline int32x4_t codes_of_every_fourth(const PerTensor<R>& q, int32x4_t values, int channel) {
  return codes(q, values, channel);
}
template <Rounding R>
inline int32x4_t codes_of_every_fourth(const PerChannel<R>& q, int32x4_t values, int channel) {
  const int32x4_t scaled = requantize4<R>(values, vldrwq_gather_shifted_offset_s32(q.multiplier + channel, every_fourth()),
                                          vldrwq_gather_shifted_offset_s32(q.shift + channel, every_fourth()));
  return vminq_s32(vmaxq_s32(vaddq_n_s32(scaled, q.zero_point), vdupq_n_s32(q.low)), vdupq_n_s32(q.high));
}

}  // namespace mve

/// requantize of four values with one multiplier and shift.
template <Rounding R>
inline int32x4_t requantize(int32x4_t values, std::int32_t multiplier, std::int32_t shift) {
  return mve::requantize4<R>(values, vdupq_n_s32(multiplier), vdupq_n_s32(shift));
}
inline int32x4_t clamp_code(int32x4_t codes, std::int32_t low, std::int32_t high) {
  return vminq_s32(vmaxq_s32(codes, vdupq_n_s32(low)), vdupq_n_s32(high));
}

struct Mve : MveTile {
  using Lane = std::int8_t;

  static int32x4_t load_elements(const std::int8_t* codes) { return vldrbq_s32(codes); }
  static void store_elements(std::int8_t* codes, int32x4_t elements) { vstrbq_s32(codes, elements); }

  /// Sums of `channels` neighboring channels under a pooling window.
  struct PoolStep {
    static constexpr int channels = 4;
    using Sums = int32x4_t;

    static Sums zero() { return vdupq_n_s32(0); }
    static void add_codes(Sums& sums, const std::int8_t* codes, int taps, int step) {
      for (; taps > 0; --taps, codes += step) sums = vaddq_s32(sums, vldrbq_s32(codes));
    }
    static void spill(Sums sums, std::int32_t* to) { vstrwq_s32(to, sums); }
  };

  struct MaximumStep {
    static constexpr int channels = 16;
    using Codes = int8x16_t;

    static Codes splat(std::int32_t code) { return vdupq_n_s8(static_cast<std::int8_t>(code)); }
    static void raise(Codes& largest, const std::int8_t* codes, int taps, int step) {
      for (; taps > 0; --taps, codes += step) largest = vmaxq_s8(largest, vldrbq_s8(codes));
    }
    static void store(Codes largest, Codes high, std::int8_t* output) { vstrbq_s8(output, vminq_s8(largest, high)); }
  };

  template <int Rows, int Cols>
  static void dot(std::int32_t (&acc)[Rows][Cols], const std::int8_t* weights, const Lane* patches, int depth) {
    int left = depth;
    for (; left >= 16; left -= 16, weights += 16, patches += 16) {
      int8x16_t codes[Cols];
      CORTEN_UNROLL for (int c = 0; c < Cols; ++c) codes[c] = vldrbq_s8(patches + c * depth);
      CORTEN_UNROLL for (int r = 0; r < Rows; ++r) {
        const int8x16_t row = vldrbq_s8(weights + r * depth);
        CORTEN_UNROLL for (int c = 0; c < Cols; ++c) acc[r][c] = vmladavaq_s8(acc[r][c], row, codes[c]);
      }
    }
    if (left == 0) return;
    const mve_pred16_t some = vctp8q(static_cast<std::uint32_t>(left));
    int8x16_t codes[Cols];
    CORTEN_UNROLL for (int c = 0; c < Cols; ++c) codes[c] = vldrbq_z_s8(patches + c * depth, some);
    CORTEN_UNROLL for (int r = 0; r < Rows; ++r) {
      const int8x16_t row = vldrbq_z_s8(weights + r * depth, some);
      CORTEN_UNROLL for (int c = 0; c < Cols; ++c) acc[r][c] = vmladavaq_s8(acc[r][c], row, codes[c]);
    }
  }

  template <int Rows>
  static void dot_codes(std::int32_t (&acc)[Rows][1], const std::int8_t* weights, const std::int8_t* codes, int depth) {
    dot<Rows, 1>(acc, weights, codes, depth);
  }

  template <class Requantize, int Rows, int Cols>
  static void store(const std::int32_t (&acc)[Rows][Cols], const Requantize& requantize, int channel, std::int8_t* output, int output_stride) {
    CORTEN_UNROLL for (int c = 0; c < Cols; ++c) {
      if constexpr (Rows == 4) {
        int32x4_t values = vdupq_n_s32(acc[0][c]);
        values = vsetq_lane_s32(acc[1][c], values, 1);
        values = vsetq_lane_s32(acc[2][c], values, 2);
        values = vsetq_lane_s32(acc[3][c], values, 3);
        vstrbq_s32(output + c * output_stride, mve::codes(requantize, values, channel));
      } else {
        CORTEN_UNROLL for (int r = 0; r < Rows; ++r) output[c * output_stride + r] = requantize(acc[r][c], channel + r);
      }
    }
  }

  struct DepthwiseRest {
    static constexpr int channels = 4;
    using Sums = int32x4_t;

    static Sums load_bias(const std::int32_t* bias) { return vldrwq_s32(bias); }
    static const std::int8_t* add_taps(Sums& sums, const std::int8_t* codes, const std::int8_t* weights, int taps, int code_step, int weight_step) {
      for (; taps > 0; --taps, codes += code_step, weights += weight_step)
        sums = vaddq_s32(sums, vmulq_s32(vldrbq_s32(codes), vldrbq_s32(weights)));
      return weights;
    }
    static const std::int8_t* add_padding(Sums& sums, std::int32_t code, const std::int8_t* weights, int taps, int weight_step) {
      for (; taps > 0; --taps, weights += weight_step) sums = vmlaq_n_s32(sums, vldrbq_s32(weights), code);
      return weights;
    }
    template <class Requantize>
    static void store_channels(Sums sums, const Requantize& requantize, int channel, std::int8_t* output) {
      vstrbq_s32(output, mve::codes(requantize, sums, channel));
    }
  };

  /// Sixteen channels: products of even and odd lanes, widened twice, so each vector holds every fourth channel.
  struct DepthwiseStep {
    static constexpr int channels = 16;
    struct Sums {
      int32x4_t from0, from1, from2, from3;  // channels 0 4 8 12, 1 5 9 13 …
    };

    static Sums load_bias(const std::int32_t* bias) {
      const uint32x4_t fourth = mve::every_fourth();
      return {vldrwq_gather_shifted_offset_s32(bias, fourth), vldrwq_gather_shifted_offset_s32(bias + 1, fourth),
              vldrwq_gather_shifted_offset_s32(bias + 2, fourth), vldrwq_gather_shifted_offset_s32(bias + 3, fourth)};
    }
    static void add_products(Sums& sums, int8x16_t codes, int8x16_t weights) {
      const int16x8_t even = vmullbq_int_s8(codes, weights), odd = vmulltq_int_s8(codes, weights);
      sums.from0 = vaddq_s32(sums.from0, vmovlbq_s16(even));
      sums.from2 = vaddq_s32(sums.from2, vmovltq_s16(even));
      sums.from1 = vaddq_s32(sums.from1, vmovlbq_s16(odd));
      sums.from3 = vaddq_s32(sums.from3, vmovltq_s16(odd));
    }
    static const std::int8_t* add_taps(Sums& sums, const std::int8_t* codes, const std::int8_t* weights, int taps, int code_step, int weight_step) {
      for (; taps > 0; --taps, codes += code_step, weights += weight_step) add_products(sums, vldrbq_s8(codes), vldrbq_s8(weights));
      return weights;
    }
    static const std::int8_t* add_padding(Sums& sums, std::int32_t code, const std::int8_t* weights, int taps, int weight_step) {
      for (; taps > 0; --taps, weights += weight_step) add_products(sums, vdupq_n_s8(static_cast<std::int8_t>(code)), vldrbq_s8(weights));
      return weights;
    }
    template <class Requantize>
    static void store_channels(const Sums& sums, const Requantize& requantize, int channel, std::int8_t* output) {
      store_fourth(sums.from0, requantize, channel, output);
      store_fourth(sums.from1, requantize, channel + 1, output + 1);
      store_fourth(sums.from2, requantize, channel + 2, output + 2);
      store_fourth(sums.from3, requantize, channel + 3, output + 3);
    }
    template <class Requantize>
    static void store_fourth(int32x4_t sums, const Requantize& requantize, int channel, std::int8_t* output) {
      vstrbq_scatter_offset_s32(output, mve::every_fourth(), mve::codes_of_every_fourth(requantize, sums, channel));
    }
  };
};

}  // namespace corten::rt
#endif
