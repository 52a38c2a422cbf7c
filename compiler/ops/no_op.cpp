// SPDX-License-Identifier: Apache-2.0
// Spellings of nodes that leave their input as it is: they bind a name and add nothing to the graph.
#include <fmt/format.h>

#include "compiler/ops/element_argument.h"
#include "compiler/ops/import.h"
#include "compiler/ops/index.h"

namespace corten {
namespace {

Status bind(Import& import, std::string_view argument) {
  import.result(import.operand(argument));
  return {};
}

Status import_self(Import& import) { return bind(import, "self"); }

Status import_dropout(Import& import) {
  if (import.boolean("train", false)) return import.error("dropout is in training mode", "call model.eval() before torch.export");
  return bind(import, "input");
}

/// Values that are computed are f32; only constants and inputs may be something else.
Element element(Import& import, std::string_view argument) {
  const auto* constant = import.constant(import.operand(argument).value);
  return constant ? constant->element : Element::F32;
}

Status import_conversion(Import& import, Element to) {
  const auto from = element(import, "self");
  if (from != to) return import.error(fmt::format("conversion from {} to {} is not supported", to_string(from), to_string(to)));
  return bind(import, "self");
}

Status import_to(Import& import) { return import_conversion(import, element_argument(import, "dtype").value_or(element(import, "self"))); }
Status import_type_as(Import& import) { return import_conversion(import, element(import, "other")); }

/// Sizes to expand to; −1 keeps an extent.
Shape expanded_shape(Import& import, const Shape& from) {
  auto shape = import.is_tensor("other") ? import.shape(import.in_framework_order("other")) : import.integers("size");
  const auto skip = shape.size() - std::min(shape.size(), from.size());
  for (std::size_t axis = skip; axis < shape.size(); ++axis)
    if (shape[axis] == -1) shape[axis] = from[axis - skip];
  return shape;
}

Tensor repeated(const Tensor& tensor, const Shape& shape) {
  Tensor result(tensor.element, shape);
  const auto bytes = element_bytes(tensor.element);
  for_each_index(shape, [&](const Index& index, std::int64_t position) {
    const auto from = static_cast<std::size_t>(broadcast_position(index, tensor.shape));
    std::copy_n(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(from * bytes), bytes, result.bytes.begin() + position * static_cast<std::ptrdiff_t>(bytes));
  });
  return result;
}

Status import_expand(Import& import) {
  const auto operand = import.operand("self");
  const auto value = import.in_framework_order(operand);
  const auto from = import.shape(value), to = expanded_shape(import, from);
  if (to == from) return bind(import, "self");
  if (broadcast(from, to) != to) return import.error(fmt::format("{} can't be expanded to {}", to_string(from), to_string(to)));
  if (const auto* tensor = import.constant(value)) {
    import.result(import.constant(import.node().origin.node, repeated(*tensor, to)));
    return {};
  }
  if (element_count(from) != element_count(to))
    return import.error(fmt::format("expanding {} to {} repeats values that are not constant", to_string(from), to_string(to)), "leave it out where the next operator broadcasts");
  import.result(import.reshape(value, to));
  return {};
}

constexpr Spelling no_op_spellings[] = {
    {"aten.dropout.default", import_dropout},         {"aten.native_dropout.default", import_dropout}, {"aten.feature_dropout.default", import_dropout},
    {"aten.alpha_dropout.default", import_dropout},   {"aten.contiguous.default", import_self},        {"aten.clone.default", import_self},
    {"aten.alias.default", import_self},              {"aten.alias_copy.default", import_self},        {"aten.detach.default", import_self},
    {"aten.detach_copy.default", import_self},        {"aten.lift_fresh_copy.default", import_self},   {"aten.lift_fresh.default", import_self},
    {"aten.to.dtype", import_to},                     {"aten.to.dtype_layout", import_to},             {"aten.to.device", import_to},
    {"aten._to_copy.default", import_to},             {"aten.type_as.default", import_type_as},        {"aten.expand.default", import_expand},
    {"aten.expand_copy.default", import_expand},      {"aten.expand_as.default", import_expand},
};

/// Never a node: import functions bind its input.
class NoOp final : public OperatorWith<NoParameters> {
 public:
  std::string_view name() const override { return "no_op"; }
  std::span<const Spelling> spellings() const override { return no_op_spellings; }
  std::string_view limits() const override { return "float32 throughout; expansion of constants, or by leading axes of extent 1"; }
  Result<std::vector<Type>> infer(const Call& call) const override { return std::vector{Type{call.input(0).element, call.shape(0)}}; }
  std::vector<Tensor> evaluate(const Call&, std::span<const Tensor* const> inputs) const override { return {*inputs[0]}; }
};

const Register<NoOp> no_op;

}  // namespace
}  // namespace corten
