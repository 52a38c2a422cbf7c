// SPDX-License-Identifier: Apache-2.0
// Concatenation along one axis.
#include "compiler/ops/concat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ops/blocks.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

/// The layout that costs the fewest transposes: that of the first computed operand that isn't in framework order.
std::vector<int> common_order(const Import& import, const std::vector<Operand>& operands) {
  for (const auto& operand : operands)
    if (!import.constant(operand.value) && !operand.in_framework_order()) return operand.order;
  return operands.front().order;
}

Result<std::vector<Operand>> same_rank_operands(Import& import) {
  auto operands = import.operands("tensors");
  // PyTorch lets empty vectors pass whatever the rank of the others.
  std::erase_if(operands, [&](const Operand& operand) { return operand.value == no_value || import.shape(operand.value) == Shape{0}; });
  if (operands.empty()) return import.error("no tensors to concatenate");
  for (const auto& operand : operands)
    if (operand.order.size() != operands.front().order.size())
      return import.error(fmt::format("tensors of rank {} and {}, expected one rank", operands.front().order.size(), operand.order.size()));
  return operands;
}

Status import_cat(Import& import) {
  CORTEN_TRY(const auto operands, same_rank_operands(import));
  const auto order = common_order(import, operands);
  const auto dim = import.integer("dim", 0), rank = static_cast<std::int64_t>(order.size());
  if (dim < -rank || dim >= rank) return import.error(fmt::format("dim {} of tensors of rank {}", dim, rank));
  std::vector<ValueId> values;
  for (const auto& operand : operands) values.push_back(import.in_order(operand, order));
  const auto axis = Operand{no_value, order}.physical(dim);
  import.result({values.size() == 1 ? values[0] : import.add(op("cat"), parameters(CatParameters{axis}), values), order});
  return {};
}

/// A new axis in front of the one that has its number now, or at the end; then concatenated along it.
Status import_stack(Import& import) {
  CORTEN_TRY(const auto operands, same_rank_operands(import));
  auto order = common_order(import, operands);
  const auto rank = static_cast<std::int64_t>(order.size());
  auto dim = import.integer("dim", 0);
  if (dim < -rank - 1 || dim > rank) return import.error(fmt::format("dim {} of a stack of tensors of rank {}", dim, rank));
  dim += dim < 0 ? rank + 1 : 0;
  const auto axis = dim == rank ? rank : Operand{no_value, order}.physical(dim);
  std::vector<ValueId> values;
  for (const auto& operand : operands) {
    const auto value = import.in_order(operand, order);
    auto shape = import.shape(value);
    shape.insert(shape.begin() + axis, 1);
    values.push_back(import.reshape(value, shape));
  }
  for (auto& number : order) number += number >= dim;
  order.insert(order.begin() + axis, static_cast<int>(dim));
  import.result({values.size() == 1 ? values[0] : import.add(op("cat"), parameters(CatParameters{axis}), values), order});
  return {};
}

constexpr Spelling cat_spellings[] = {{"aten.cat.default", import_cat}, {"aten.concat.default", import_cat}, {"aten.concatenate.default", import_cat}, {"aten.stack.default", import_stack}};

// ---- meaning and integers -------------------------------------------------------------------------------------------

class IntegerCat : public OperatorWith<CatParameters> {
 public:
  std::string_view name() const override { return "cortex_m.cat"; }
  std::string_view inputs() const override { return "x, …"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto axis = call.parameters<CatParameters>().axis;
    auto shape = call.shape(0);
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) return call.error(fmt::format("axis {} of inputs of rank {}", axis, shape.size()));
    auto& extent = shape[static_cast<std::size_t>(axis)];
    for (std::size_t i = 1; i < call.inputs(); ++i) {
      auto expected = call.shape(0), found = call.shape(i);
      if (call.input(i).element != call.input(0).element)
        return call.error(fmt::format("inputs are {} and {}, expected one element type", to_string(call.input(0).element), to_string(call.input(i).element)));
      if (found.size() != expected.size()) return call.error(fmt::format("input {} is {}, expected rank {}", i, to_string(found), expected.size()));
      extent += found[static_cast<std::size_t>(axis)];
      expected[static_cast<std::size_t>(axis)] = found[static_cast<std::size_t>(axis)];
      if (found != expected) return call.error(fmt::format("input {} is {}, expected {} but for axis {}", i, to_string(found), to_string(call.shape(0)), axis));
    }
    return std::vector{Type{call.input(0).element, shape}};
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto axis = call.parameters<CatParameters>().axis;
    Tensor result(inputs[0]->element, call.output().shape);
    const auto outer = static_cast<std::size_t>(outer_elements(result.shape, axis));
    auto* into = result.bytes.data();
    for (std::size_t block = 0; block < outer; ++block)
      for (const auto* input : inputs) {
        const auto bytes = input->bytes.size() / outer;
        if (bytes) std::memcpy(into, input->bytes.data() + block * bytes, bytes);
        into += bytes;
      }
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto axis = call.parameters<CatParameters>().axis;
    const auto& y = call.output().shape;
    const auto outer = outer_elements(y, axis), inner = inner_elements(y, axis), row = y[static_cast<std::size_t>(axis)] * inner;
    Layer layer{.header = "copy.h"};
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < call.inputs(); ++i) {
      const auto block = call.shape(i)[static_cast<std::size_t>(axis)] * inner;
      const auto* constant = call.constant(i);
      const auto source = fmt::format("{}{}", constant ? "operand" : "input", i);
      if (constant) layer.arrays.push_back({source, *constant});
      layer.structs.push_back({"Copy", fmt::format("block{}", i),
                               {{"rank", "2"}, {"shape", array<6>({outer, block})}, {"input_stride", array<6>({block, 1})}, {"output_stride", array<6>({row, 1})}}});
      layer.calls.push_back({"copy", {layer.structs.back().name, source, offset ? fmt::format("output0 + {}", offset) : "output0"}});
      offset += block;
    }
    return layer;
  }
};

class Cat final : public IntegerCat {
 public:
  std::string_view name() const override { return "cat"; }
  std::string_view inputs() const override { return "x, …"; }
  bool integer() const override { return false; }
  std::span<const Spelling> spellings() const override { return cat_spellings; }
  std::string_view limits() const override { return "any number of tensors along any axis; stack too"; }
  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override { return lower_data_movement(call, patch, "cortex_m.cat"); }
};

const Register<IntegerCat> integer_cat;
const Register<Cat> cat;

}  // namespace
}  // namespace corten
