// SPDX-License-Identifier: Apache-2.0
// Convolution over NHWC images with OHWI weights; one-dimensional convolution is an image of width 1.
#include "compiler/ops/conv2d.h"

#include <fmt/format.h>

#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/quantize.h"
#include "compiler/ops/tile.h"
#include "compiler/ops/transpose.h"
#include "corten/rt/conv2d.h"
#include "corten/rt/depthwise_conv2d.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

/// Weights as the framework has them, [out, in / groups, kernel…], as OHWI with a width of 1 for sequences.
ValueId ohwi_weights(Import& import) {
  auto weights = import.operand("weight");
  const auto value = import.in_order(weights, channels_last_order(weights.order.size()));
  auto shape = import.shape(value);
  if (shape.size() == 3) shape.insert(shape.begin() + 2, 1);
  return import.reshape(value, shape);
}

/// "same" and "valid" as numbers: the total is dilation · (kernel − 1), the odd one goes to the end.
std::array<std::int64_t, 4> named_padding(const std::string& padding, const Shape& weights, const std::array<std::int64_t, 2>& dilation) {
  if (padding != "same") return {0, 0, 0, 0};
  const auto rows = dilation[0] * (weights[1] - 1), columns = dilation[1] * (weights[2] - 1);
  return {rows / 2, columns / 2, rows - rows / 2, columns - columns / 2};
}

Conv2dParameters read_parameters(Import& import, const Shape& weights, bool sequence) {
  const auto pair = [&](std::string_view name, std::int64_t fallback) -> std::array<std::int64_t, 2> {
    const auto list = import.integers(name, sequence ? 1 : 2, {fallback});
    return sequence ? std::array<std::int64_t, 2>{list[0], fallback} : std::array<std::int64_t, 2>{list[0], list[1]};
  };
  Conv2dParameters result;
  result.stride = pair("stride", 1);
  result.dilation = pair("dilation", 1);
  result.groups = import.integer("groups", 1);
  const auto named = import.text("padding", "");
  if (!named.empty() || import.node().target.ends_with(".padding")) {
    result.padding = named_padding(named, weights, result.dilation);
  } else {
    const auto padding = pair("padding", 0);
    result.padding = {padding[0], padding[1], padding[0], padding[1]};
  }
  return result;
}

Status import_convolution(Import& import) {
  if (import.boolean("transposed", false)) return import.error("transposed convolution is not supported yet");
  const auto input = import.operand("input"), weights = import.operand("weight");
  const auto rank = input.order.size();
  if (!known_at_compile_time(import.graph(), weights.value)) return import.error("the weights are not constant", "use parameters or buffers of the module as weights");
  if (import.has("bias") && !known_at_compile_time(import.graph(), import.operand("bias").value)) return import.error("the bias is not constant");
  if (rank != weights.order.size() || (rank != 3 && rank != 4))
    return import.error(fmt::format("input of rank {} with weights of rank {}, expected both 3 or both 4", rank, weights.order.size()),
                        rank + 1 == weights.order.size() ? "give the input a batch dimension" : "three-dimensional convolution is not supported");
  const bool sequence = rank == 3;
  const auto w = ohwi_weights(import);
  auto x = import.channels_last("input");
  if (sequence) x = import.reshape(x, {import.shape(x)[0], import.shape(x)[1], 1, import.shape(x)[2]});
  const auto bias = import.has("bias") ? import.in_framework_order("bias") : no_value;
  auto y = import.add(op("conv2d"), parameters(read_parameters(import, import.shape(w), sequence)), {x, w, bias});
  if (y == no_value) return {};
  if (sequence) y = import.reshape(y, {import.shape(y)[0], import.shape(y)[1], import.shape(y)[3]});
  import.result_channels_last(y);
  return {};
}

constexpr Spelling conv2d_spellings[] = {
    {"aten.conv2d.default", import_convolution}, {"aten.conv2d.padding", import_convolution},
    {"aten.conv1d.default", import_convolution}, {"aten.conv1d.padding", import_convolution},
    {"aten.convolution.default", import_convolution},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

Result<std::vector<Type>> infer_convolution(const Call& call, const Conv2dParameters& p, const Shape& weights) {
  const auto& x = call.shape(0);
  if (x.size() != 4 || weights.size() != 4) return call.error("input and weights must have 4 dimensions");
  if (p.stride[0] < 1 || p.stride[1] < 1 || p.dilation[0] < 1 || p.dilation[1] < 1) return call.error("stride and dilation must be positive");
  if (p.groups < 1 || x[3] != weights[3] * p.groups || weights[0] % p.groups)
    return call.error(fmt::format("input has {} channels, weights {} fit {} groups of {}", x[3], to_string(weights), p.groups, weights[3]));
  const auto height = window_count(x[1], p.padding[0] + p.padding[2], weights[1], p.stride[0], p.dilation[0]);
  const auto width = window_count(x[2], p.padding[1] + p.padding[3], weights[2], p.stride[1], p.dilation[1]);
  if (height < 1 || width < 1) return call.error(fmt::format("kernel {}×{} is larger than the padded input {}", weights[1], weights[2], to_string(x)));
  return std::vector{Type{call.input(0).element, {x[0], height, width, weights[0]}}};
}

/// Calls tap(x position or −1 in the padding, w position) for every tap of one output; weights are OHWI.
template <class F>
void for_each_tap(const Conv2dParameters& p, const Shape& x, const Shape& w, std::int64_t n, std::int64_t oy, std::int64_t ox, std::int64_t oc, F&& tap) {
  const auto group = oc / (w[0] / p.groups);
  for (std::int64_t ky = 0; ky < w[1]; ++ky)
    for (std::int64_t kx = 0; kx < w[2]; ++kx) {
      const auto iy = oy * p.stride[0] + ky * p.dilation[0] - p.padding[0], ix = ox * p.stride[1] + kx * p.dilation[1] - p.padding[1];
      const bool inside = iy >= 0 && iy < x[1] && ix >= 0 && ix < x[2];
      const auto from = ((n * x[1] + iy) * x[2] + ix) * x[3] + group * w[3];
      const auto weight = ((oc * w[1] + ky) * w[2] + kx) * w[3];
      for (std::int64_t ic = 0; ic < w[3]; ++ic) tap(inside ? from + ic : -1, weight + ic);
    }
}

template <class F>
void for_each_output(const Shape& y, F&& f) {
  std::size_t position = 0;
  for (std::int64_t n = 0; n < y[0]; ++n)
    for (std::int64_t oy = 0; oy < y[1]; ++oy)
      for (std::int64_t ox = 0; ox < y[2]; ++ox)
        for (std::int64_t oc = 0; oc < y[3]; ++oc) f(n, oy, ox, oc, position++);
}

class Conv2d final : public OperatorWith<Conv2dParameters> {
 public:
  std::string_view name() const override { return "conv2d"; }
  std::string_view inputs() const override { return "x, weights, bias?"; }
  std::span<const Spelling> spellings() const override { return conv2d_spellings; }
  std::string_view limits() const override { return "1-D and 2-D, constant weights, any groups, stride, dilation and zero padding"; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    CORTEN_TRY(auto types, infer_convolution(call, call.parameters<Conv2dParameters>(), call.shape(1)));
    if (call.has_input(2) && call.shape(2) != Shape{call.shape(1)[0]}) return call.error("bias and weights differ in output channels");
    CORTEN_CHECK(check_weight_quantization(call, 1, "output channel"));
    return types;
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& p = call.parameters<Conv2dParameters>();
    const auto x = inputs[0]->as<float>(), w = inputs[1]->as<float>();
    Tensor result(Element::F32, call.output().shape);
    const auto y = result.as<float>();
    for_each_output(result.shape, [&](auto n, auto oy, auto ox, auto oc, auto position) {
      double sum = inputs[2] ? inputs[2]->as<float>()[static_cast<std::size_t>(oc)] : 0.0f;
      for_each_tap(p, inputs[0]->shape, inputs[1]->shape, n, oy, ox, oc, [&](auto from, auto weight) {
        if (from >= 0) sum += double{x[static_cast<std::size_t>(from)]} * double{w[static_cast<std::size_t>(weight)]};
      });
      y[position] = p.clamp(static_cast<float>(sum));
    });
    return {result};
  }

  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override {
    auto p = call.parameters<Conv2dParameters>();
    p.clamp = p.clamp.within(range);
    return parameters(p);
  }

  QuantizationRule quantization(const Call&) const override { return {.weight = 1, .weight_axis = 0, .per_channel = true, .bias = 2}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

struct QuantizedConv2dParameters {
  std::array<std::int64_t, 2> stride = {1, 1};
  std::array<std::int64_t, 4> padding = {0, 0, 0, 0};  // top, left, bottom, right
  std::array<std::int64_t, 2> dilation = {1, 1};
  std::int64_t groups = 1;
  std::int32_t input_zero_point = 0, output_zero_point = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("stride", stride), f("padding", padding), f("dilation", dilation), f("groups", groups);
    f("input_zero_point", input_zero_point), f("output_zero_point", output_zero_point), f("low", low), f("high", high);
  }
  Conv2dParameters geometry() const { return {stride, padding, dilation, groups, {}}; }
};

/// Depthwise: one group per input channel.
bool is_depthwise(const Conv2dParameters& p, const Shape& x) { return p.groups == x[3] && p.groups > 1; }

/// OHWI weights of a depthwise convolution, [out][kh][kw][1], as [1][kh][kw][out].
Tensor depthwise_layout(const Tensor& weights) {
  static constexpr std::int64_t permutation[] = {3, 1, 2, 0};
  return transpose(weights, permutation);
}

Status Conv2d::lower(const Call& call, Patch& patch) const {
  const auto& p = call.parameters<Conv2dParameters>();
  const auto& weights = *call.constant(1);
  const auto &x = *call.input(0).quantization, &w = *call.input(1).quantization, &y = *call.output().quantization;
  CORTEN_TRY(auto bias, folded_bias(call, weights, call.constant(2), x.zero_point()));
  CORTEN_TRY(const auto scale, multipliers(call, x, w, y, static_cast<std::size_t>(weights.shape[0])));
  CORTEN_CHECK(check_left_shifts(call, weights, bias, scale));
  const auto range = code_range(p.clamp, y);
  const bool depthwise = is_depthwise(p, call.shape(0));
  const auto name = call.node().name;
  const auto origins = call.graph().value(call.node().inputs[1]).origins;
  const QuantizedConv2dParameters integer{p.stride, p.padding, p.dilation, p.groups, x.zero_point(), y.zero_point(), range.low, range.high};
  auto layout = w;
  if (depthwise && w.per_channel()) layout.axis = 3;
  const auto weight_value = patch.constant(name + "_weights", depthwise ? depthwise_layout(weights) : weights, layout, origins);
  const auto bias_value = patch.constant(name + "_bias", std::move(bias));
  const auto multiplier = patch.constant(name + "_multiplier", i32_tensor(scale.multiplier));
  const auto shift = patch.constant(name + "_shift", i32_tensor(scale.shift));
  return lower_to(call, patch, depthwise ? "cortex_m.quantized_depthwise_conv2d" : "cortex_m.quantized_conv2d", parameters(integer),
                  {call.node().inputs[0], weight_value, bias_value, multiplier, shift});
}

/// Types of the convolution, once bias, multipliers and shifts are one per output channel.
Result<std::vector<Type>> infer_integer(const Call& call, const Shape& ohwi) {
  CORTEN_TRY(auto types, infer_convolution(call, call.parameters<QuantizedConv2dParameters>().geometry(), ohwi));
  for (std::size_t i : {2u, 3u, 4u})
    if (call.shape(i) != Shape{ohwi[0]} || call.input(i).element != Element::I32) return call.error(fmt::format("bias, multipliers and shifts must be i32[{}]", ohwi[0]));
  return types;
}

/// Σ raw codes · weights + folded bias, padding at the input zero point, requantized per channel.
template <class Position>
std::vector<Tensor> evaluate_integer(const Call& call, std::span<const Tensor* const> inputs, const Shape& ohwi, Position&& weight_position) {
  const auto& q = call.parameters<QuantizedConv2dParameters>();
  const auto p = q.geometry();
  const auto x = inputs[0]->as<std::int8_t>(), w = inputs[1]->as<std::int8_t>();
  const auto bias = inputs[2]->as<std::int32_t>(), multiplier = inputs[3]->as<std::int32_t>(), shift = inputs[4]->as<std::int32_t>();
  Tensor result(Element::I8, call.output().shape);
  const auto y = result.as<std::int8_t>();
  for_each_output(result.shape, [&](auto n, auto oy, auto ox, auto oc, auto position) {
    const auto c = static_cast<std::size_t>(oc);
    std::int64_t sum = bias[c];
    for_each_tap(p, inputs[0]->shape, ohwi, n, oy, ox, oc, [&](auto from, auto weight) {
      const std::int64_t code = from >= 0 ? x[static_cast<std::size_t>(from)] : q.input_zero_point;
      sum += code * w[static_cast<std::size_t>(weight_position(weight))];
    });
    const auto scaled = requantize(sum, {multiplier[c], shift[c]}, call.graph().rounding) + q.output_zero_point;
    y[position] = static_cast<std::int8_t>(std::clamp(scaled, q.low, q.high));
  });
  return {result};
}

StructLiteral geometry_struct(const Call& call, std::string_view type, std::int64_t kernel_height, std::int64_t kernel_width, std::string_view last, std::int64_t last_value) {
  const auto& q = call.parameters<QuantizedConv2dParameters>();
  const auto &x = call.shape(0), &y = call.output().shape;
  return {std::string(type), "geometry",
          {{"batches", number(x[0])},
           {"input_height", number(x[1])},
           {"input_width", number(x[2])},
           {"input_channels", number(x[3])},
           {"output_height", number(y[1])},
           {"output_width", number(y[2])},
           {"output_channels", number(y[3])},
           {"kernel_height", number(kernel_height)},
           {"kernel_width", number(kernel_width)},
           {"stride_height", number(q.stride[0])},
           {"stride_width", number(q.stride[1])},
           {"dilation_height", number(q.dilation[0])},
           {"dilation_width", number(q.dilation[1])},
           {"padding_top", number(q.padding[0])},
           {"padding_left", number(q.padding[1])},
           {std::string(last), number(last_value)},
           {"padding_value", number(q.input_zero_point)}}};
}

/// The fields of `geometry` as the runtime's own struct, so that both sides compute scratch by one function.
template <class Geometry>
Geometry runtime_geometry(const StructLiteral& geometry) {
  std::array<std::int32_t, 17> f{};
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = std::stoi(geometry.fields[i].second);
  return {f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12], f[13], f[14], f[15], f[16]};
}

Layer convolution_layer(const Call& call, std::string_view kernel, StructLiteral geometry, std::int64_t scratch_bytes, std::int64_t taps) {
  const auto& q = call.parameters<QuantizedConv2dParameters>();
  StructLiteral requantize{requantize_type(call, "PerChannel"), "requantize",
                           {{"multiplier", "{multiplier}"}, {"shift", "{shift}"}, {"zero_point", number(q.output_zero_point)}, {"low", number(q.low)}, {"high", number(q.high)}}};
  return {.header = std::string(kernel) + ".h",
          .structs = {std::move(geometry), std::move(requantize)},
          .arrays = {{"weights", *call.constant(1)}, {"bias", *call.constant(2)}, {"multiplier", *call.constant(3)}, {"shift", *call.constant(4)}},
          .calls = {{std::string(kernel), {"geometry", "input0", "weights", "bias", "requantize", "output0", "scratch"}}},
          .scratch_bytes = scratch_bytes,
          .macs = element_count(call.output().shape) * taps};
}

class QuantizedConv2d final : public OperatorWith<QuantizedConv2dParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_conv2d"; }
  std::string_view inputs() const override { return "x, weights, bias, multiplier, shift"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    return infer_integer(call, call.shape(1));
  }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    return evaluate_integer(call, inputs, inputs[1]->shape, [](auto position) { return position; });
  }
  Result<Layer> emit(const Call& call, Isa isa) const override;
};

class QuantizedDepthwiseConv2d final : public OperatorWith<QuantizedConv2dParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_depthwise_conv2d"; }
  std::string_view inputs() const override { return "x, weights, bias, multiplier, shift"; }
  bool integer() const override { return true; }

  static Shape ohwi(const Shape& weights) { return {weights[3], weights[1], weights[2], 1}; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    if (call.shape(1).size() != 4) return call.error("weights must have 4 dimensions");
    return infer_integer(call, ohwi(call.shape(1)));
  }
  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto shape = ohwi(inputs[1]->shape);
    const auto taps = shape[1] * shape[2];
    return evaluate_integer(call, inputs, shape, [&](auto position) { return position % taps * shape[0] + position / taps; });
  }
  Result<Layer> emit(const Call& call, Isa isa) const override;
};

Result<Layer> QuantizedConv2d::emit(const Call& call, Isa isa) const {
  const auto& w = call.shape(1);
  auto geometry = geometry_struct(call, "Conv2d", w[1], w[2], "groups", call.parameters<QuantizedConv2dParameters>().groups);
  const auto conv = runtime_geometry<rt::Conv2d>(geometry);
  const auto scratch = for_tile(isa, [&](auto tile) { return rt::conv2d_scratch_bytes<decltype(tile)>(conv); });
  return convolution_layer(call, "conv2d", std::move(geometry), scratch, w[1] * w[2] * w[3]);
}

Result<Layer> QuantizedDepthwiseConv2d::emit(const Call& call, Isa isa) const {
  const auto& w = call.shape(1);
  auto geometry = geometry_struct(call, "DepthwiseConv2d", w[1], w[2], "depth_multiplier", w[3] / call.shape(0)[3]);
  const auto conv = runtime_geometry<rt::DepthwiseConv2d>(geometry);
  const auto scratch = for_tile(isa, [&](auto tile) { return rt::depthwise_conv2d_scratch_bytes<decltype(tile)>(conv); });
  return convolution_layer(call, "depthwise_conv2d", std::move(geometry), scratch, w[1] * w[2]);
}

const Register<Conv2d> conv2d;
const Register<QuantizedConv2d> quantized_conv2d;
const Register<QuantizedDepthwiseConv2d> quantized_depthwise_conv2d;

}  // namespace
}  // namespace corten
