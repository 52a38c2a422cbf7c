// SPDX-License-Identifier: Apache-2.0
// What add and sub share: both are a scaled sum of two operands, in floats as in integers.
#pragma once
#include "compiler/ops/clamp_range.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {

/// a + alpha · b (add) or a − alpha · b (sub), then the clamp.
struct SumParameters {
  double alpha = 1;
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    f("alpha", alpha);
    clamp.fields(f);
  }
};

/// aᵢ = requantize((qᵢ − zero_pointᵢ) · 2^left_shift, multiplierᵢ, shiftᵢ);
/// y = clamp(requantize(a₀ ± a₁, output_multiplier, output_shift) + output_zero_point), as TFLite Micro and CMSIS-NN.
struct QuantizedSumParameters {
  std::int32_t left_shift = 20;
  std::int32_t input0_zero_point = 0, input0_multiplier = 0, input0_shift = 0;
  std::int32_t input1_zero_point = 0, input1_multiplier = 0, input1_shift = 0;
  std::int32_t output_zero_point = 0, output_multiplier = 0, output_shift = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("left_shift", left_shift);
    f("input0_zero_point", input0_zero_point), f("input0_multiplier", input0_multiplier), f("input0_shift", input0_shift);
    f("input1_zero_point", input1_zero_point), f("input1_multiplier", input1_multiplier), f("input1_shift", input1_shift);
    f("output_zero_point", output_zero_point), f("output_multiplier", output_multiplier), f("output_shift", output_shift);
    f("low", low), f("high", high);
  }
};

/// a + factor · b in double, rounded once and clamped.
std::vector<Tensor> evaluate_sum(const Call& call, std::span<const Tensor* const> inputs, double factor);
ParametersPtr clamped_sum(const Call& call, const ClampRange& range);
/// Lowers a + factor · b to cortex_m.quantized_add, or to cortex_m.quantized_sub when the factor is negative.
Status lower_sum(const Call& call, Patch& patch, double factor);

/// y of QuantizedSumParameters; `sign` is 1 or −1.
std::vector<Tensor> evaluate_quantized_sum(const Call& call, std::span<const Tensor* const> inputs, int sign);
Layer emit_sum(const Call& call, const std::string& kernel, const std::string& struct_type);

}  // namespace corten
