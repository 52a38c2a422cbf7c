// SPDX-License-Identifier: Apache-2.0
// Padding with a constant around any axes.
#include "compiler/ops/pad.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/import.h"
#include "compiler/ops/index.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/shared_grid.h"
#include "compiler/ops/slice.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

/// The pairs of "pad" (last dim first) by physical axis; negative ones remove elements.
Result<PadParameters> read_pad(Import& import, const Operand& operand) {
  const auto pairs = import.integers("pad");
  const auto rank = operand.order.size();
  if (pairs.size() % 2 || pairs.size() / 2 > rank)
    return import.error(fmt::format("pad has {} numbers, expected pairs for at most {} dims", pairs.size(), rank));
  PadParameters p{std::vector<std::int64_t>(rank, 0), std::vector<std::int64_t>(rank, 0), static_cast<float>(import.number("value", 0))};
  for (std::size_t i = 0; i < pairs.size() / 2; ++i) {
    const auto axis = static_cast<std::size_t>(operand.physical(-1 - static_cast<std::int64_t>(i)));
    p.before[axis] = pairs[2 * i];
    p.after[axis] = pairs[2 * i + 1];
  }
  if (std::isnan(p.value)) return import.error("pad value is not a number");
  return p;
}

/// Slices away what negative padding removes, and sets it to zero.
Result<ValueId> crop(Import& import, ValueId value, PadParameters& p) {
  for (std::size_t axis = 0; axis < p.before.size(); ++axis) {
    const auto extent = import.shape(value)[axis];
    const auto start = std::max<std::int64_t>(-p.before[axis], 0), end = extent - std::max<std::int64_t>(-p.after[axis], 0);
    p.before[axis] = std::max<std::int64_t>(p.before[axis], 0);
    p.after[axis] = std::max<std::int64_t>(p.after[axis], 0);
    if (start == 0 && end == extent) continue;
    if (end <= start) return import.error(fmt::format("negative padding leaves nothing of {} elements", extent));
    value = import.add(op("slice"), parameters(SliceParameters{static_cast<std::int64_t>(axis), start, end, 1}), {value});
  }
  return value;
}

Status import_constant_pad(Import& import) {
  const auto operand = import.operand("self");
  CORTEN_TRY(auto p, read_pad(import, operand));
  CORTEN_TRY(auto value, crop(import, operand.value, p));
  const Shape nothing(p.before.size(), 0);
  if (p.before != nothing || p.after != nothing) value = import.add(op("pad"), parameters(p), {value});
  import.result({value, operand.order});
  return {};
}

Status import_pad(Import& import) {
  const auto mode = import.text("mode", "constant");
  if (mode != "constant") return import.error(fmt::format("padding mode is {}, expected constant", mode), "pad with a constant, or before the network");
  return import_constant_pad(import);
}

Status refuse_mode(Import& import) {
  return import.error(fmt::format("padding by {} is not supported, expected constant padding", import.node().target), "pad with a constant, or before the network");
}

constexpr Spelling pad_spellings[] = {
    {"aten.constant_pad_nd.default", import_constant_pad}, {"aten.pad.default", import_pad},
    {"aten.reflection_pad1d.default", refuse_mode},        {"aten.reflection_pad2d.default", refuse_mode},
    {"aten.replication_pad1d.default", refuse_mode},       {"aten.replication_pad2d.default", refuse_mode},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

template <class P>
Result<std::vector<Type>> infer_pad(const Call& call, const P& p) {
  auto shape = call.shape(0);
  if (p.before.size() != shape.size() || p.after.size() != shape.size())
    return call.error(fmt::format("padding for {} and {} axes, expected {}", p.before.size(), p.after.size(), shape.size()));
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (p.before[axis] < 0 || p.after[axis] < 0) return call.error(fmt::format("padding {} and {} of axis {}, expected 0 or more", p.before[axis], p.after[axis], axis));
    shape[axis] += p.before[axis] + p.after[axis];
  }
  return std::vector{Type{call.input(0).element, shape}};
}

template <class T>
Tensor padded(const Tensor& input, const Shape& shape, const std::vector<std::int64_t>& before, T value) {
  Tensor result(input.element, shape);
  const auto x = input.as<T>();
  const auto y = result.as<T>();
  std::fill(y.begin(), y.end(), value);
  const auto strides = strides_of(shape);
  for_each_index(input.shape, [&](const Index& index, std::int64_t position) {
    std::int64_t to = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) to += (index[axis] + before[axis]) * strides[axis];
    y[static_cast<std::size_t>(to)] = x[static_cast<std::size_t>(position)];
  });
  return result;
}

class Pad final : public OperatorWith<PadParameters> {
 public:
  std::string_view name() const override { return "pad"; }
  std::span<const Spelling> spellings() const override { return pad_spellings; }
  std::string_view limits() const override { return "constant mode, any axes and value; negative padding is a slice"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_pad(call, call.parameters<PadParameters>()); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& p = call.parameters<PadParameters>();
    return {padded(*inputs[0], call.output().shape, p.before, p.value)};
  }
  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

struct QuantizedPadParameters {
  std::vector<std::int64_t> before, after;
  std::int32_t value = 0;  // a code
  template <class F>
  void fields(F&& f) {
    f("before", before), f("after", after), f("value", value);
  }
};

Status Pad::lower(const Call& call, Patch& patch) const {
  CORTEN_CHECK(check_shared_grid(call));
  const auto& p = call.parameters<PadParameters>();
  const auto& y = *call.output().quantization;
  const auto code = std::nearbyint(double{p.value} / double{y.scale()}) + y.zero_point();
  const QuantizedPadParameters q{p.before, p.after, static_cast<std::int32_t>(std::clamp<double>(code, y.low, y.high))};
  return lower_to(call, patch, "cortex_m.pad", parameters(q), call.node().inputs);
}

class IntegerPad final : public OperatorWith<QuantizedPadParameters> {
 public:
  std::string_view name() const override { return "cortex_m.pad"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_pad(call, call.parameters<QuantizedPadParameters>()); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<QuantizedPadParameters>();
    return {padded(*inputs[0], call.output().shape, q.before, static_cast<std::int8_t>(q.value))};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<QuantizedPadParameters>();
    const auto rank = call.shape(0).size();
    if (rank > max_elementwise_rank) return call.error(fmt::format("input has {} dimensions, expected at most {}", rank, max_elementwise_rank));
    const StructLiteral axes{"Pad", "axes",
                             {{"rank", number(static_cast<std::int64_t>(rank))},
                              {"shape", array<6>(call.shape(0))},
                              {"before", array<6>(q.before)},
                              {"after", array<6>(q.after)},
                              {"value", number(q.value)}}};
    return Layer{.header = "pad.h", .structs = {axes}, .calls = {{"pad", {"axes", "input0", "output0"}}}};
  }
};

const Register<Pad> pad;
const Register<IntegerPad> integer_pad;

}  // namespace
}  // namespace corten
