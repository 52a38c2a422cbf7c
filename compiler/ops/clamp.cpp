// SPDX-License-Identifier: Apache-2.0
// Keeping values in a range: relu, relu6, hardtanh and clamp.
#include <fmt/format.h>

#include <optional>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/requantize.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

Status import_range(Import& import, const ClampRange& range) { return import_elementwise(import, "self", op("clamp"), parameters(range)); }

Status import_relu(Import& import) { return import_range(import, {.low = 0}); }
Status import_relu6(Import& import) { return import_range(import, {.low = 0, .high = 6}); }

Status import_hardtanh(Import& import) {
  return import_range(import, {static_cast<float>(import.number("min_val", -1)), static_cast<float>(import.number("max_val", 1))});
}

/// A bound given as a number or as a constant tensor of one float; nothing when it is neither.
std::optional<float> bound(Import& import, std::string_view name, float fallback) {
  if (!import.has(name)) return fallback;
  if (!import.is_tensor(name)) return static_cast<float>(import.number(name, fallback));
  const auto* tensor = import.constant(import.operand(name).value);
  if (!tensor || tensor->element != Element::F32 || tensor->elements() != 1) return std::nullopt;
  return tensor->as<float>()[0];
}

Status import_clamp(Import& import) {
  constexpr ClampRange unbounded;
  const auto low = bound(import, "min", unbounded.low), high = bound(import, "max", unbounded.high);
  if (!low || !high) return import.error("the bounds are not constant numbers", "use torch.maximum and torch.minimum for bounds that are tensors");
  return import_range(import, {*low, *high});
}

constexpr Spelling clamp_spellings[] = {
    {"aten.relu.default", import_relu},       {"aten.relu6.default", import_relu6},     {"aten.hardtanh.default", import_hardtanh},
    {"aten.clamp.default", import_clamp},     {"aten.clamp.Tensor", import_clamp},      {"aten.clamp_min.default", import_clamp},
    {"aten.clamp_max.default", import_clamp}, {"aten.clamp_min.Tensor", import_clamp},  {"aten.clamp_max.Tensor", import_clamp},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

class Clamp final : public OperatorWith<ClampRange> {
 public:
  std::string_view name() const override { return "clamp"; }
  std::span<const Spelling> spellings() const override { return clamp_spellings; }
  std::string_view limits() const override { return "constant bounds"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return std::vector{Type{call.input(0).element, call.shape(0)}}; }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    auto result = *inputs[0];
    for (auto& value : result.as<float>()) value = call.parameters<ClampRange>()(value);
    return {result};
  }

  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override { return parameters(call.parameters<ClampRange>().within(range)); }
  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

struct ClampCodes {
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("low", low), f("high", high);
  }
};

/// A clamp whose ends lie on different grids, as other quantizers leave it, changes grid on the way.
Status Clamp::lower(const Call& call, Patch& patch) const {
  CORTEN_CHECK(check_per_tensor(call));
  const auto &x = *call.input(0).quantization, &y = *call.output().quantization;
  const auto range = code_range(call.parameters<ClampRange>(), y);
  if (x.same_grid(y)) return lower_to(call, patch, "cortex_m.clamp", parameters(ClampCodes{range.low, range.high}), call.node().inputs);
  CORTEN_TRY(auto requantized, requantize_parameters(call, x, y, range));
  return lower_to(call, patch, "cortex_m.requantize", parameters(std::move(requantized)), call.node().inputs);
}

class IntegerClamp final : public OperatorWith<ClampCodes> {
 public:
  std::string_view name() const override { return "cortex_m.clamp"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return std::vector{Type{call.input(0).element, call.shape(0)}}; }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<ClampCodes>();
    auto result = *inputs[0];
    for (auto& code : result.as<std::int8_t>()) code = static_cast<std::int8_t>(std::clamp(std::int32_t{code}, q.low, q.high));
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<ClampCodes>();
    return Layer{.header = "clamp.h", .calls = {{"clamp", {number(element_count(call.output().shape)), number(q.low), number(q.high), "input0", "output0"}}}};
  }
  std::vector<int> in_place_inputs(const Call&) const override { return {0}; }
};

const Register<Clamp> clamp_operator;
const Register<IntegerClamp> integer_clamp;

}  // namespace
}  // namespace corten
