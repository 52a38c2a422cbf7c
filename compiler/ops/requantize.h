// SPDX-License-Identifier: Apache-2.0
// Moving int8 codes from one grid to another.
#pragma once
#include "compiler/ops/clamp_range.h"
#include "compiler/ops/operator.h"

namespace corten {

/// y = clamp(requantize(q − input_zero_point, multiplier, shift) + output_zero_point, low, high).
struct RequantizeParameters {
  std::int32_t multiplier = 0, shift = 0;
  std::int32_t input_zero_point = 0, output_zero_point = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("multiplier", multiplier), f("shift", shift);
    f("input_zero_point", input_zero_point), f("output_zero_point", output_zero_point);
    f("low", low), f("high", high);
  }
};

/// From grid `from` to grid `to`, both per tensor. A shift above 22 is refused, so that every product fits 32 bits.
Result<RequantizeParameters> requantize_parameters(const Call& call, const Quantization& from, const Quantization& to, const CodeRange& range);

}  // namespace corten
