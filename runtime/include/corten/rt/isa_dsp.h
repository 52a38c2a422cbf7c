// SPDX-License-Identifier: Apache-2.0
// The DSP extension of Armv7E-M and Armv8-M: two 16-bit multiply-accumulates per instruction.
#pragma once
#include <cstdint>
#include <cstring>

#include "corten/rt/isa.h"
#include "corten/rt/requantize.h"
#include "corten/rt/unroll.h"
#if defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>
#endif

namespace corten::rt {
namespace dsp {

using Word = std::int32_t;  // two int16 or four int8

inline Word load(const void* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
inline void store(void* to, Word word) { std::memcpy(to, &word, sizeof word); }

// On a host the instructions are spelled out, so that sanitizers can watch the kernels.
#if defined(__ARM_FEATURE_SIMD32)
/// Bytes 0 and 2, sign-extended to int16.
inline Word even_bytes(Word word) { return __sxtb16(word); }
/// Bytes 1 and 3, sign-extended to int16.
inline Word odd_bytes(Word word) {
  Word result;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(result) : "r"(word));  // GCC 12 does not fold the rotation
  return result;
}
/// acc + a.low · b.low + a.high · b.high
inline Word multiply_pairs(Word a, Word b, Word acc) { return __smlad(a, b, acc); }
inline Word multiply_low(Word a, Word b, Word acc) { return __smlabb(a, b, acc); }
inline Word multiply_high(Word a, Word b, Word acc) { return __smlatt(a, b, acc); }
/// Four bytes, each saturated to int8.
inline Word pack_saturated(std::int32_t byte0, std::int32_t byte1, std::int32_t byte2, std::int32_t byte3) {
  Word word = __ssat(byte0, 8);
  __asm__("bfi %0, %1, #8, #8" : "+r"(word) : "r"(__ssat(byte1, 8)));
  __asm__("bfi %0, %1, #16, #8" : "+r"(word) : "r"(__ssat(byte2, 8)));
  __asm__("bfi %0, %1, #24, #8" : "+r"(word) : "r"(__ssat(byte3, 8)));
  return word;
}
/// The larger of each pair of signed bytes.
inline Word maximum_bytes(Word a, Word b) {
  Word difference;
  __asm__("ssub8 %1, %0, %2\n sel %0, %0, %2" : "+r"(a), "=&r"(difference) : "r"(b));
  return a;
}
/// Each signed byte limited to the bytes of low and high.
inline Word clamp_bytes(Word word, Word low, Word high) {
  Word difference;
  __asm__("ssub8 %1, %0, %2\n sel %0, %0, %2\n ssub8 %1, %0, %3\n sel %0, %3, %0" : "+r"(word), "=&r"(difference) : "r"(low), "r"(high));
  return word;
}
#else
inline Word pair(std::int32_t low, std::int32_t high) {
  return static_cast<Word>((static_cast<std::uint32_t>(high) << 16) | static_cast<std::uint16_t>(low));
}
inline std::int32_t low(Word word) { return static_cast<std::int16_t>(word); }
inline std::int32_t high(Word word) { return word >> 16; }
inline std::int32_t byte(Word word, int index) { return static_cast<std::int8_t>(static_cast<std::uint32_t>(word) >> (8 * index)); }
inline Word even_bytes(Word word) { return pair(byte(word, 0), byte(word, 2)); }
inline Word odd_bytes(Word word) { return pair(byte(word, 1), byte(word, 3)); }
inline Word add(Word a, Word b) { return static_cast<Word>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b)); }
inline Word multiply_low(Word a, Word b, Word acc) { return add(acc, low(a) * low(b)); }
inline Word multiply_high(Word a, Word b, Word acc) { return add(acc, high(a) * high(b)); }
inline Word multiply_pairs(Word a, Word b, Word acc) { return multiply_high(a, b, multiply_low(a, b, acc)); }
inline Word join(std::int32_t byte0, std::int32_t byte1, std::int32_t byte2, std::int32_t byte3) {
  const auto at = [](std::int32_t byte, int index) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(byte)) << (8 * index); };
  return static_cast<Word>(at(byte0, 0) | at(byte1, 1) | at(byte2, 2) | at(byte3, 3));
}
inline Word pack_saturated(std::int32_t byte0, std::int32_t byte1, std::int32_t byte2, std::int32_t byte3) {
  return join(clamp_code(byte0, -128, 127), clamp_code(byte1, -128, 127), clamp_code(byte2, -128, 127), clamp_code(byte3, -128, 127));
}
inline Word maximum_bytes(Word a, Word b) {
  const auto at = [&](int index) { return byte(a, index) > byte(b, index) ? byte(a, index) : byte(b, index); };
  return join(at(0), at(1), at(2), at(3));
}
inline Word clamp_bytes(Word word, Word low, Word high) {
  const auto at = [&](int index) { return clamp_code(byte(word, index), byte(low, index), byte(high, index)); };
  return join(at(0), at(1), at(2), at(3));
}
#endif

/// The low byte of value, four times.
inline Word splat(std::int32_t value) { return static_cast<Word>((static_cast<std::uint32_t>(value) & 0xffu) * 0x01010101u); }

// Unoptimized builds keep too many registers for themselves for the loops below.
#if defined(__ARM_FEATURE_SIMD32) && defined(__OPTIMIZE__)
#define CORTEN_DSP_LOOPS 1
// The inner loops are written out because GCC 12 spills their accumulators wherever they are inlined. `end` stays in memory to
// leave it a register.

/// Two weight rows by two interleaved patches, over whole words: count_bytes of each weight row, not 0.
inline void dot_words(std::int32_t (&acc)[2][2], const std::int8_t*& weights, const std::int16_t*& patches, std::int32_t depth, std::int32_t count_bytes) {
  const std::int8_t* const end = weights + count_bytes;
  const std::int8_t* row = weights;
  const std::int16_t* patch = patches;
  std::int32_t acc00 = acc[0][0], acc01 = acc[0][1], acc10 = acc[1][0], acc11 = acc[1][1];
  Word even0, odd0, even1, odd1, codes;
  __asm__ volatile(
      ".balign 4\n"
      "1: ldr %[o1], [%[w], %[depth]]\n"
      "ldr %[o0], [%[w]], #4\n"
      "ldr %[x], [%[p]], #4\n"
      "sxtb16 %[e0], %[o0]\n"
      "sxtb16 %[e1], %[o1]\n"
      "smlad %[a00], %[e0], %[x], %[a00]\n"
      "smlad %[a10], %[e1], %[x], %[a10]\n"
      "ldr %[x], [%[p]], #4\n"
      "sxtb16 %[o0], %[o0], ror #8\n"
      "sxtb16 %[o1], %[o1], ror #8\n"
      "smlad %[a00], %[o0], %[x], %[a00]\n"
      "smlad %[a10], %[o1], %[x], %[a10]\n"
      "ldr %[x], [%[p]], #4\n"
      "smlad %[a01], %[e0], %[x], %[a01]\n"
      "smlad %[a11], %[e1], %[x], %[a11]\n"
      "ldr %[e0], %[end]\n"
      "ldr %[x], [%[p]], #4\n"
      "cmp %[w], %[e0]\n"
      "smlad %[a01], %[o0], %[x], %[a01]\n"
      "smlad %[a11], %[o1], %[x], %[a11]\n"
      "bne 1b"
      : [a00] "+r"(acc00), [a01] "+r"(acc01), [a10] "+r"(acc10), [a11] "+r"(acc11), [w] "+r"(row), [p] "+r"(patch), [e0] "=&r"(even0),
        [o0] "=&r"(odd0), [e1] "=&r"(even1), [o1] "=&r"(odd1), [x] "=&r"(codes)
      : [depth] "r"(depth), [end] "m"(end)
      : "cc", "memory");
  weights = row, patches = patch;
  acc[0][0] = acc00, acc[0][1] = acc01, acc[1][0] = acc10, acc[1][1] = acc11;
}

/// Four weight rows by one row of codes, over whole words: count_bytes of each, not 0.
inline void dot_words(std::int32_t (&acc)[4][1], const std::int8_t*& weights, const std::int8_t*& codes, std::int32_t depth, std::int32_t count_bytes) {
  const std::int8_t* const end = codes + count_bytes;
  const std::int8_t *first = weights, *third = weights + 2 * depth, *code = codes;
  std::int32_t acc0 = acc[0][0], acc1 = acc[1][0], acc2 = acc[2][0], acc3 = acc[3][0];
  Word even, odd, even_codes, odd_codes;
  __asm__ volatile(
      ".balign 4\n"
      "1: ldr %[xo], [%[x]], #4\n"
      "ldr %[o], [%[w], %[depth]]\n"
      "sxtb16 %[xe], %[xo]\n"
      "sxtb16 %[xo], %[xo], ror #8\n"
      "sxtb16 %[e], %[o]\n"
      "sxtb16 %[o], %[o], ror #8\n"
      "smlad %[a1], %[e], %[xe], %[a1]\n"
      "smlad %[a1], %[o], %[xo], %[a1]\n"
      "ldr %[o], [%[w]], #4\n"
      "sxtb16 %[e], %[o]\n"
      "sxtb16 %[o], %[o], ror #8\n"
      "smlad %[a0], %[e], %[xe], %[a0]\n"
      "smlad %[a0], %[o], %[xo], %[a0]\n"
      "ldr %[o], [%[w2], %[depth]]\n"
      "sxtb16 %[e], %[o]\n"
      "sxtb16 %[o], %[o], ror #8\n"
      "smlad %[a3], %[e], %[xe], %[a3]\n"
      "smlad %[a3], %[o], %[xo], %[a3]\n"
      "ldr %[o], [%[w2]], #4\n"
      "sxtb16 %[e], %[o]\n"
      "sxtb16 %[o], %[o], ror #8\n"
      "smlad %[a2], %[e], %[xe], %[a2]\n"
      "ldr %[e], %[end]\n"
      "smlad %[a2], %[o], %[xo], %[a2]\n"
      "cmp %[x], %[e]\n"
      "bne 1b"
      : [a0] "+r"(acc0), [a1] "+r"(acc1), [a2] "+r"(acc2), [a3] "+r"(acc3), [w] "+r"(first), [w2] "+r"(third), [x] "+r"(code), [e] "=&r"(even),
        [o] "=&r"(odd), [xe] "=&r"(even_codes), [xo] "=&r"(odd_codes)
      : [depth] "r"(depth), [end] "m"(end)
      : "cc", "memory");
  weights = first, codes = code;
  acc[0][0] = acc0, acc[1][0] = acc1, acc[2][0] = acc2, acc[3][0] = acc3;
}
#endif

/// The last count (1 to 3) of depth elements; missing bytes are 0 and nothing outside the depth elements is read.
inline Word load_tail(const std::int8_t* row, int depth, int count) {
  if (depth >= 4) return static_cast<Word>(static_cast<std::uint32_t>(load(row + depth - 4)) >> (8 * (4 - count)));
  Word word = 0;
  std::memcpy(&word, row, static_cast<std::size_t>(1));
  if (count > 1) word |= static_cast<Word>(static_cast<std::uint8_t>(row[1])) << 8;
  if (count > 2) word |= static_cast<Word>(static_cast<std::uint8_t>(row[2])) << 16;
  return word;
}

}  // namespace dsp

/// Patches are int16, in the order 0 2 1 3 that unpacking gives the weights; two patches interleave word pair by word pair.
struct Dsp : DspTile {
  using Lane = std::int16_t;

  /// Writes patch `column` of `Cols` from depth codes, padded with 0 to a multiple of 4.
  template <int Cols>
  static void expand(const std::int8_t* codes, Lane* patches, int column, int depth) {
    Lane* to = patches + 4 * column;
    int i = 0;
    for (; i + 4 <= depth; i += 4, to += 4 * Cols) expand_word(dsp::load(codes + i), to);
    if (i < depth) expand_word(dsp::load_tail(codes, depth, depth - i), to);
  }
  static void expand_word(dsp::Word word, Lane* to) {
    dsp::store(to, dsp::even_bytes(word));
    dsp::store(to + 2, dsp::odd_bytes(word));
  }

  template <int Rows, int Cols>
  static void dot(std::int32_t (&acc)[Rows][Cols], const std::int8_t* weights, const Lane* patches, int depth) {
    if (depth >= 4) dot_whole(acc, weights, patches, depth);
    if ((depth & 3) == 0) return;
    dsp::Word words[Rows];
    CORTEN_UNROLL for (int r = 0; r < Rows; ++r) words[r] = dsp::load_tail(weights - (depth & ~3) + r * depth, depth, depth & 3);
    step<Rows, Cols>(acc, words, patches);
  }
  /// Advances both pointers past all whole words.
  template <int Rows, int Cols>
  static void dot_whole(std::int32_t (&acc)[Rows][Cols], const std::int8_t*& weights, const Lane*& patches, int depth) {
    const std::int8_t* const end = weights + (depth & ~3);
#if defined(CORTEN_DSP_LOOPS)
    if constexpr (Rows == 2 && Cols == 2) return dsp::dot_words(acc, weights, patches, depth, depth & ~3);
#endif
    for (; weights != end; weights += 4, patches += 4 * Cols) {
      dsp::Word words[Rows];
      CORTEN_UNROLL for (int r = 0; r < Rows; ++r) words[r] = dsp::load(weights + r * depth);
      step<Rows, Cols>(acc, words, patches);
    }
  }
  template <int Rows, int Cols>
  static void step(std::int32_t (&acc)[Rows][Cols], const dsp::Word (&weights)[Rows], const Lane* patches) {
    dsp::Word even[Cols], odd[Cols];
    CORTEN_UNROLL for (int c = 0; c < Cols; ++c) {
      even[c] = dsp::load(patches + 4 * c);
      odd[c] = dsp::load(patches + 4 * c + 2);
    }
    CORTEN_UNROLL for (int r = 0; r < Rows; ++r) {
      const auto even_weights = dsp::even_bytes(weights[r]), odd_weights = dsp::odd_bytes(weights[r]);
      CORTEN_UNROLL for (int c = 0; c < Cols; ++c)
        acc[r][c] = dsp::multiply_pairs(odd_weights, odd[c], dsp::multiply_pairs(even_weights, even[c], acc[r][c]));
    }
  }

  /// The same from codes that were not expanded, one column.
  template <int Rows>
  static void dot_codes(std::int32_t (&acc)[Rows][1], const std::int8_t* weights, const std::int8_t* codes, int depth) {
    const std::int8_t* const start = codes;
    if (depth >= 4) dot_whole_codes(acc, weights, codes, depth);
    if ((depth & 3) == 0) return;
    const auto word = dsp::load_tail(start, depth, depth & 3);
    const std::int8_t* const row = weights - (depth & ~3);
    CORTEN_UNROLL for (int r = 0; r < Rows; ++r)
      step_codes(acc[r][0], dsp::load_tail(row + r * depth, depth, depth & 3), dsp::even_bytes(word), dsp::odd_bytes(word));
  }
  template <int Rows>
  static void dot_whole_codes(std::int32_t (&acc)[Rows][1], const std::int8_t*& weights, const std::int8_t*& codes, int depth) {
    const std::int8_t* const end = codes + (depth & ~3);
#if defined(CORTEN_DSP_LOOPS)
    if constexpr (Rows == 4) return dsp::dot_words(acc, weights, codes, depth, depth & ~3);
#endif
    for (; codes != end; weights += 4, codes += 4) {
      const auto word = dsp::load(codes);
      const auto even = dsp::even_bytes(word), odd = dsp::odd_bytes(word);
      CORTEN_UNROLL for (int r = 0; r < Rows; ++r) step_codes(acc[r][0], dsp::load(weights + r * depth), even, odd);
    }
  }
  static void step_codes(std::int32_t& acc, dsp::Word weights, dsp::Word even, dsp::Word odd) {
    acc = dsp::multiply_pairs(dsp::odd_bytes(weights), odd, dsp::multiply_pairs(dsp::even_bytes(weights), even, acc));
  }

  template <class Requantize, int Rows, int Cols>
  CORTEN_INLINE static void store(const std::int32_t (&acc)[Rows][Cols], const Requantize& requantize, int channel, std::int8_t* output, int output_stride) {
    if constexpr (Rows == 4 && Cols == 1) {
      dsp::store(output, four_codes(requantize, channel, 1, acc[0][0], acc[1][0], acc[2][0], acc[3][0]));
    } else if constexpr (Rows == 2 && Cols == 2) {
      const auto word = static_cast<std::uint32_t>(four_codes(requantize, channel, 2, acc[0][0], acc[1][0], acc[0][1], acc[1][1]));
      const auto first = static_cast<std::uint16_t>(word), second = static_cast<std::uint16_t>(word >> 16);
      std::memcpy(output, &first, sizeof first);
      std::memcpy(output + output_stride, &second, sizeof second);
    } else {
      CORTEN_UNROLL for (int r = 0; r < Rows; ++r)
        CORTEN_UNROLL for (int c = 0; c < Cols; ++c) output[c * output_stride + r] = requantize(acc[r][c], channel + r);
    }
  }
  /// Codes of four sums. Channels: channel, channel + 1, then the same two again (pixels = 2) or the next two (pixels = 1).
  template <class Requantize>
  CORTEN_INLINE static dsp::Word four_codes(const Requantize& requantize, int channel, int pixels, std::int32_t sum0, std::int32_t sum1, std::int32_t sum2,
                                            std::int32_t sum3) {
    const int third = pixels == 2 ? channel : channel + 2;
    const auto word = dsp::pack_saturated(requantize.unclamped(sum0, channel), requantize.unclamped(sum1, channel + 1), requantize.unclamped(sum2, third),
                                          requantize.unclamped(sum3, third + 1));
    return dsp::clamp_bytes(word, dsp::splat(requantize.low), dsp::splat(requantize.high));
  }

  /// Sums of `channels` neighboring channels under a pooling window.
  struct PoolStep {
    static constexpr int channels = 4;
    struct Sums {
      std::int32_t channel[4];
    };

    static Sums zero() { return {}; }
    CORTEN_INLINE static void add_codes(Sums& sums, const std::int8_t* codes, int taps, int step) {
      for (; taps > 0; --taps, codes += step) {
        const auto word = static_cast<std::uint32_t>(dsp::load(codes));
        CORTEN_UNROLL for (int i = 0; i < 4; ++i) sums.channel[i] += static_cast<std::int8_t>(word >> (8 * i));
      }
    }
    CORTEN_INLINE static void spill(const Sums& sums, std::int32_t* to) {
      CORTEN_UNROLL for (int i = 0; i < 4; ++i) to[i] = sums.channel[i];
    }
  };

  struct MaximumStep {
    static constexpr int channels = 4;
    using Codes = dsp::Word;

    static Codes splat(std::int32_t code) { return dsp::splat(code); }
    static void raise(Codes& largest, const std::int8_t* codes, int taps, int step) {
      for (; taps > 0; --taps, codes += step) largest = dsp::maximum_bytes(largest, dsp::load(codes));
    }
    static void store(Codes largest, Codes high, std::int8_t* output) { dsp::store(output, dsp::clamp_bytes(largest, dsp::splat(-128), high)); }
  };

  struct DepthwiseStep {
    static constexpr int channels = 4;
    struct Sums {
      std::int32_t channel[4];
    };

    static Sums load_bias(const std::int32_t* bias) { return {{bias[0], bias[1], bias[2], bias[3]}}; }
    CORTEN_INLINE static void add_tap(Sums& sums, dsp::Word codes, dsp::Word weights) {
      const auto even = dsp::even_bytes(codes), odd = dsp::odd_bytes(codes);
      const auto even_weights = dsp::even_bytes(weights), odd_weights = dsp::odd_bytes(weights);
      sums.channel[0] = dsp::multiply_low(even, even_weights, sums.channel[0]);
      sums.channel[1] = dsp::multiply_low(odd, odd_weights, sums.channel[1]);
      sums.channel[2] = dsp::multiply_high(even, even_weights, sums.channel[2]);
      sums.channel[3] = dsp::multiply_high(odd, odd_weights, sums.channel[3]);
    }
    CORTEN_INLINE static const std::int8_t* add_taps(Sums& sums, const std::int8_t* codes, const std::int8_t* weights, int taps, int code_step, int weight_step) {
      for (; taps > 0; --taps, codes += code_step, weights += weight_step) add_tap(sums, dsp::load(codes), dsp::load(weights));
      return weights;
    }
    CORTEN_INLINE static const std::int8_t* add_padding(Sums& sums, std::int32_t code, const std::int8_t* weights, int taps, int weight_step) {
      const auto word = dsp::splat(code);
      for (; taps > 0; --taps, weights += weight_step) add_tap(sums, word, dsp::load(weights));
      return weights;
    }
    template <class Requantize>
    CORTEN_INLINE static void store_channels(const Sums& sums, const Requantize& requantize, int channel, std::int8_t* output) {
      dsp::store(output, four_codes(requantize, channel, 1, sums.channel[0], sums.channel[1], sums.channel[2], sums.channel[3]));
    }
  };
  using DepthwiseRest = DepthwiseStep;  // and single channels after it
};

}  // namespace corten::rt
