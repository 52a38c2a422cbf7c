// SPDX-License-Identifier: Apache-2.0
// An activation of one variable as a table of 256 codes.
#include <fmt/format.h>

#include "compiler/ops/operator.h"

namespace corten {
namespace {

class QuantizedActivation final : public OperatorWith<NoParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_activation"; }
  std::string_view inputs() const override { return "x, table"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto& table = call.input(1);
    if (table.element != Element::I8 || table.shape != Shape{256})
      return call.error(fmt::format("table is {}{}, expected i8[256]", to_string(table.element), to_string(table.shape)));
    if (call.input(0).element != Element::I8) return call.error(fmt::format("input is {}, expected i8", to_string(call.input(0).element)));
    return std::vector{Type{Element::I8, call.shape(0)}};
  }

  std::vector<Tensor> evaluate(const Call&, std::span<const Tensor* const> inputs) const override {
    const auto table = inputs[1]->as<std::int8_t>();
    auto result = *inputs[0];
    for (auto& code : result.as<std::int8_t>()) code = table[static_cast<std::size_t>(code + 128)];
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    return Layer{.header = "lookup.h",
                 .arrays = {{"table", *call.constant(1)}},
                 .calls = {{"lookup", {"table", number(element_count(call.output().shape)), "input0", "output0"}}}};
  }
  std::vector<int> in_place_inputs(const Call&) const override { return {0}; }
};

const Register<QuantizedActivation> quantized_activation;

}  // namespace
}  // namespace corten
