// SPDX-License-Identifier: Apache-2.0
// Transpose: axes in another order, elements moved.
#include "compiler/ops/transpose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ops/import.h"
#include "compiler/ops/index.h"
#include "compiler/ops/lowering.h"

namespace corten {

Tensor transpose(const Tensor& tensor, std::span<const std::int64_t> permutation) {
  Shape shape;
  for (auto axis : permutation) shape.push_back(tensor.shape[static_cast<std::size_t>(axis)]);
  Tensor result(tensor.element, shape);
  const auto strides = strides_of(tensor.shape);
  const auto bytes = element_bytes(tensor.element);
  for_each_index(shape, [&](const Index& index, std::int64_t position) {
    std::int64_t from = 0;
    for (std::size_t i = 0; i < index.size(); ++i) from += index[i] * strides[static_cast<std::size_t>(permutation[i])];
    std::memcpy(&result.bytes[static_cast<std::size_t>(position) * bytes], &tensor.bytes[static_cast<std::size_t>(from) * bytes], bytes);
  });
  return result;
}

namespace {

/// A permutation changes only how axes are numbered: the framework's order of axes is bound anew and no node is needed.
Status import_permutation(Import& import, std::vector<std::int64_t> dims) {
  const auto operand = import.operand("self");
  Operand result{operand.value, std::vector<int>(operand.order.size())};
  for (std::size_t i = 0; i < dims.size(); ++i)
    result.order[static_cast<std::size_t>(operand.physical(dims[i]))] = static_cast<int>(i);
  import.result(std::move(result));
  return {};
}

Status import_permute(Import& import) { return import_permutation(import, import.integers("dims")); }

Status import_swap(Import& import) {
  const auto rank = import.rank("self");
  auto dims = framework_order(static_cast<std::size_t>(rank));
  auto a = import.integer("dim0", 0), b = import.integer("dim1", 1);
  a += a < 0 ? rank : 0;
  b += b < 0 ? rank : 0;
  if (rank > 1) std::swap(dims[static_cast<std::size_t>(a)], dims[static_cast<std::size_t>(b)]);
  return import_permutation(import, {dims.begin(), dims.end()});
}

constexpr Spelling transpose_spellings[] = {
    {"aten.permute.default", import_permute}, {"aten.permute_copy.default", import_permute}, {"aten.transpose.int", import_swap},
    {"aten.transpose_copy.int", import_swap}, {"aten.t.default", import_swap},               {"aten.t_copy.default", import_swap},
};

class IntegerTranspose : public OperatorWith<TransposeParameters> {
 public:
  std::string_view name() const override { return "cortex_m.transpose"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto& permutation = call.parameters<TransposeParameters>().permutation;
    auto sorted = permutation;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted.size() != call.shape(0).size() || sorted[i] != static_cast<std::int64_t>(i))
        return call.error(fmt::format("{} is no permutation of {} axes", to_string(permutation), call.shape(0).size()));
    Type type{call.input(0).element, {}};
    for (auto axis : permutation) type.shape.push_back(call.shape(0)[static_cast<std::size_t>(axis)]);
    return std::vector{type};
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    return {transpose(*inputs[0], call.parameters<TransposeParameters>().permutation)};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& permutation = call.parameters<TransposeParameters>().permutation;
    const auto strides = strides_of(call.shape(0));
    std::vector<std::int64_t> moved;
    for (auto axis : permutation) moved.push_back(strides[static_cast<std::size_t>(axis)]);
    return Layer{.header = "transpose.h",
                 .structs = {{"Transpose", "axes", {{"rank", number(permutation.size())}, {"shape", array<6>(call.output().shape)}, {"input_stride", array<6>(moved)}}}},
                 .calls = {{"transpose", {"axes", "input0", "output0"}}}};
  }
};

class Transpose final : public IntegerTranspose {
 public:
  std::string_view name() const override { return "transpose"; }
  bool integer() const override { return false; }
  std::span<const Spelling> spellings() const override { return transpose_spellings; }
  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override { return lower_data_movement(call, patch, "cortex_m.transpose"); }
};

const Register<IntegerTranspose> integer_transpose;
const Register<Transpose> transpose_operator;

}  // namespace
}  // namespace corten
