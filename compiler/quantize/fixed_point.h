// SPDX-License-Identifier: Apache-2.0
// How real numbers become the integers a core computes with; the only scale → multiplier code in the repository.
#pragma once
#include <array>
#include <cstdint>
#include <functional>

#include "compiler/ir/type.h"
#include "corten/result.h"

namespace corten {

/// real = multiplier · 2^(shift − 31). Normalized: multiplier in [2^30, 2^31), shift in [−31, 30], positive = left.
/// Zero is {0, 0}.
struct FixedPoint {
  std::int32_t multiplier = 0;
  std::int32_t shift = 0;
  friend bool operator==(const FixedPoint&, const FixedPoint&) = default;
};

/// How often a product is rounded on its way to the output's grid.
/// Double: to 31 fraction bits first, then by the right shift (TFLite Micro, CMSIS-NN and ExecuTorch by default).
/// Single: once (TFLITE_SINGLE_ROUNDING, CMSIS_NN_USE_SINGLE_ROUNDING).
enum class Rounding : std::uint8_t { Double, Single };

/// The nearest Q31 mantissa, halves away from zero, as TFLite's QuantizeMultiplier. Reals below 2^-32 become zero.
/// Errors: negative or not finite; 2^30 or more (no 32-bit shift is left to apply it).
Result<FixedPoint> to_fixed_point(double real);

/// Exactly what the pair means.
double to_real(FixedPoint fixed_point);

/// value · fixed_point, rounded; the meaning every core must reproduce bit for bit.
///   Double: h = floor((value · 2^max(shift, 0) · multiplier + 2^30) / 2^31), then h / 2^max(−shift, 0), halves away from zero.
///   Single: floor((value · multiplier + 2^(30 − shift)) / 2^(31 − shift)), halves up.
/// Nothing wraps on the way; a result outside 32 bits saturates.
/// Preconditions: |value| < 2^62, a normalized pair.
std::int32_t requantize(std::int64_t value, FixedPoint fixed_point, Rounding rounding);

/// How a framework turns a float into a code; all add the zero point after rounding, then clamp.
enum class QuantizeRule : std::uint8_t {
  PyTorch,  // x · (1 / scale) in float32, halves to even
  TfLite,   // x / scale in float32, halves away from zero
  Onnx,     // x / scale in float32, halves to even
};

/// The code of `x` in [low, high]; NaN becomes the code nearest to 0 (as PyTorch on x86).
/// Preconditions: scale > 0; zero_point within [low, high].
std::int32_t quantize_value(float x, float scale, std::int32_t zero_point, std::int32_t low, std::int32_t high,
                            QuantizeRule rule = QuantizeRule::PyTorch);

/// (code − zero_point) · scale in float32, the subtraction in float32 too (PyTorch's dequantize_per_tensor).
float dequantize_value(std::int32_t code, float scale, std::int32_t zero_point);

/// The int32 code of a bias at scale input_scale · weight_scale (multiplied in float32), as torchao derives it: PyTorch's
/// rule, zero point 0, range [−2^31, 2^31 − 2].
std::int32_t quantize_bias(float bias, float input_scale, float weight_scale);

/// The int8 table of a unary function, indexed by code + 128, as ExecuTorch's Cortex-M backend fills it:
/// clamp(round_half_away(function((code − zi) · si) / so + zo), low, high), everything in double.
/// Where the function isn't a number (log below zero) the nearest entry where it is continues; if there is none, all
/// entries are the output's zero point.
/// Preconditions: both quantizations are per tensor with ranges inside [−128, 127].
std::array<std::int8_t, 256> lookup_table(const std::function<double(double)>& function, const Quantization& input,
                                          const Quantization& output);

}  // namespace corten
