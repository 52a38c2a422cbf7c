// SPDX-License-Identifier: Apache-2.0
// Mean over some axes.
#include "compiler/ops/reduction.h"

namespace corten {
namespace {

Status import_mean(Import& import) { return import_reduction(import, op("mean")); }

constexpr Spelling mean_spellings[] = {{"aten.mean.dim", import_mean}, {"aten.mean.default", import_mean}};

class Mean final : public OperatorWith<ReductionParameters> {
 public:
  std::string_view name() const override { return "mean"; }
  std::span<const Spelling> spellings() const override { return mean_spellings; }
  std::string_view limits() const override { return "over any axes, with or without keepdim"; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto& p = call.parameters<ReductionParameters>();
    return infer_reduction(call, p.axes, p.keepdim);
  }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override { return evaluate_reduction(call, inputs, divisor(call)); }
  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override { return clamped_reduction(call, range); }
  Status lower(const Call& call, Patch& patch) const override { return lower_reduction(call, patch, "cortex_m.quantized_mean", divisor(call)); }

 private:
  static double divisor(const Call& call) { return static_cast<double>(reduced_elements(call.shape(0), call.parameters<ReductionParameters>().axes)); }
};

class QuantizedMean final : public QuantizedReduction {
 public:
  std::string_view name() const override { return "cortex_m.quantized_mean"; }
};

const Register<Mean> mean;
const Register<QuantizedMean> quantized_mean;

}  // namespace
}  // namespace corten
