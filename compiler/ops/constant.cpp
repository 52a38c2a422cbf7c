// SPDX-License-Identifier: Apache-2.0
// Spellings of tensors whose values the model writes out: full, zeros, ones and scalars.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/element_argument.h"
#include "compiler/ops/import.h"

namespace corten {
namespace {

Status fill(Import& import, const Shape& shape, double value) {
  const auto element = element_argument(import, "dtype").value_or(Element::F32);
  if (element != Element::F32) return import.error(fmt::format("dtype is {}, expected f32", to_string(element)));
  Tensor tensor(Element::F32, shape);
  std::ranges::fill(tensor.as<float>(), static_cast<float>(value));
  import.result(import.constant(import.node().origin.node, std::move(tensor)));
  return {};
}

Status import_full(Import& import) { return fill(import, import.integers("size"), import.number("fill_value", 0)); }
Status import_zeros(Import& import) { return fill(import, import.integers("size"), 0); }
Status import_ones(Import& import) { return fill(import, import.integers("size"), 1); }
Status import_scalar(Import& import) { return fill(import, {}, import.number("s", 0)); }

/// Of another tensor's shape, and lying as it does.
Status fill_like(Import& import, double value) {
  const auto like = import.operand("self");
  Tensor tensor(Element::F32, import.shape(like.value));
  std::ranges::fill(tensor.as<float>(), static_cast<float>(value));
  import.result({import.constant(import.node().origin.node, std::move(tensor)), like.order});
  return {};
}

Status import_full_like(Import& import) { return fill_like(import, import.number("fill_value", 0)); }
Status import_zeros_like(Import& import) { return fill_like(import, 0); }
Status import_ones_like(Import& import) { return fill_like(import, 1); }

constexpr Spelling constant_spellings[] = {
    {"aten.full.default", import_full},           {"aten.zeros.default", import_zeros},           {"aten.ones.default", import_ones},
    {"aten.new_zeros.default", import_zeros},     {"aten.new_ones.default", import_ones},         {"aten.new_full.default", import_full},
    {"aten.full_like.default", import_full_like}, {"aten.zeros_like.default", import_zeros_like}, {"aten.ones_like.default", import_ones_like},
    {"aten.scalar_tensor.default", import_scalar},
};

/// Never a node: import functions add a constant.
class Constant final : public OperatorWith<NoParameters> {
 public:
  std::string_view name() const override { return "constant"; }
  std::string_view inputs() const override { return ""; }
  std::span<const Spelling> spellings() const override { return constant_spellings; }
  std::string_view limits() const override { return "float32, shapes known at export"; }
  Result<std::vector<Type>> infer(const Call& call) const override { return call.error("a constant is a value, not a node"); }
  std::vector<Tensor> evaluate(const Call&, std::span<const Tensor* const>) const override { return {}; }
};

const Register<Constant> constant;

}  // namespace
}  // namespace corten
