// SPDX-License-Identifier: Apache-2.0
// What mean and sum share: a scaled sum over some axes, in floats as in integers.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/ops/import.h"
#include "compiler/ops/operator.h"

namespace corten {

struct ReductionParameters {
  std::vector<std::int64_t> axes;  // ascending
  bool keepdim = false;            // reduced axes stay with extent 1
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    f("axes", axes), f("keepdim", keepdim);
    clamp.fields(f);
  }
};

/// "dim" (all axes where it is absent, None or empty) and "keepdim"; the result carries the order of the axes that remain.
Status import_reduction(Import& import, const Operator& op);
Result<std::vector<Type>> infer_reduction(const Call& call, const std::vector<std::int64_t>& axes, bool keepdim);
/// How many elements become one.
std::int64_t reduced_elements(const Shape& shape, const std::vector<std::int64_t>& axes);

/// Σ / divisor in double, rounded once and clamped.
std::vector<Tensor> evaluate_reduction(const Call& call, std::span<const Tensor* const> inputs, double divisor);
ParametersPtr clamped_reduction(const Call& call, const ClampRange& range);

/// y = clamp(requantize(Σq − N · input_zero_point, multiplier, shift) + output_zero_point, low, high).
struct QuantizedReductionParameters {
  std::vector<std::int64_t> axes;
  bool keepdim = false;
  std::int32_t input_zero_point = 0, output_zero_point = 0;
  std::int32_t multiplier = 0, shift = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("axes", axes), f("keepdim", keepdim);
    f("input_zero_point", input_zero_point), f("output_zero_point", output_zero_point);
    f("multiplier", multiplier), f("shift", shift), f("low", low), f("high", high);
  }
};

/// Lowers Σ / divisor: multiplier = input scale / (output scale · divisor). Fails where the shifted sum can leave 32 bits.
Status lower_reduction(const Call& call, Patch& patch, std::string_view integer_operator, double divisor);

/// The integer twin, for both under their own name.
class QuantizedReduction : public OperatorWith<QuantizedReductionParameters> {
 public:
  bool integer() const override { return true; }
  Result<std::vector<Type>> infer(const Call& call) const override;
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override;
  Result<Layer> emit(const Call& call, Isa isa) const override;
};

}  // namespace corten
