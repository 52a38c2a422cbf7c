// SPDX-License-Identifier: Apache-2.0
// Reshape: the same elements in the same order under another shape.
#include "compiler/ops/reshape.h"

#include <fmt/format.h>

#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {
namespace {

/// Resolves one −1 in a requested shape.
Shape resolved(Shape shape, std::int64_t elements) {
  std::int64_t known = 1;
  for (auto extent : shape) known *= extent == -1 ? 1 : extent;
  for (auto& extent : shape)
    if (extent == -1) extent = known ? elements / known : 0;
  return shape;
}

Status import_to(Import& import, ValueId value, Shape shape) {
  shape = resolved(std::move(shape), element_count(import.shape(value)));
  if (element_count(shape) != element_count(import.shape(value)))
    return import.error(fmt::format("shape {} has another element count than {}", to_string(shape), to_string(import.shape(value))));
  import.result(import.reshape(value, std::move(shape)));
  return {};
}

Status import_view(Import& import) {
  return import_to(import, import.in_framework_order("self"), import.integers(import.has("shape") ? "shape" : "size"));
}

Status import_flatten(Import& import) {
  const auto value = import.in_framework_order("self");
  const auto& shape = import.shape(value);
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0) return import_to(import, value, {1});
  auto start = import.integer("start_dim", 0), end = import.integer("end_dim", -1);
  start += start < 0 ? rank : 0;
  end += end < 0 ? rank : 0;
  Shape flat(shape.begin(), shape.begin() + start);
  flat.push_back(element_count(Shape(shape.begin() + start, shape.begin() + end + 1)));
  flat.insert(flat.end(), shape.begin() + end + 1, shape.end());
  return import_to(import, value, flat);
}

Status import_unflatten(Import& import) {
  const auto value = import.in_framework_order("self");
  const auto& shape = import.shape(value);
  auto axis = import.integer("dim", 0);
  axis += axis < 0 ? static_cast<std::int64_t>(shape.size()) : 0;
  const auto sizes = resolved(import.integers("sizes"), shape[static_cast<std::size_t>(axis)]);
  Shape to(shape.begin(), shape.begin() + axis);
  to.insert(to.end(), sizes.begin(), sizes.end());
  to.insert(to.end(), shape.begin() + axis + 1, shape.end());
  return import_to(import, value, to);
}

Status import_squeeze(Import& import) {
  const auto value = import.in_framework_order("self");
  const auto& shape = import.shape(value);
  const auto rank = static_cast<std::int64_t>(shape.size());
  auto axes = import.integers("dim");
  const bool all = !import.has("dim");
  Shape to;
  for (std::int64_t i = 0; i < rank; ++i) {
    bool named = all;
    for (auto axis : axes) named = named || axis == i || axis + rank == i;
    if (!(named && shape[static_cast<std::size_t>(i)] == 1)) to.push_back(shape[static_cast<std::size_t>(i)]);
  }
  return import_to(import, value, to);
}

Status import_unsqueeze(Import& import) {
  const auto value = import.in_framework_order("self");
  auto shape = import.shape(value);
  auto axis = import.integer("dim", 0);
  axis += axis < 0 ? static_cast<std::int64_t>(shape.size()) + 1 : 0;
  shape.insert(shape.begin() + axis, 1);
  return import_to(import, value, shape);
}

constexpr Spelling reshape_spellings[] = {
    {"aten.view.default", import_view},          {"aten.view_copy.default", import_view},
    {"aten._unsafe_view.default", import_view},  {"aten.reshape.default", import_view},
    {"aten.flatten.using_ints", import_flatten}, {"aten.unflatten.int", import_unflatten},
    {"aten.squeeze.default", import_squeeze},    {"aten.squeeze.dim", import_squeeze},
    {"aten.squeeze.dims", import_squeeze},       {"aten.squeeze_copy.dims", import_squeeze},
    {"aten.unsqueeze.default", import_unsqueeze}, {"aten.unsqueeze_copy.default", import_unsqueeze},
};

class IntegerReshape : public OperatorWith<ReshapeParameters> {
 public:
  std::string_view name() const override { return "cortex_m.reshape"; }
  bool integer() const override { return true; }
  bool alias() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto& shape = call.parameters<ReshapeParameters>().shape;
    if (element_count(shape) != element_count(call.shape(0)))
      return call.error(fmt::format("shape {} has another element count than {}", to_string(shape), to_string(call.shape(0))));
    return std::vector{Type{call.input(0).element, shape}};
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    auto result = *inputs[0];
    result.shape = call.parameters<ReshapeParameters>().shape;
    return {result};
  }
};

class Reshape final : public IntegerReshape {
 public:
  std::string_view name() const override { return "reshape"; }
  bool integer() const override { return false; }
  std::span<const Spelling> spellings() const override { return reshape_spellings; }
  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override { return lower_data_movement(call, patch, "cortex_m.reshape"); }
};

const Register<IntegerReshape> integer_reshape;
const Register<Reshape> reshape;

}  // namespace
}  // namespace corten
