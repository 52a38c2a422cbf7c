// SPDX-License-Identifier: Apache-2.0
// The scaled sum behind add and sub.
#include "compiler/ops/sum.h"

#include <fmt/format.h>

#include <cmath>

namespace corten {

std::vector<Tensor> evaluate_sum(const Call& call, std::span<const Tensor* const> inputs, double factor) {
  const auto& clamp = call.parameters<SumParameters>().clamp;
  return {map_elements<float>(Element::F32, call.output().shape, *inputs[0], *inputs[1],
                              [&](float a, float b) { return clamp(static_cast<float>(a + factor * b)); })};
}

ParametersPtr clamped_sum(const Call& call, const ClampRange& range) {
  auto p = call.parameters<SumParameters>();
  p.clamp = p.clamp.within(range);
  return parameters(p);
}

Status lower_sum(const Call& call, Patch& patch, double factor) {
  CORTEN_CHECK(check_per_tensor(call));
  const auto &a = *call.input(0).quantization, &b = *call.input(1).quantization, &y = *call.output().quantization;
  QuantizedSumParameters q;
  const double scale0 = a.scale(), scale1 = double{b.scale()} * std::abs(factor);
  const double twice_largest = 2 * std::max(scale0, scale1);
  CORTEN_TRY(const auto input0, fixed_point(call, scale0 / twice_largest));
  CORTEN_TRY(const auto input1, fixed_point(call, scale1 / twice_largest));
  CORTEN_TRY(const auto output, fixed_point(call, twice_largest / (std::ldexp(1.0, q.left_shift) * double{y.scale()})));
  if (output.shift > 0)
    return call.error(fmt::format("output scale {} is too small beside the operands' {} and {}", y.scale(), scale0, scale1), "calibrate with samples that reach the output's range");
  const auto range = code_range(call.parameters<SumParameters>().clamp, y);
  q.input0_zero_point = a.zero_point(), q.input0_multiplier = input0.multiplier, q.input0_shift = input0.shift;
  q.input1_zero_point = b.zero_point(), q.input1_multiplier = input1.multiplier, q.input1_shift = input1.shift;
  q.output_zero_point = y.zero_point(), q.output_multiplier = output.multiplier, q.output_shift = output.shift;
  q.low = range.low, q.high = range.high;
  return lower_to(call, patch, factor < 0 ? "cortex_m.quantized_sub" : "cortex_m.quantized_add", parameters(q), call.node().inputs);
}

std::vector<Tensor> evaluate_quantized_sum(const Call& call, std::span<const Tensor* const> inputs, int sign) {
  const auto& q = call.parameters<QuantizedSumParameters>();
  const auto rounding = call.graph().rounding;
  const auto scaled = [&](std::int32_t code, std::int32_t zero_point, FixedPoint scale) -> std::int64_t {
    return requantize(std::int64_t{code - zero_point} << q.left_shift, scale, rounding);
  };
  return {map_elements<std::int8_t>(Element::I8, call.output().shape, *inputs[0], *inputs[1], [&](std::int8_t a, std::int8_t b) {
    const auto sum = scaled(a, q.input0_zero_point, {q.input0_multiplier, q.input0_shift}) + sign * scaled(b, q.input1_zero_point, {q.input1_multiplier, q.input1_shift});
    const auto code = requantize(sum, {q.output_multiplier, q.output_shift}, rounding) + q.output_zero_point;
    return static_cast<std::int8_t>(std::clamp(code, q.low, q.high));
  })};
}

Layer emit_sum(const Call& call, const std::string& kernel, const std::string& struct_type) {
  const auto& q = call.parameters<QuantizedSumParameters>();
  StructLiteral literal{struct_type, kernel, {}};
  auto copy = q;
  copy.fields([&](std::string_view name, const std::int32_t& value) { literal.fields.emplace_back(std::string(name), number(value)); });
  literal.name = "arithmetic";
  return emit_elementwise(call, kernel, "<" + rounding_name(call) + ">", {std::move(literal)});
}

}  // namespace corten
