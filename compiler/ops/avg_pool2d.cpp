// SPDX-License-Identifier: Apache-2.0
// Average over windows of NHWC images; one-dimensional pooling is an image of width 1.
#include <fmt/format.h>

#include "compiler/ops/average.h"
#include "compiler/ops/avg_pool2d.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/shared_grid.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

Status import_avg_pool(Import& import) {
  const bool sequence = pools_sequence(import);
  AvgPool2dParameters p{read_window(import, sequence), import.boolean("count_include_pad", true), 0, {}};
  if (import.has("divisor_override")) {
    p.divisor_override = import.integer("divisor_override", 0);
    if (p.divisor_override < 1) return import.error(fmt::format("divisor_override is {}, expected 1 or more", p.divisor_override));
  }
  CORTEN_TRY(const auto x, pool_input(import, sequence));
  bind_pooled(import, import.add(op("avg_pool2d"), parameters(p), {x}), sequence);
  return {};
}

constexpr Spelling avg_pool2d_spellings[] = {{"aten.avg_pool2d.default", import_avg_pool}, {"aten.avg_pool1d.default", import_avg_pool}};

// ---- meaning --------------------------------------------------------------------------------------------------------

/// PyTorch's pool size along one axis: the window clipped to the image and, if counted, its padding.
std::int64_t counted_extent(const Window2d& window, std::size_t axis, std::int64_t i, std::int64_t extent, bool padding_counts) {
  const auto start = i * window.stride[axis] - window.padding[axis];
  const auto end = std::min(start + window.kernel[axis], extent + window.padding[axis + 2]);
  return padding_counts ? end - start : std::min(end, extent) - std::max<std::int64_t>(start, 0);
}

template <class P>
std::int64_t divisor(const P& p, const Shape& x, const Index& output) {
  if (p.divisor_override) return p.divisor_override;
  return counted_extent(p.window, 0, output[1], x[1], p.count_include_padding) * counted_extent(p.window, 1, output[2], x[2], p.count_include_padding);
}

class AvgPool2d final : public OperatorWith<AvgPool2dParameters> {
 public:
  std::string_view name() const override { return "avg_pool2d"; }
  std::span<const Spelling> spellings() const override { return avg_pool2d_spellings; }
  std::string_view limits() const override { return "1-D and 2-D with a batch axis, any stride, padding, ceil_mode, count_include_pad and divisor_override"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_pool(call, call.parameters<AvgPool2dParameters>().window); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& p = call.parameters<AvgPool2dParameters>();
    Tensor result(Element::F32, call.output().shape);
    const auto x = inputs[0]->as<float>();
    const auto y = result.as<float>();
    for_each_pooled(inputs[0]->shape, result.shape, [&](const Index& index, std::size_t position, std::int64_t base) {
      double sum = 0;
      for_each_tap(p.window, inputs[0]->shape, index[1], index[2], base, [&](std::size_t from) { sum += double{x[from]}; });
      y[position] = p.clamp(static_cast<float>(sum / static_cast<double>(divisor(p, inputs[0]->shape, index))));
    });
    return {result};
  }

  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override {
    auto p = call.parameters<AvgPool2dParameters>();
    p.clamp = p.clamp.within(range);
    return parameters(p);
  }

  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

/// Where the divisor is the number of taps, codes are averaged as they are, halves away from code 0, as CMSIS-NN and
/// TFLite Micro. Where it isn't (padding counts, or the divisor is given): zero_point + Σ(q − zero_point) / divisor.
struct QuantizedAvgPool2dParameters {
  Window2d window;
  bool count_include_padding = false;
  std::int64_t divisor_override = 0;
  std::int32_t zero_point = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    window.fields(f);
    f("count_include_padding", count_include_padding), f("divisor_override", divisor_override), f("zero_point", zero_point);
    f("low", low), f("high", high);
  }
  bool averages_taps() const { return !count_include_padding && !divisor_override; }
};

Status AvgPool2d::lower(const Call& call, Patch& patch) const {
  CORTEN_CHECK(check_shared_grid(call));
  const auto& p = call.parameters<AvgPool2dParameters>();
  const auto& y = *call.output().quantization;
  const auto range = code_range(p.clamp, y);
  const bool padded = p.window.padding != std::array<std::int64_t, 4>{};
  const QuantizedAvgPool2dParameters q{p.window, p.count_include_padding && padded, p.divisor_override, y.zero_point(), range.low, range.high};
  return lower_to(call, patch, "cortex_m.quantized_avg_pool2d", parameters(q), call.node().inputs);
}

class QuantizedAvgPool2d final : public OperatorWith<QuantizedAvgPool2dParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_avg_pool2d"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_pool(call, call.parameters<QuantizedAvgPool2dParameters>().window); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<QuantizedAvgPool2dParameters>();
    const auto center = q.averages_taps() ? 0 : q.zero_point;
    Tensor result(Element::I8, call.output().shape);
    const auto x = inputs[0]->as<std::int8_t>();
    const auto y = result.as<std::int8_t>();
    for_each_pooled(inputs[0]->shape, result.shape, [&](const Index& index, std::size_t position, std::int64_t base) {
      std::int64_t sum = 0;
      for_each_tap(q.window, inputs[0]->shape, index[1], index[2], base, [&](std::size_t from) { sum += x[from] - center; });
      const auto code = center + divide_half_away(sum, divisor(q, inputs[0]->shape, index));
      y[position] = static_cast<std::int8_t>(std::clamp<std::int64_t>(code, q.low, q.high));
    });
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<QuantizedAvgPool2dParameters>();
    auto fields = window_fields(call, q.window);
    fields.insert(fields.end(), {{"dilation_height", "1"},
                                 {"dilation_width", "1"},
                                 {"padding_top", number(q.window.padding[0])},
                                 {"padding_left", number(q.window.padding[1])},
                                 {"low", number(q.low)},
                                 {"high", number(q.high)},
                                 {"count_include_padding", number(q.count_include_padding)},
                                 {"divisor_override", number(q.divisor_override)},
                                 {"padding_bottom", number(q.window.padding[2])},
                                 {"padding_right", number(q.window.padding[3])},
                                 {"padding_value", number(q.zero_point)}});
    return Layer{.header = "avg_pool2d.h", .structs = {{"AvgPool2d", "window", std::move(fields)}}, .calls = {{"avg_pool2d", {"window", "input0", "output0"}}}};
  }
};

const Register<AvgPool2d> avg_pool2d;
const Register<QuantizedAvgPool2d> quantized_avg_pool2d;

}  // namespace
}  // namespace corten
