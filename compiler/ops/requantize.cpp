// SPDX-License-Identifier: Apache-2.0
// A change of grid: nothing to reals, a rescaling to integers.
#include "compiler/ops/requantize.h"

#include <fmt/format.h>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/lowering.h"

namespace corten {

Result<RequantizeParameters> requantize_parameters(const Call& call, const Quantization& from, const Quantization& to, const CodeRange& range) {
  CORTEN_TRY(const auto scale, fixed_point(call, double{from.scale()} / double{to.scale()}));
  constexpr std::int32_t largest_left_shift = 22;  // a centered code stays below 2^8
  if (scale.shift > largest_left_shift) return call.error(fmt::format("scale {} is too small beside the input's {}", to.scale(), from.scale()));
  return RequantizeParameters{scale.multiplier, scale.shift, from.zero_point(), to.zero_point(), range.low, range.high};
}

namespace {

/// Where a value is needed on another grid: the same reals.
class Requantize final : public OperatorWith<NoParameters> {
 public:
  std::string_view name() const override { return "requantize"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return std::vector{Type{call.input(0).element, call.shape(0)}}; }
  std::vector<Tensor> evaluate(const Call&, std::span<const Tensor* const> inputs) const override { return {*inputs[0]}; }

  Status lower(const Call& call, Patch& patch) const override {
    CORTEN_CHECK(check_per_tensor(call));
    const auto& to = *call.output().quantization;
    CORTEN_TRY(auto q, requantize_parameters(call, *call.input(0).quantization, to, {to.low, to.high}));
    return lower_to(call, patch, "cortex_m.requantize", parameters(std::move(q)), call.node().inputs);
  }
};

class IntegerRequantize final : public OperatorWith<RequantizeParameters> {
 public:
  std::string_view name() const override { return "cortex_m.requantize"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    if (call.input(0).element != Element::I8) return call.error(fmt::format("input is {}, expected i8", to_string(call.input(0).element)));
    return std::vector{Type{Element::I8, call.shape(0)}};
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<RequantizeParameters>();
    auto result = *inputs[0];
    for (auto& code : result.as<std::int8_t>()) {
      const auto scaled = requantize(code - q.input_zero_point, {q.multiplier, q.shift}, call.graph().rounding) + q.output_zero_point;
      code = static_cast<std::int8_t>(std::clamp(scaled, q.low, q.high));
    }
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<RequantizeParameters>();
    const StructLiteral grids{"Rescale", "grids",
                              {{"input_zero_point", number(q.input_zero_point)},
                               {"multiplier", number(q.multiplier)},
                               {"shift", number(q.shift)},
                               {"output_zero_point", number(q.output_zero_point)},
                               {"low", number(q.low)},
                               {"high", number(q.high)}}};
    return Layer{.header = "rescale.h", .structs = {grids}, .calls = {{"rescale<" + rounding_name(call) + ">", {"grids", number(element_count(call.output().shape)), "input0", "output0"}}}};
  }
  std::vector<int> in_place_inputs(const Call&) const override { return {0}; }
};

const Register<Requantize> requantize_operator;
const Register<IntegerRequantize> integer_requantize;

}  // namespace
}  // namespace corten
