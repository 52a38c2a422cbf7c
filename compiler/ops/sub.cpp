// SPDX-License-Identifier: Apache-2.0
// Subtraction of two broadcast operands, the second scaled by alpha; operands keep their places.
#include "compiler/ops/sum.h"

namespace corten {
namespace {

ParametersPtr read_parameters(Import& import) { return parameters(SumParameters{import.number("alpha", 1), {}}); }

Status import_sub(Import& import) { return import_binary(import, "self", "other", op("sub"), read_parameters(import)); }
Status import_reversed(Import& import) { return import_binary(import, "other", "self", op("sub"), read_parameters(import)); }

constexpr Spelling sub_spellings[] = {
    {"aten.sub.Tensor", import_sub},
    {"aten.sub.Scalar", import_sub},
    {"aten.rsub.Tensor", import_reversed},
    {"aten.rsub.Scalar", import_reversed},
};

class Sub final : public OperatorWith<SumParameters> {
 public:
  std::string_view name() const override { return "sub"; }
  std::string_view inputs() const override { return "x, y"; }
  std::span<const Spelling> spellings() const override { return sub_spellings; }
  std::string_view limits() const override { return "broadcast up to rank 6, any alpha"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    return evaluate_sum(call, inputs, -call.parameters<SumParameters>().alpha);
  }
  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override { return clamped_sum(call, range); }
  Status lower(const Call& call, Patch& patch) const override { return lower_sum(call, patch, -call.parameters<SumParameters>().alpha); }
};

class QuantizedSub final : public OperatorWith<QuantizedSumParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_sub"; }
  std::string_view inputs() const override { return "x, y"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override { return evaluate_quantized_sum(call, inputs, -1); }
  Result<Layer> emit(const Call& call, Isa) const override { return emit_sum(call, "sub", "Sub"); }
  std::vector<int> in_place_inputs(const Call& call) const override { return in_place_elementwise(call); }
};

const Register<Sub> sub;
const Register<QuantizedSub> quantized_sub;

}  // namespace
}  // namespace corten
