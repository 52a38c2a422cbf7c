// SPDX-License-Identifier: Apache-2.0
// Average pooling to a given size, where its windows aren't alike.
#include <fmt/format.h>

#include "compiler/ops/average.h"
#include "compiler/ops/avg_pool2d.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/shared_grid.h"

namespace corten {
namespace {

struct AdaptiveAvgPool2dParameters {
  std::array<std::int64_t, 2> output = {1, 1};  // height, width
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    f("output", output);
    clamp.fields(f);
  }
};

// ---- spellings ------------------------------------------------------------------------------------------------------

Status import_adaptive_avg_pool(Import& import) {
  const bool sequence = pools_sequence(import);
  CORTEN_TRY(const auto x, pool_input(import, sequence));
  const auto output = adaptive_output(import, sequence);
  if (output[0] < 1 || output[1] < 1) return import.error(fmt::format("output size {}×{}, expected 1 or more", output[0], output[1]));
  const auto window = uniform_window({import.shape(x)[1], import.shape(x)[2]}, output);
  const auto pooled = window ? import.add(op("avg_pool2d"), parameters(AvgPool2dParameters{*window, false, 0, {}}), {x})
                             : import.add(op("adaptive_avg_pool2d"), parameters(AdaptiveAvgPool2dParameters{output, {}}), {x});
  bind_pooled(import, pooled, sequence);
  return {};
}

constexpr Spelling adaptive_avg_pool2d_spellings[] = {
    {"aten.adaptive_avg_pool2d.default", import_adaptive_avg_pool},
    {"aten._adaptive_avg_pool2d.default", import_adaptive_avg_pool},
    {"aten.adaptive_avg_pool1d.default", import_adaptive_avg_pool},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

Result<std::vector<Type>> infer_adaptive(const Call& call, const std::array<std::int64_t, 2>& output) {
  const auto& x = call.shape(0);
  if (x.size() != 4) return call.error(fmt::format("input has {} dimensions, expected 4", x.size()));
  if (output[0] < 1 || output[1] < 1) return call.error(fmt::format("output size {}×{}, expected 1 or more", output[0], output[1]));
  return std::vector{Type{call.input(0).element, {x[0], output[0], output[1], x[3]}}};
}

/// Calls average(position, sum, number of taps) for each output element.
template <class T, class Sum, class F>
void for_each_average(const Tensor& input, const Shape& y, F&& average) {
  const auto& shape = input.shape;
  const auto x = input.as<T>();
  for_each_pooled(shape, y, [&](const Index& index, std::size_t position, std::int64_t base) {
    const auto rows = adaptive_window(index[1], shape[1], y[1]), columns = adaptive_window(index[2], shape[2], y[2]);
    Sum sum = 0;
    for (auto iy = rows.begin; iy < rows.end; ++iy)
      for (auto ix = columns.begin; ix < columns.end; ++ix) sum += x[static_cast<std::size_t>(base + (iy * shape[2] + ix) * shape[3])];
    average(position, sum, rows.length() * columns.length());
  });
}

class AdaptiveAvgPool2d final : public OperatorWith<AdaptiveAvgPool2dParameters> {
 public:
  std::string_view name() const override { return "adaptive_avg_pool2d"; }
  std::span<const Spelling> spellings() const override { return adaptive_avg_pool2d_spellings; }
  std::string_view limits() const override { return "1-D and 2-D with a batch axis, any output size; equal windows become avg_pool2d"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_adaptive(call, call.parameters<AdaptiveAvgPool2dParameters>().output); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& p = call.parameters<AdaptiveAvgPool2dParameters>();
    Tensor result(Element::F32, call.output().shape);
    const auto y = result.as<float>();
    for_each_average<float, double>(*inputs[0], result.shape, [&](std::size_t position, double sum, std::int64_t taps) {
      y[position] = p.clamp(static_cast<float>(sum / static_cast<double>(taps)));
    });
    return {result};
  }

  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override {
    auto p = call.parameters<AdaptiveAvgPool2dParameters>();
    p.clamp = p.clamp.within(range);
    return parameters(p);
  }

  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

struct QuantizedAdaptiveAvgPool2dParameters {
  std::array<std::int64_t, 2> output = {1, 1};
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("output", output), f("low", low), f("high", high);
  }
};

Status AdaptiveAvgPool2d::lower(const Call& call, Patch& patch) const {
  CORTEN_CHECK(check_shared_grid(call));
  const auto& p = call.parameters<AdaptiveAvgPool2dParameters>();
  const auto range = code_range(p.clamp, *call.output().quantization);
  return lower_to(call, patch, "cortex_m.quantized_adaptive_avg_pool2d", parameters(QuantizedAdaptiveAvgPool2dParameters{p.output, range.low, range.high}), call.node().inputs);
}

/// Codes averaged as they are, halves away from code 0.
class QuantizedAdaptiveAvgPool2d final : public OperatorWith<QuantizedAdaptiveAvgPool2dParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_adaptive_avg_pool2d"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    return infer_adaptive(call, call.parameters<QuantizedAdaptiveAvgPool2dParameters>().output);
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<QuantizedAdaptiveAvgPool2dParameters>();
    Tensor result(Element::I8, call.output().shape);
    const auto y = result.as<std::int8_t>();
    for_each_average<std::int8_t, std::int64_t>(*inputs[0], result.shape, [&](std::size_t position, std::int64_t sum, std::int64_t taps) {
      y[position] = static_cast<std::int8_t>(std::clamp<std::int64_t>(divide_half_away(sum, taps), q.low, q.high));
    });
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<QuantizedAdaptiveAvgPool2dParameters>();
    const auto& x = call.shape(0);
    const StructLiteral size{"AdaptiveAvgPool2d", "sizes",
                             {{"batches", number(x[0])},
                              {"input_height", number(x[1])},
                              {"input_width", number(x[2])},
                              {"channels", number(x[3])},
                              {"output_height", number(q.output[0])},
                              {"output_width", number(q.output[1])},
                              {"low", number(q.low)},
                              {"high", number(q.high)}}};
    return Layer{.header = "adaptive_avg_pool2d.h", .structs = {size}, .calls = {{"adaptive_avg_pool2d", {"sizes", "input0", "output0"}}}};
  }
};

const Register<AdaptiveAvgPool2d> adaptive_avg_pool2d;
const Register<QuantizedAdaptiveAvgPool2d> quantized_adaptive_avg_pool2d;

}  // namespace
}  // namespace corten
