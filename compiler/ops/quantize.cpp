// SPDX-License-Identifier: Apache-2.0
// Explicit changes between reals and codes.
#include "compiler/ops/quantize.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/element_argument.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {

Quantization quantization_of(const Call& call) {
  const auto& p = call.parameters<QuantizeParameters>();
  if (!p.per_channel()) return per_tensor(p.scale, p.zero_point, p.low, p.high);
  const auto scales = call.constant(1)->as<float>();
  const auto zero_points = call.constant(2)->as<std::int32_t>();
  return {{scales.begin(), scales.end()}, {zero_points.begin(), zero_points.end()}, p.axis, p.low, p.high};
}

bool known_at_compile_time(const Graph& graph, ValueId value) {
  if (value == no_value || graph.value(value).constant) return true;
  const int from = graph.producers()[static_cast<std::size_t>(value)];
  if (from < 0) return false;
  const auto& inputs = graph.nodes[static_cast<std::size_t>(from)].inputs;
  return std::all_of(inputs.begin(), inputs.end(), [&](ValueId input) { return known_at_compile_time(graph, input); });
}

namespace {

/// How a value is quantized: by its type, or by the `dequantize` that makes it.
std::optional<Quantization> quantization_behind(const Graph& graph, ValueId value) {
  if (graph.type(value).quantization) return graph.type(value).quantization;
  const int from = graph.producers()[static_cast<std::size_t>(value)];
  if (from < 0 || graph.nodes[static_cast<std::size_t>(from)].op->name() != "dequantize") return std::nullopt;
  return quantization_of(Call(graph, graph.nodes[static_cast<std::size_t>(from)]));
}

}  // namespace

Status check_weight_quantization(const Call& call, std::size_t input, std::string_view channel) {
  const auto q = quantization_behind(call.graph(), call.node().inputs[input]);
  if (!q) return {};
  const auto help = fmt::format("quantize weights with axis 0, one scale per {}", channel);
  if (q->axis > 0) return call.error(fmt::format("weight scales lie along axis {}, expected 0", q->axis), help);
  const auto expected = q->per_channel() ? call.shape(input)[0] : 1;
  if (static_cast<std::int64_t>(q->scales.size()) != expected)
    return call.error(fmt::format("weight scale has {} values, expected {}", q->scales.size(), expected), help);
  for (const auto zero_point : q->zero_points)
    if (zero_point != 0) return call.error(fmt::format("weight zero point is {}, expected 0", zero_point), "quantize weights symmetrically");
  return {};
}

namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

/// A constant of one element, whatever its element type.
std::optional<double> scalar(const Tensor* tensor) {
  if (!tensor || tensor->elements() != 1) return std::nullopt;
  switch (tensor->element) {
    case Element::F32: return tensor->as<float>()[0];
    case Element::I64: return static_cast<double>(tensor->as<std::int64_t>()[0]);
    case Element::I32: return tensor->as<std::int32_t>()[0];
    default: return std::nullopt;
  }
}

/// A number written as such or as a constant tensor.
Result<double> number_argument(Import& import, std::string_view name) {
  if (!import.is_tensor(name)) return import.number(name, 0);
  if (const auto value = scalar(import.constant(import.operand(name).value))) return *value;
  return import.error(fmt::format("{} is not constant", name), "dynamic quantization is not supported: calibrate and convert the model statically");
}

/// Range and element of the codes, which every spelling has.
Result<QuantizeParameters> read_codes(Import& import) {
  QuantizeParameters p;
  const auto element = element_argument(import, "dtype").value_or(Element::I8);
  if (element == Element::F32 || element == Element::I64 || element == Element::Bool)
    return import.error(fmt::format("codes are {}, expected i8, u8, i16 or i32", to_string(element)));
  p.bits = static_cast<std::int32_t>(8 * element_bytes(element));
  p.is_signed = element != Element::U8;
  CORTEN_TRY(const auto low, number_argument(import, "quant_min"));
  CORTEN_TRY(const auto high, number_argument(import, "quant_max"));
  p.low = static_cast<std::int32_t>(low);
  p.high = static_cast<std::int32_t>(high);
  const auto real = element_argument(import, "out_dtype").value_or(Element::F32);
  if (real != Element::F32) return import.error(fmt::format("out_dtype is {}, expected f32", to_string(real)));
  return p;
}

Status import_per_tensor(Import& import, std::string_view operator_name) {
  CORTEN_TRY(auto p, read_codes(import));
  CORTEN_TRY(const auto scale, number_argument(import, "scale"));
  CORTEN_TRY(const auto zero_point, number_argument(import, "zero_point"));
  p.scale = static_cast<float>(scale);
  p.zero_point = static_cast<std::int32_t>(zero_point);
  return import_elementwise(import, "input", op(operator_name), parameters(p));
}

/// Zero points as i32 beside the scales; zeros where the model has none.
Result<ValueId> zero_points(Import& import, std::int64_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count), 0);
  const auto operand = import.operand("zero_points");
  if (operand.value != no_value) {
    const auto* tensor = import.constant(operand.value);
    if (!tensor || tensor->elements() != count) return import.error(fmt::format("zero_points must be a constant of {} values, one per scale", count));
    if (tensor->element == Element::I64) std::copy_n(tensor->as<std::int64_t>().begin(), count, values.begin());
    if (tensor->element == Element::I32) std::copy_n(tensor->as<std::int32_t>().begin(), count, values.begin());
  }
  return import.constant(import.node().origin.node + "_zero_points", i32_tensor(values));
}

Status import_per_channel(Import& import, std::string_view operator_name) {
  CORTEN_TRY(auto p, read_codes(import));
  const auto x = import.operand("input"), scales = import.operand("scales");
  const auto* tensor = import.constant(scales.value);
  if (!tensor || tensor->element != Element::F32) return import.error("scales are not constant f32");
  const auto rank = static_cast<std::int64_t>(x.order.size()), axis = import.integer("axis", 0);
  if (axis < -rank || axis >= rank) return import.error(fmt::format("axis is {}, the input has {} dimensions", axis, rank));
  p.axis = x.physical(axis);
  CORTEN_TRY(const auto zeros, zero_points(import, tensor->elements()));
  import.result({import.add(op(operator_name), parameters(p), {x.value, scales.value, zeros}), x.order});
  return {};
}

Status import_quantize(Import& import) { return import_per_tensor(import, "quantize"); }
Status import_dequantize(Import& import) { return import_per_tensor(import, "dequantize"); }
Status import_quantize_channels(Import& import) { return import_per_channel(import, "quantize"); }
Status import_dequantize_channels(Import& import) { return import_per_channel(import, "dequantize"); }

constexpr Spelling quantize_spellings[] = {
    {"quantized_decomposed.quantize_per_tensor.default", import_quantize},
    {"quantized_decomposed.quantize_per_tensor.tensor", import_quantize},
    {"quantized_decomposed.quantize_per_tensor.tensor2", import_quantize},
    {"quantized_decomposed.quantize_per_channel.default", import_quantize_channels},
};
constexpr Spelling dequantize_spellings[] = {
    {"quantized_decomposed.dequantize_per_tensor.default", import_dequantize},
    {"quantized_decomposed.dequantize_per_tensor.tensor", import_dequantize},
    {"quantized_decomposed.dequantize_per_tensor.tensor2", import_dequantize},
    {"quantized_decomposed.dequantize_per_channel.default", import_dequantize_channels},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

template <class F>
auto with_code_type(Element element, F&& f) {
  switch (element) {
    case Element::I8: return f(std::int8_t{});
    case Element::U8: return f(std::uint8_t{});
    case Element::I16: return f(std::int16_t{});
    default: return f(std::int32_t{});
  }
}

/// Index into the scales for each element in turn; the last one where there are too few, which readers of weights report.
struct Channel {
  std::size_t count = 1, inner = 1, extent = 1;
  Channel(const Shape& shape, const Quantization& q) : count(q.scales.size()) {
    if (!q.per_channel()) return;
    extent = static_cast<std::size_t>(shape[static_cast<std::size_t>(q.axis)]);
    for (auto axis = static_cast<std::size_t>(q.axis) + 1; axis < shape.size(); ++axis) inner *= static_cast<std::size_t>(shape[axis]);
  }
  std::size_t operator()(std::size_t position) const { return std::min(position / inner % extent, count - 1); }
};

Tensor to_codes(const Tensor& reals, const Quantization& q, Element element) {
  Tensor result(element, reals.shape);
  const Channel channel(reals.shape, q);
  const auto from = reals.as<float>();
  with_code_type(element, [&]<class T>(T) {
    const auto into = result.as<T>();
    for (std::size_t i = 0; i < from.size(); ++i)
      into[i] = static_cast<T>(quantize_value(from[i], q.scales[channel(i)], q.zero_points[channel(i)], q.low, q.high));
  });
  return result;
}

Tensor to_reals(const Tensor& codes, const Quantization& q) {
  Tensor result(Element::F32, codes.shape);
  const Channel channel(codes.shape, q);
  const auto into = result.as<float>();
  with_code_type(codes.element, [&]<class T>(T) {
    const auto from = codes.as<T>();
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = dequantize_value(from[i], q.scales[channel(i)], q.zero_points[channel(i)]);
  });
  return result;
}

/// Scales must fit, except on constants: what reads the weights says what is wrong in its own words.
Status check_channels(const Call& call) {
  const auto& p = call.parameters<QuantizeParameters>();
  if (!p.per_channel()) return {};
  if (static_cast<std::size_t>(p.axis) >= call.shape(0).size()) return call.error(fmt::format("axis is {}, the input has {} dimensions", p.axis, call.shape(0).size()));
  if (!call.constant(1) || !call.constant(2)) return call.error("scales and zero points must be constant");
  const auto scales = call.constant(1)->elements(), expected = call.shape(0)[static_cast<std::size_t>(p.axis)];
  if (scales < 1 || call.constant(2)->elements() != scales || (!call.constant(0) && scales != expected))
    return call.error(fmt::format("{} scales and {} zero points, expected {}", scales, call.constant(2)->elements(), expected));
  return {};
}

Result<std::vector<Type>> infer_change(const Call& call, Element from, Element to) {
  if (call.input(0).element != from) return call.error(fmt::format("input is {}, expected {}", to_string(call.input(0).element), to_string(from)));
  CORTEN_CHECK(check_channels(call));
  return std::vector{Type{to, call.shape(0)}};
}

class IntegerQuantize : public OperatorWith<QuantizeParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantize_per_tensor"; }
  std::string_view inputs() const override { return "x"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    CORTEN_TRY(auto types, infer_change(call, Element::F32, call.parameters<QuantizeParameters>().element()));
    types[0].quantization = quantization_of(call);
    return types;
  }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    return {to_codes(*inputs[0], quantization_of(call), call.parameters<QuantizeParameters>().element())};
  }
  Result<Layer> emit(const Call& call, Isa isa) const override;
};

class IntegerDequantize : public OperatorWith<QuantizeParameters> {
 public:
  std::string_view name() const override { return "cortex_m.dequantize_per_tensor"; }
  std::string_view inputs() const override { return "x"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    return infer_change(call, call.parameters<QuantizeParameters>().element(), Element::F32);
  }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override { return {to_reals(*inputs[0], quantization_of(call))}; }
  Result<Layer> emit(const Call& call, Isa isa) const override;
};

Status lower_change(const Call& call, Patch& patch, std::string_view integer_operator) {
  if (call.parameters<QuantizeParameters>().per_channel()) return call.error("activations have one scale per channel, expected one in all");
  return lower_to(call, patch, integer_operator, call.node().parameters, call.node().inputs);
}

class Quantize final : public IntegerQuantize {
 public:
  std::string_view name() const override { return "quantize"; }
  std::string_view inputs() const override { return "x, scales?, zero_points?"; }
  std::span<const Spelling> spellings() const override { return quantize_spellings; }
  std::string_view limits() const override { return "constant scales and zero points"; }
  Status lower(const Call& call, Patch& patch) const override { return lower_change(call, patch, "cortex_m.quantize_per_tensor"); }
};

class Dequantize final : public IntegerDequantize {
 public:
  std::string_view name() const override { return "dequantize"; }
  std::string_view inputs() const override { return "x, scales?, zero_points?"; }
  std::span<const Spelling> spellings() const override { return dequantize_spellings; }
  std::string_view limits() const override { return "constant scales and zero points"; }
  Status lower(const Call& call, Patch& patch) const override { return lower_change(call, patch, "cortex_m.dequantize_per_tensor"); }
};

// ---- kernels --------------------------------------------------------------------------------------------------------

/// A C++ literal of exactly this float.
std::string float_literal(float value) { return fmt::format("{:a}f", value); }

Result<Layer> IntegerQuantize::emit(const Call& call, Isa) const {
  const auto& p = call.parameters<QuantizeParameters>();
  const StructLiteral grid{"Quantize", "grid",
                           {{"inverse_scale", float_literal(1.0f / p.scale)}, {"zero_point", number(p.zero_point)}, {"low", number(p.low)}, {"high", number(p.high)}}};
  return Layer{.header = "quantize.h", .structs = {grid}, .calls = {{"quantize", {"grid", number(element_count(call.output().shape)), "input0", "output0"}}}};
}

Result<Layer> IntegerDequantize::emit(const Call& call, Isa) const {
  const auto& p = call.parameters<QuantizeParameters>();
  const StructLiteral grid{"Dequantize", "grid", {{"scale", float_literal(p.scale)}, {"zero_point", number(p.zero_point)}}};
  return Layer{.header = "dequantize.h", .structs = {grid}, .calls = {{"dequantize", {"grid", number(element_count(call.output().shape)), "input0", "output0"}}}};
}

const Register<Quantize> quantize;
const Register<Dequantize> dequantize;
const Register<IntegerQuantize> integer_quantize;
const Register<IntegerDequantize> integer_dequantize;

}  // namespace
}  // namespace corten
