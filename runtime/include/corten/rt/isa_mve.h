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

}  // namespace mve

struct Mve : MveTile {
  using Lane = std::int8_t;
  using Sums = int32x4_t;

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

  static Sums load_bias(const std::int32_t* bias) { return vldrwq_s32(bias); }
  static void multiply_add(Sums& sums, const std::int8_t* codes, const std::int8_t* weights) {
    sums = vaddq_s32(sums, vmulq_s32(vldrbq_s32(codes), vldrbq_s32(weights)));
  }
  static void multiply_add(Sums& sums, std::int32_t code, const std::int8_t* weights) {
    sums = vmlaq_n_s32(sums, vldrbq_s32(weights), code);
  }
  template <class Requantize>
  static void store_channels(Sums sums, const Requantize& requantize, int channel, std::int8_t* output) {
    vstrbq_s32(output, mve::codes(requantize, sums, channel));
  }
};

}  // namespace corten::rt
#endif
