// SPDX-License-Identifier: Apache-2.0
// Addition of two broadcast operands, the second scaled by alpha.
#include "compiler/ops/sum.h"

namespace corten {
namespace {

Status import_add(Import& import) {
  return import_binary(import, "self", "other", op("add"), parameters(SumParameters{import.number("alpha", 1), {}}));
}

constexpr Spelling add_spellings[] = {{"aten.add.Tensor", import_add}, {"aten.add.Scalar", import_add}};

class Add final : public OperatorWith<SumParameters> {
 public:
  std::string_view name() const override { return "add"; }
  std::string_view inputs() const override { return "x, y"; }
  std::span<const Spelling> spellings() const override { return add_spellings; }
  std::string_view limits() const override { return "broadcast up to rank 6, any alpha"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    return evaluate_sum(call, inputs, call.parameters<SumParameters>().alpha);
  }
  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override { return clamped_sum(call, range); }
  Status lower(const Call& call, Patch& patch) const override { return lower_sum(call, patch, call.parameters<SumParameters>().alpha); }
};

class QuantizedAdd final : public OperatorWith<QuantizedSumParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_add"; }
  std::string_view inputs() const override { return "x, y"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override { return evaluate_quantized_sum(call, inputs, 1); }
  Result<Layer> emit(const Call& call, Isa) const override { return emit_sum(call, "add", "Add"); }
  std::vector<int> in_place_inputs(const Call& call) const override { return in_place_elementwise(call); }
};

const Register<Add> add;
const Register<QuantizedAdd> quantized_add;

}  // namespace
}  // namespace corten
