// SPDX-License-Identifier: Apache-2.0
// Fixed-point rescaling of int32 accumulators to int8 codes: the only place that rounds.
#pragma once
#include <cstdint>

namespace corten::rt {

/// Double: as TFLite Micro, CMSIS-NN and ExecuTorch; Single: as TFLite with single rounding.
enum class Rounding { Double, Single };

/// floor((value · multiplier + nudge) / 2^31); fits int32 for multiplier ≥ 0.
constexpr std::int32_t multiply_high(std::int32_t value, std::int32_t multiplier, std::int64_t nudge) {
  return static_cast<std::int32_t>((std::int64_t{value} * multiplier + nudge) >> 31);
}

/// value · multiplier · 2^(shift − 31), rounded; shift positive = left, in [−31, 30].
///   Double: a = value · 2^max(shift, 0); h = ⌊(a · multiplier + 2^30) / 2^31⌋; h / 2^max(−shift, 0), halves away from zero.
///   Single: ⌊(value · multiplier + 2^(30 − shift)) / 2^(31 − shift)⌋.
/// Preconditions: multiplier ≥ 0; for shift > 0, value · 2^shift fits int32.
template <Rounding R>
constexpr std::int32_t requantize(std::int32_t value, std::int32_t multiplier, std::int32_t shift) {
  if (__builtin_expect(shift >= 0, 0)) {
    if constexpr (R == Rounding::Single)
      return static_cast<std::int32_t>((std::int64_t{value} * multiplier + (std::int64_t{1} << (30 - shift))) >> (31 - shift));
    else
      return multiply_high(static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << shift), multiplier, std::int64_t{1} << 30);
  }
  // Rounding to 2^-shift through 2^(-shift-1) keeps every sum inside 32 bits.
  const std::int32_t right = ~shift;
  if constexpr (R == Rounding::Single) return ((multiply_high(value, multiplier, 0) >> right) + 1) >> 1;
  const std::int32_t high = multiply_high(value, multiplier, std::int64_t{1} << 30);
  return (((high + (high >> 31)) >> right) + 1) >> 1;
}

constexpr std::int32_t clamp_code(std::int32_t code, std::int32_t low, std::int32_t high) {
  const std::int32_t raised = code < low ? low : code;
  return raised > high ? high : raised;
}

/// One scale for all channels; code = clamp(requantize(accumulator) + zero_point, low, high).
/// Precondition: requantized accumulator + zero_point fits int32; −128 ≤ low ≤ high ≤ 127.
template <Rounding R>
struct PerTensor {
  std::int32_t multiplier, shift, zero_point, low, high;

  /// The code before it is clamped.
  std::int32_t unclamped(std::int32_t accumulator, int /*channel*/) const { return requantize<R>(accumulator, multiplier, shift) + zero_point; }
  std::int8_t operator()(std::int32_t accumulator, int channel) const {
    return static_cast<std::int8_t>(clamp_code(unclamped(accumulator, channel), low, high));
  }
};

/// One scale per output channel; otherwise as PerTensor.
template <Rounding R>
struct PerChannel {
  const std::int32_t* multiplier;  // [output_channels]
  const std::int32_t* shift;       // [output_channels]
  std::int32_t zero_point, low, high;

  std::int32_t unclamped(std::int32_t accumulator, int channel) const {
    return requantize<R>(accumulator, multiplier[channel], shift[channel]) + zero_point;
  }
  std::int8_t operator()(std::int32_t accumulator, int channel) const {
    return static_cast<std::int8_t>(clamp_code(unclamped(accumulator, channel), low, high));
  }
};

}  // namespace corten::rt
