// SPDX-License-Identifier: Apache-2.0
// Conversions between reals and fixed point, and the reference requantization.
#include "compiler/quantize/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace corten {
namespace {

__extension__ using Wide = __int128;

constexpr int largest_shift = 30;
constexpr int smallest_shift = -31;

std::int32_t saturate(Wide value) {
  constexpr Wide low = std::numeric_limits<std::int32_t>::min();
  constexpr Wide high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(value, low, high));
}

/// value / 2^bits, halves towards +infinity.
Wide divide_half_up(Wide value, int bits) {
  if (bits == 0) return value;
  return (value + (Wide{1} << (bits - 1))) >> bits;
}

/// value / 2^bits, halves away from zero.
Wide divide_half_away(Wide value, int bits) {
  return value < 0 ? -divide_half_up(-value, bits) : divide_half_up(value, bits);
}

float round_by(QuantizeRule rule, float x, float scale) {
  switch (rule) {
    case QuantizeRule::PyTorch: return std::nearbyint(x * (1.0f / scale));
    case QuantizeRule::TfLite: return std::round(x / scale);
    case QuantizeRule::Onnx: break;
  }
  return std::nearbyint(x / scale);
}

/// The index nearest to `index`, the lower of two, whose entry is a number; `index` itself if there is none.
std::size_t nearest_number(const std::array<double, 256>& values, std::size_t index) {
  for (std::size_t distance = 0; distance < values.size(); ++distance) {
    if (distance <= index && !std::isnan(values[index - distance])) return index - distance;
    if (index + distance < values.size() && !std::isnan(values[index + distance])) return index + distance;
  }
  return index;
}

}  // namespace

Result<FixedPoint> to_fixed_point(double real) {
  if (!std::isfinite(real)) return error(fmt::format("multiplier is {}, expected a finite number", real));
  if (real < 0) return error(fmt::format("multiplier is {}, expected zero or more", real));
  if (real == 0) return FixedPoint{};
  int shift = 0;
  const double mantissa = std::frexp(real, &shift);
  std::int64_t multiplier = std::llround(std::ldexp(mantissa, 31));
  if (multiplier == std::int64_t{1} << 31) {
    multiplier /= 2;
    ++shift;
  }
  if (shift < smallest_shift) return FixedPoint{};
  if (shift > largest_shift) {
    return error(fmt::format("multiplier is {}, expected less than 2^{}", real, largest_shift), {},
                 "check the scales: the output's is tiny beside the inputs'");
  }
  return FixedPoint{static_cast<std::int32_t>(multiplier), shift};
}

double to_real(FixedPoint fixed_point) { return std::ldexp(fixed_point.multiplier, fixed_point.shift - 31); }

std::int32_t requantize(std::int64_t value, FixedPoint fixed_point, Rounding rounding) {
  const Wide product = Wide{value} * fixed_point.multiplier;
  if (rounding == Rounding::Single) return saturate(divide_half_up(product, 31 - fixed_point.shift));
  const int left = std::max(fixed_point.shift, 0);
  const int right = std::max(-fixed_point.shift, 0);
  return saturate(divide_half_away(divide_half_up(product * (Wide{1} << left), 31), right));
}

std::int32_t quantize_value(float x, float scale, std::int32_t zero_point, std::int32_t low, std::int32_t high,
                            QuantizeRule rule) {
  if (std::isnan(x)) return std::clamp(0, low, high);
  const float code = round_by(rule, x, scale) + static_cast<float>(zero_point);
  // Compared as floats, as PyTorch clamps, which also keeps the conversion below inside 32 bits.
  if (code <= static_cast<float>(low)) return low;
  if (code >= static_cast<float>(high)) return high;
  return static_cast<std::int32_t>(code);
}

float dequantize_value(std::int32_t code, float scale, std::int32_t zero_point) {
  return (static_cast<float>(code) - static_cast<float>(zero_point)) * scale;
}

std::int32_t quantize_bias(float bias, float input_scale, float weight_scale) {
  constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t high = std::numeric_limits<std::int32_t>::max() - 1;
  return quantize_value(bias, input_scale * weight_scale, 0, low, high, QuantizeRule::PyTorch);
}

std::array<std::int8_t, 256> lookup_table(const std::function<double(double)>& function, const Quantization& input,
                                          const Quantization& output) {
  std::array<double, 256> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const double centered = static_cast<double>(i) - 128 - input.zero_point();
    const double y = function(centered * static_cast<double>(input.scale()));
    codes[i] = std::round(y / static_cast<double>(output.scale()) + output.zero_point());
  }
  std::array<std::int8_t, 256> table{};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const double code = codes[nearest_number(codes, i)];
    const double chosen = std::isnan(code) ? output.zero_point() : code;
    table[i] = static_cast<std::int8_t>(std::clamp<double>(chosen, output.low, output.high));
  }
  return table;
}

}  // namespace corten
