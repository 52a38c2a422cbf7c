// SPDX-License-Identifier: Apache-2.0
// What maximum and minimum share: operands on the output's grid, so that integers compare as reals do.
#pragma once
#include "compiler/ops/elementwise.h"

namespace corten {

/// Lowers to `integer_operator`; operands on another grid than the output's are brought to it first, constants at once.
Status lower_extremum(const Call& call, Patch& patch, std::string_view integer_operator);

/// Meaning has `name`, `integer_name`, `kernel`, `spellings()` and a static `choose(a, b)`, for floats and codes alike.
template <class Meaning>
class IntegerExtremum : public OperatorWith<NoParameters> {
 public:
  std::string_view name() const override { return Meaning::integer_name; }
  std::string_view inputs() const override { return "x, y"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    return {map_elements<std::int8_t>(Element::I8, call.output().shape, *inputs[0], *inputs[1], Meaning::template choose<std::int8_t>)};
  }
  Result<Layer> emit(const Call& call, Isa) const override { return emit_elementwise(call, std::string(Meaning::kernel), "", {}); }
  std::vector<int> in_place_inputs(const Call& call) const override { return in_place_elementwise(call); }
};

template <class Meaning>
class Extremum final : public OperatorWith<NoParameters> {
 public:
  std::string_view name() const override { return Meaning::name; }
  std::string_view inputs() const override { return "x, y"; }
  std::span<const Spelling> spellings() const override { return Meaning::spellings(); }
  std::string_view limits() const override { return "broadcast up to rank 6"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    return {map_elements<float>(Element::F32, call.output().shape, *inputs[0], *inputs[1], Meaning::template choose<float>)};
  }
  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override { return lower_extremum(call, patch, Meaning::integer_name); }
};

}  // namespace corten
