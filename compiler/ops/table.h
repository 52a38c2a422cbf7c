// SPDX-License-Identifier: Apache-2.0
// What activations share that become a table of 256 codes.
#pragma once
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {

/// Meaning is the parameter struct with `name`, `spellings()` and `double operator()(double) const`.
/// Floats are computed in double and rounded once; the table is that of lookup_table().
template <class Meaning>
class TableActivation final : public OperatorWith<Meaning> {
 public:
  std::string_view name() const override { return Meaning::name; }
  std::span<const Spelling> spellings() const override { return Meaning::spellings(); }

  Result<std::vector<Type>> infer(const Call& call) const override { return std::vector{Type{call.input(0).element, call.shape(0)}}; }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& meaning = call.parameters<Meaning>();
    auto result = *inputs[0];
    for (auto& value : result.as<float>()) value = static_cast<float>(meaning(double{value}));
    return {result};
  }

  Status lower(const Call& call, Patch& patch) const override {
    CORTEN_CHECK(check_per_tensor(call));
    const auto table = lookup_table(call.parameters<Meaning>(), *call.input(0).quantization, *call.output().quantization);
    auto tensor = Tensor::of<std::int8_t>(Element::I8, {256}, {table.begin(), table.end()});
    const auto value = patch.constant(call.node().name + "_table", std::move(tensor));
    return lower_to(call, patch, "cortex_m.quantized_activation", parameters(NoParameters{}), {call.node().inputs[0], value});
  }
};

/// The import function of an activation without parameters of its own.
template <class Meaning>
Status import_activation(Import& import) {
  return import_elementwise(import, "self", op(Meaning::name), parameters(Meaning{}));
}

}  // namespace corten
