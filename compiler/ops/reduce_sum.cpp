// SPDX-License-Identifier: Apache-2.0
// Sum over some axes.
#include "compiler/ops/reduction.h"

namespace corten {
namespace {

Status import_sum(Import& import) { return import_reduction(import, op("sum")); }

constexpr Spelling sum_spellings[] = {{"aten.sum.dim_IntList", import_sum}, {"aten.sum.default", import_sum}};

class Sum final : public OperatorWith<ReductionParameters> {
 public:
  std::string_view name() const override { return "sum"; }
  std::span<const Spelling> spellings() const override { return sum_spellings; }
  std::string_view limits() const override { return "over any axes, with or without keepdim"; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto& p = call.parameters<ReductionParameters>();
    return infer_reduction(call, p.axes, p.keepdim);
  }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override { return evaluate_reduction(call, inputs, 1); }
  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override { return clamped_reduction(call, range); }
  Status lower(const Call& call, Patch& patch) const override { return lower_reduction(call, patch, "cortex_m.quantized_sum", 1); }
};

class QuantizedSum final : public QuantizedReduction {
 public:
  std::string_view name() const override { return "cortex_m.quantized_sum"; }
};

const Register<Sum> sum;
const Register<QuantizedSum> quantized_sum;

}  // namespace
}  // namespace corten
