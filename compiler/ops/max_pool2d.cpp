// SPDX-License-Identifier: Apache-2.0
// Maximum over windows of NHWC images; one-dimensional pooling is an image of width 1.
#include <fmt/format.h>

#include "compiler/ops/lowering.h"
#include "compiler/ops/shared_grid.h"
#include "compiler/ops/window.h"

namespace corten {
namespace {

struct MaxPool2dParameters {
  Window2d window;
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    window.fields(f);
    clamp.fields(f);
  }
};

// ---- spellings ------------------------------------------------------------------------------------------------------

Status refuse_indices(Import& import) {
  if (import.wants_result(1)) return import.error("the indices of max pooling are used, expected only its maxima", "unpooling is not supported");
  return {};
}

Status import_max_pool(Import& import) {
  CORTEN_CHECK(refuse_indices(import));
  const bool sequence = pools_sequence(import);
  CORTEN_TRY(const auto x, pool_input(import, sequence));
  bind_pooled(import, import.add(op("max_pool2d"), parameters(MaxPool2dParameters{read_window(import, sequence), {}}), {x}), sequence);
  return {};
}

Status import_adaptive_max_pool(Import& import) {
  CORTEN_CHECK(refuse_indices(import));
  const bool sequence = pools_sequence(import);
  CORTEN_TRY(const auto x, pool_input(import, sequence));
  const auto output = adaptive_output(import, sequence);
  const auto& shape = import.shape(x);
  if (output[0] < 1 || output[1] < 1) return import.error(fmt::format("output size {}×{}, expected 1 or more", output[0], output[1]));
  const auto window = uniform_window({shape[1], shape[2]}, output);
  if (!window)
    return import.error(fmt::format("adaptive max pooling from {}×{} to {}×{} has windows of different sizes, expected equal ones", shape[1], shape[2], output[0], output[1]),
                        "choose an output size that divides the input's");
  bind_pooled(import, import.add(op("max_pool2d"), parameters(MaxPool2dParameters{*window, {}}), {x}), sequence);
  return {};
}

constexpr Spelling max_pool2d_spellings[] = {
    {"aten.max_pool2d.default", import_max_pool},
    {"aten.max_pool1d.default", import_max_pool},
    {"aten.max_pool2d_with_indices.default", import_max_pool},
    {"aten.max_pool1d_with_indices.default", import_max_pool},
    {"aten.adaptive_max_pool2d.default", import_adaptive_max_pool},
    {"aten.adaptive_max_pool1d.default", import_adaptive_max_pool},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

/// Largest tap inside the image, at least `lowest`.
template <class T>
Tensor largest_taps(const Call& call, const Window2d& window, const Tensor& input, T lowest) {
  Tensor result(input.element, call.output().shape);
  const auto x = input.as<T>();
  const auto y = result.as<T>();
  for_each_pooled(input.shape, result.shape, [&](const Index& index, std::size_t position, std::int64_t base) {
    auto largest = lowest;
    for_each_tap(window, input.shape, index[1], index[2], base, [&](std::size_t from) { largest = std::max(largest, x[from]); });
    y[position] = largest;
  });
  return result;
}

class MaxPool2d final : public OperatorWith<MaxPool2dParameters> {
 public:
  std::string_view name() const override { return "max_pool2d"; }
  std::span<const Spelling> spellings() const override { return max_pool2d_spellings; }
  std::string_view limits() const override { return "1-D and 2-D with a batch axis, any stride, padding, dilation and ceil_mode; no indices; adaptive with equal windows"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_pool(call, call.parameters<MaxPool2dParameters>().window); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& p = call.parameters<MaxPool2dParameters>();
    auto result = largest_taps<float>(call, p.window, *inputs[0], -std::numeric_limits<float>::infinity());
    for (auto& value : result.as<float>()) value = p.clamp(value);
    return {result};
  }

  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override {
    auto p = call.parameters<MaxPool2dParameters>();
    p.clamp = p.clamp.within(range);
    return parameters(p);
  }

  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

struct QuantizedMaxPool2dParameters {
  Window2d window;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    window.fields(f);
    f("low", low), f("high", high);
  }
};

Status MaxPool2d::lower(const Call& call, Patch& patch) const {
  CORTEN_CHECK(check_shared_grid(call));
  const auto& p = call.parameters<MaxPool2dParameters>();
  const auto range = code_range(p.clamp, *call.output().quantization);
  return lower_to(call, patch, "cortex_m.quantized_max_pool2d", parameters(QuantizedMaxPool2dParameters{p.window, range.low, range.high}), call.node().inputs);
}

class QuantizedMaxPool2d final : public OperatorWith<QuantizedMaxPool2dParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_max_pool2d"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_pool(call, call.parameters<QuantizedMaxPool2dParameters>().window); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<QuantizedMaxPool2dParameters>();
    auto result = largest_taps<std::int8_t>(call, q.window, *inputs[0], std::int8_t{-128});
    for (auto& code : result.as<std::int8_t>()) code = static_cast<std::int8_t>(std::clamp(std::int32_t{code}, q.low, q.high));
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<QuantizedMaxPool2dParameters>();
    auto fields = window_fields(call, q.window);
    fields.insert(fields.end(), {{"dilation_height", number(q.window.dilation[0])},
                                 {"dilation_width", number(q.window.dilation[1])},
                                 {"padding_top", number(q.window.padding[0])},
                                 {"padding_left", number(q.window.padding[1])},
                                 {"low", number(q.low)},
                                 {"high", number(q.high)}});
    return Layer{.header = "max_pool2d.h", .structs = {{"Pool2d", "window", std::move(fields)}}, .calls = {{"max_pool2d", {"window", "input0", "output0"}}}};
  }
};

const Register<MaxPool2d> max_pool2d;
const Register<QuantizedMaxPool2d> quantized_max_pool2d;

}  // namespace
}  // namespace corten
