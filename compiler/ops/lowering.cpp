// SPDX-License-Identifier: Apache-2.0
// Zero points into biases, scales into multipliers.
#include "compiler/ops/lowering.h"

#include <fmt/format.h>

#include <cstdlib>

namespace corten {

Status lower_to(const Call& call, Patch& patch, std::string_view integer_operator, ParametersPtr parameters, std::vector<ValueId> inputs) {
  const auto type = call.output();
  CORTEN_TRY(auto value, patch.value(op(integer_operator), std::move(parameters), std::move(inputs), call.node().name, call.node().origins));
  patch.set_type(value, type);
  patch.replace(call.node().outputs[0], value);
  return {};
}

Status lower_data_movement(const Call& call, Patch& patch, std::string_view integer_operator) {
  for (std::size_t i = 0; i < call.inputs(); ++i)
    if (!call.input(i).quantization || !call.output().quantization || !call.input(i).quantization->same_grid(*call.output().quantization))
      return call.error("input and output must share scale and zero point");
  return lower_to(call, patch, integer_operator, call.node().parameters, call.node().inputs);
}

std::vector<std::int64_t> weight_sums(const Tensor& weights) {
  const auto codes = weights.as<std::int8_t>();
  std::vector<std::int64_t> sums(static_cast<std::size_t>(weights.shape[0]), 0);
  const auto depth = codes.size() / std::max<std::size_t>(sums.size(), 1);
  for (std::size_t i = 0; i < codes.size(); ++i) sums[i / depth] += codes[i];
  return sums;
}

namespace {

/// Largest magnitude the sum of output channel c can have: |bias| + 128 · Σ|w|.
std::int64_t sum_reach(const Tensor& weights, std::size_t channel, std::int64_t bias) {
  const auto codes = weights.as<std::int8_t>();
  const auto depth = codes.size() / static_cast<std::size_t>(weights.shape[0]);
  std::int64_t reach = std::abs(bias);
  for (std::size_t i = 0; i < depth; ++i) reach += 128 * std::abs(int{codes[channel * depth + i]});
  return reach;
}

}  // namespace

Status check_left_shifts(const Call& call, const Tensor& weights, const Tensor& folded_bias, const Multipliers& multipliers) {
  for (std::size_t c = 0; c < folded_bias.as<std::int32_t>().size(); ++c) {
    const auto shift = std::max(0, multipliers.shift[multipliers.shift.size() == 1 ? 0 : c]);
    const auto reach = sum_reach(weights, c, folded_bias.as<std::int32_t>()[c]);
    if (reach << shift > std::numeric_limits<std::int32_t>::max())
      return call.error(fmt::format("the sum of output channel {} can reach {}, which a left shift by {} takes out of 32 bits", c, reach, shift),
                        "the output's scale is far smaller than its weights ask for; calibrate with samples that use the whole range");
  }
  return {};
}

Result<Tensor> folded_bias(const Call& call, const Tensor& weights, const Tensor* bias, std::int32_t input_zero_point) {
  const auto sums = weight_sums(weights);
  std::vector<std::int32_t> folded(sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const std::int64_t value = (bias ? bias->as<std::int32_t>()[c] : 0) - input_zero_point * sums[c];
    const auto reach = sum_reach(weights, c, value);
    if (reach > std::numeric_limits<std::int32_t>::max())
      return call.error(fmt::format("the sum of output channel {} can reach {} and leave 32 bits", c, reach), "use smaller biases or fewer inputs per output");
    folded[c] = static_cast<std::int32_t>(value);
  }
  return i32_tensor(folded);
}

Result<FixedPoint> fixed_point(const Call& call, double real) {
  auto converted = to_fixed_point(real);
  if (!converted) return call.error(converted.diagnostics().front().message);
  return converted;
}

Result<Multipliers> multipliers(const Call& call, const Quantization& input, const Quantization& weights, const Quantization& output, std::size_t count) {
  Multipliers result;
  for (std::size_t c = 0; c < count; ++c) {
    CORTEN_TRY(const auto converted, fixed_point(call, double{input.scale()} * double{weights.scale(c)} / double{output.scale()}));
    result.multiplier.push_back(converted.multiplier);
    result.shift.push_back(converted.shift);
  }
  return result;
}

Tensor i32_tensor(const std::vector<std::int32_t>& values) {
  return Tensor::of<std::int32_t>(Element::I32, {static_cast<std::int64_t>(values.size())}, values);
}

std::string rounding_name(const Call& call) { return call.graph().rounding == Rounding::Double ? "Rounding::Double" : "Rounding::Single"; }

std::string requantize_type(const Call& call, std::string_view kind) { return fmt::format("{}<{}>", kind, rounding_name(call)); }

}  // namespace corten
