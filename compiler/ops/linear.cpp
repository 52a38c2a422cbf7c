// SPDX-License-Identifier: Apache-2.0
// Fully connected layers: the last axis of the input against constant weights, every leading index a row.
#include "compiler/ops/linear.h"

#include <fmt/format.h>

#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/quantize.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

Status import_layer(Import& import, const Operand& input, ValueId weights, ValueId bias) {
  const auto y = import.add(op("linear"), parameters(LinearParameters{}), {import.in_framework_order(input), weights, bias});
  if (y != no_value) import.result(y);
  return {};
}

Status import_linear(Import& import) {
  const auto weights = import.operand("weight");
  if (weights.order.size() != 2) return import.error(fmt::format("weights have {} dimensions, expected 2", weights.order.size()));
  const auto bias = import.has("bias") ? import.in_framework_order("bias") : no_value;
  return import_layer(import, import.operand("input"), import.in_framework_order(weights), bias);
}

/// The second factor of a matrix product, [in][out] to the framework, as weights [out][in].
ValueId transposed_weights(Import& import, std::string_view name) { return import.in_order(import.operand(name), {1, 0}); }

/// A bias that is added to every row, [out] or [1][out], as [out].
Result<ValueId> row_bias(Import& import, std::string_view name, std::int64_t outputs) {
  const auto bias = import.in_framework_order(name);
  const auto& shape = import.shape(bias);
  if (shape.empty() || shape.back() != outputs || element_count(shape) != outputs)
    return import.error(fmt::format("added matrix is {}, expected one value per output, [{}]", to_string(shape), outputs), "add the matrix with `+`");
  return import.reshape(bias, {outputs});
}

Status import_addmm(Import& import) {
  if (import.number("beta", 1) != 1 || import.number("alpha", 1) != 1)
    return import.error(fmt::format("beta is {} and alpha {}, expected 1", import.number("beta", 1), import.number("alpha", 1)), "multiply the operands instead");
  const auto weights = transposed_weights(import, "mat2");
  CORTEN_TRY(const auto bias, row_bias(import, "self", import.shape(weights)[0]));
  return import_layer(import, import.operand("mat1"), weights, bias);
}

Status import_matmul(Import& import, std::string_view second) {
  const auto rank = import.rank(second);
  if (rank != 2) return import.error(fmt::format("second operand has {} dimensions, expected 2", rank), "only products with a constant matrix are supported");
  return import_layer(import, import.operand("self"), transposed_weights(import, second), no_value);
}

Status import_mm(Import& import) { return import_matmul(import, "mat2"); }
Status import_matmul_default(Import& import) { return import_matmul(import, "other"); }

constexpr Spelling linear_spellings[] = {
    {"aten.linear.default", import_linear},
    {"aten.addmm.default", import_addmm},
    {"aten.mm.default", import_mm},
    {"aten.matmul.default", import_matmul_default},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

Result<std::vector<Type>> infer_linear(const Call& call) {
  const auto &x = call.shape(0), &w = call.shape(1);
  if (w.size() != 2) return call.error(fmt::format("weights have {} dimensions, expected 2", w.size()));
  if (x.empty() || x.back() != w[1]) return call.error(fmt::format("input {} doesn't end in the {} input features of weights {}", to_string(x), w[1], to_string(w)));
  if (call.has_input(2) && call.shape(2) != Shape{w[0]}) return call.error(fmt::format("bias is {}, expected {}", to_string(call.shape(2)), to_string(Shape{w[0]})));
  Type type{call.input(0).element, x};
  type.shape.back() = w[0];
  return std::vector{type};
}

/// sum(output channel, first element of the row) for each output in turn.
template <class T, class F>
Tensor for_each_row(Element element, const Shape& shape, std::int64_t depth, F&& sum) {
  Tensor result(element, shape);
  const auto y = result.as<T>();
  const auto outputs = static_cast<std::size_t>(shape.back());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = sum(i % outputs, i / outputs * static_cast<std::size_t>(depth));
  return result;
}

class Linear final : public OperatorWith<LinearParameters> {
 public:
  std::string_view name() const override { return "linear"; }
  std::string_view inputs() const override { return "x, weights, bias?"; }
  std::span<const Spelling> spellings() const override { return linear_spellings; }
  std::string_view limits() const override { return "input of any rank, constant weights of rank 2"; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    if (!known_at_compile_time(call.graph(), call.node().inputs[1]))
      return call.error("the weights are not constant", "use parameters or buffers of the module as weights");
    if (call.has_input(2) && !known_at_compile_time(call.graph(), call.node().inputs[2])) return call.error("the bias is not constant", "add it with `+`");
    CORTEN_CHECK(check_weight_quantization(call, 1, "output feature"));
    return infer_linear(call);
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& clamp = call.parameters<LinearParameters>().clamp;
    const auto x = inputs[0]->as<float>(), w = inputs[1]->as<float>();
    const auto depth = static_cast<std::size_t>(inputs[1]->shape[1]);
    return {for_each_row<float>(Element::F32, call.output().shape, inputs[1]->shape[1], [&](std::size_t output, std::size_t row) {
      double sum = inputs.size() > 2 && inputs[2] ? inputs[2]->as<float>()[output] : 0.0f;
      for (std::size_t i = 0; i < depth; ++i) sum += double{x[row + i]} * double{w[output * depth + i]};
      return clamp(static_cast<float>(sum));
    })};
  }

  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override {
    return parameters(LinearParameters{call.parameters<LinearParameters>().clamp.within(range)});
  }
  QuantizationRule quantization(const Call&) const override { return {.weight = 1, .weight_axis = 0, .per_channel = false, .bias = 2}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

/// y = clamp(requantize(Σ x · w + bias, multiplier, shift) + output_zero_point), the input's zero point folded into the bias.
struct QuantizedLinearParameters {
  std::int32_t multiplier = 0, shift = 0;
  std::int32_t output_zero_point = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("multiplier", multiplier), f("shift", shift), f("output_zero_point", output_zero_point), f("low", low), f("high", high);
  }
};

/// The same with a multiplier and a shift per output channel, i32 [out] in inputs 3 and 4.
struct QuantizedLinearPerChannelParameters {
  std::int32_t output_zero_point = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("output_zero_point", output_zero_point), f("low", low), f("high", high);
  }
};

Status check_types(const Call& call) {
  if (!call.constant(1) || (call.has_input(2) && !call.constant(2))) return call.error("weights and bias must be constant");
  for (const auto* type : {&call.input(0), &call.input(1), &call.output()})
    if (type->element != Element::I8 || !type->quantization) return call.error(fmt::format("found {}, expected quantized int8", to_string(type->element)));
  if (call.input(0).quantization->per_channel() || call.output().quantization->per_channel()) return call.error("activations have one scale per channel, expected one in all");
  if (call.has_input(2) && call.input(2).element != Element::I32) return call.error(fmt::format("bias is {}, expected i32", to_string(call.input(2).element)));
  return check_weight_quantization(call, 1, "output feature");
}

Status Linear::lower(const Call& call, Patch& patch) const {
  CORTEN_CHECK(check_types(call));
  const auto& weights = *call.constant(1);
  const auto x = *call.input(0).quantization, w = *call.input(1).quantization, y = *call.output().quantization;
  CORTEN_TRY(auto folded, folded_bias(call, weights, call.constant(2), x.zero_point()));
  CORTEN_TRY(const auto scale, multipliers(call, x, w, y, w.scales.size()));
  CORTEN_CHECK(check_left_shifts(call, weights, folded, scale));
  const auto range = code_range(call.parameters<LinearParameters>().clamp, y);
  const auto& name = call.node().name;
  const auto bias = patch.constant(name + "_bias", std::move(folded));
  if (!w.per_channel()) {
    const QuantizedLinearParameters q{scale.multiplier[0], scale.shift[0], y.zero_point(), range.low, range.high};
    return lower_to(call, patch, "cortex_m.quantized_linear", parameters(q), {call.node().inputs[0], call.node().inputs[1], bias});
  }
  const auto multiplier = patch.constant(name + "_multiplier", i32_tensor(scale.multiplier));
  const auto shift = patch.constant(name + "_shift", i32_tensor(scale.shift));
  const QuantizedLinearPerChannelParameters q{y.zero_point(), range.low, range.high};
  return lower_to(call, patch, "cortex_m.quantized_linear_per_channel", parameters(q), {call.node().inputs[0], call.node().inputs[1], bias, multiplier, shift});
}

/// scale(output channel) gives the fixed point of a channel; P has output_zero_point, low and high.
template <class P, class F>
std::vector<Tensor> evaluate_integer(const Call& call, std::span<const Tensor* const> inputs, F&& scale) {
  const auto& q = call.parameters<P>();
  const auto x = inputs[0]->as<std::int8_t>(), w = inputs[1]->as<std::int8_t>();
  const auto bias = inputs[2]->as<std::int32_t>();
  const auto depth = static_cast<std::size_t>(inputs[1]->shape[1]);
  return {for_each_row<std::int8_t>(Element::I8, call.output().shape, inputs[1]->shape[1], [&](std::size_t output, std::size_t row) {
    std::int64_t sum = bias[output];
    for (std::size_t i = 0; i < depth; ++i) sum += x[row + i] * w[output * depth + i];
    const auto code = requantize(sum, scale(output), call.graph().rounding) + q.output_zero_point;
    return static_cast<std::int8_t>(std::clamp(code, q.low, q.high));
  })};
}

Layer emit_linear(const Call& call, StructLiteral requantize, std::vector<LayerArray> arrays) {
  const auto outputs = call.shape(1)[0], depth = call.shape(1)[1], rows = element_count(call.shape(0)) / depth;
  const StructLiteral geometry{"FullyConnected", "geometry", {{"rows", number(rows)}, {"depth", number(depth)}, {"output_channels", number(outputs)}}};
  arrays.insert(arrays.begin(), {{"weights", *call.constant(1)}, {"bias", *call.constant(2)}});
  return Layer{.header = "fully_connected.h",
               .structs = {geometry, std::move(requantize)},
               .arrays = std::move(arrays),
               .calls = {{"fully_connected", {"geometry", "input0", "weights", "bias", "requantize", "output0", "scratch"}}},
               .macs = rows * depth * outputs};
}

template <class P>
StructLiteral requantize_struct(const Call& call, std::string_view kind, std::string multiplier, std::string shift) {
  const auto& q = call.parameters<P>();
  return {requantize_type(call, kind), "requantize",
          {{"multiplier", std::move(multiplier)}, {"shift", std::move(shift)}, {"zero_point", number(q.output_zero_point)}, {"low", number(q.low)}, {"high", number(q.high)}}};
}

class QuantizedLinear final : public OperatorWith<QuantizedLinearParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_linear"; }
  std::string_view inputs() const override { return "x, weights, bias"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_linear(call); }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<QuantizedLinearParameters>();
    return evaluate_integer<QuantizedLinearParameters>(call, inputs, [&](std::size_t) { return FixedPoint{q.multiplier, q.shift}; });
  }
  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<QuantizedLinearParameters>();
    return emit_linear(call, requantize_struct<QuantizedLinearParameters>(call, "PerTensor", number(q.multiplier), number(q.shift)), {});
  }
};

class QuantizedLinearPerChannel final : public OperatorWith<QuantizedLinearPerChannelParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_linear_per_channel"; }
  std::string_view inputs() const override { return "x, weights, bias, multiplier, shift"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    for (std::size_t i : {3u, 4u})
      if (call.shape(i) != Shape{call.shape(1)[0]}) return call.error(fmt::format("found {} multipliers and shifts, expected {}", element_count(call.shape(i)), call.shape(1)[0]));
    return infer_linear(call);
  }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto multiplier = inputs[3]->as<std::int32_t>(), shift = inputs[4]->as<std::int32_t>();
    return evaluate_integer<QuantizedLinearPerChannelParameters>(call, inputs, [&](std::size_t c) { return FixedPoint{multiplier[c], shift[c]}; });
  }
  Result<Layer> emit(const Call& call, Isa) const override {
    return emit_linear(call, requantize_struct<QuantizedLinearPerChannelParameters>(call, "PerChannel", "{multiplier}", "{shift}"),
                       {{"multiplier", *call.constant(3)}, {"shift", *call.constant(4)}});
  }
};

const Register<Linear> linear;
const Register<QuantizedLinear> quantized_linear;
const Register<QuantizedLinearPerChannel> quantized_linear_per_channel;

}  // namespace
}  // namespace corten
