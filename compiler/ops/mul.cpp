// SPDX-License-Identifier: Apache-2.0
// Multiplication of two broadcast operands; division by a constant is multiplication by its reciprocal once in integers.
#include "compiler/ops/mul.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

Status import_mul(Import& import) { return import_binary(import, "self", "other", op("mul"), parameters(MulParameters{})); }

Status import_div(Import& import) {
  const auto mode = import.text("rounding_mode", "");
  if (!mode.empty()) return import.error(fmt::format("rounding_mode is '{}', expected None", mode));
  return import_binary(import, "self", "other", op("mul"), parameters(MulParameters{.divide = true, .clamp = {}}));
}

Status import_neg(Import& import) {
  const auto x = import.operand("self");
  const auto minus_one = import.constant(import.node().origin.node + "_factor", Tensor::of<float>(Element::F32, {}, {-1.0f}));
  import.result({import.add(op("mul"), parameters(MulParameters{}), {x.value, minus_one}), x.order});
  return {};
}

constexpr Spelling mul_spellings[] = {
    {"aten.mul.Tensor", import_mul}, {"aten.mul.Scalar", import_mul},      {"aten.div.Tensor", import_div},
    {"aten.div.Scalar", import_div}, {"aten.div.Tensor_mode", import_div}, {"aten.neg.default", import_neg},
};

// ---- integers -------------------------------------------------------------------------------------------------------

/// y = clamp(requantize((q₀ − zero_point₀) · (q₁ − zero_point₁), multiplier, shift) + output_zero_point).
struct QuantizedMulParameters {
  std::int32_t input0_zero_point = 0, input1_zero_point = 0, output_zero_point = 0;
  std::int32_t multiplier = 0, shift = 0;
  std::int32_t low = -128, high = 127;
  template <class F>
  void fields(F&& f) {
    f("input0_zero_point", input0_zero_point), f("input1_zero_point", input1_zero_point), f("output_zero_point", output_zero_point);
    f("multiplier", multiplier), f("shift", shift), f("low", low), f("high", high);
  }
};

/// A product of two centered codes stays below 2^16, so that left shifts up to this one fit 32 bits.
constexpr std::int32_t largest_left_shift = 14;

struct Factor {
  ValueId value;
  Quantization quantization;
};

/// 1 / divisor on a symmetric grid, so that a single factor is exact: code ±127.
Result<Factor> reciprocal(const Call& call, Patch& patch) {
  const auto& divisor = call.graph().value(call.node().inputs[1]);
  const auto& from = *divisor.type.quantization;
  std::vector<float> reals;
  float largest = 0;
  for (const auto code : divisor.constant->as<std::int8_t>()) {
    const auto real = dequantize_value(code, from.scale(), from.zero_point());
    if (real == 0) return call.error("the divisor is zero on its int8 grid", "multiply by the reciprocal instead");
    reals.push_back(1.0f / real);
    largest = std::max(largest, std::abs(reals.back()));
  }
  const auto grid = per_tensor(largest / 127, 0);
  std::vector<std::int8_t> codes;
  for (const auto real : reals) codes.push_back(static_cast<std::int8_t>(quantize_value(real, grid.scale(), 0, grid.low, grid.high)));
  auto tensor = Tensor::of<std::int8_t>(Element::I8, divisor.type.shape, codes);
  return Factor{patch.constant(divisor.name + "_reciprocal", std::move(tensor), grid, divisor.origins), grid};
}

class Mul final : public OperatorWith<MulParameters> {
 public:
  std::string_view name() const override { return "mul"; }
  std::string_view inputs() const override { return "x, y"; }
  std::span<const Spelling> spellings() const override { return mul_spellings; }
  std::string_view limits() const override { return "broadcast up to rank 6; division by constants only"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& p = call.parameters<MulParameters>();
    return {map_elements<float>(Element::F32, call.output().shape, *inputs[0], *inputs[1],
                                [&](float a, float b) { return p.clamp(p.divide ? a / b : a * b); })};
  }

  ParametersPtr with_clamp(const Call& call, const ClampRange& range) const override {
    auto p = call.parameters<MulParameters>();
    p.clamp = p.clamp.within(range);
    return parameters(p);
  }

  Status lower(const Call& call, Patch& patch) const override {
    CORTEN_CHECK(check_per_tensor(call));
    const auto& p = call.parameters<MulParameters>();
    if (p.divide && !call.constant(1)) return call.error("the divisor is not constant", "division in integers needs a constant divisor");
    Factor factor{call.node().inputs[1], *call.input(1).quantization};
    if (p.divide) {
      CORTEN_TRY(factor, reciprocal(call, patch));
    }
    const auto &a = *call.input(0).quantization, &b = factor.quantization, &y = *call.output().quantization;
    CORTEN_TRY(const auto scale, fixed_point(call, double{a.scale()} * double{b.scale()} / double{y.scale()}));
    if (scale.shift > largest_left_shift)
      return call.error(fmt::format("output scale {} is too small beside the product of the operands' {} and {}", y.scale(), a.scale(), b.scale()),
                        "calibrate with samples that reach the output's range");
    const auto range = code_range(p.clamp, y);
    const QuantizedMulParameters q{a.zero_point(), b.zero_point(), y.zero_point(), scale.multiplier, scale.shift, range.low, range.high};
    return lower_to(call, patch, "cortex_m.quantized_mul", parameters(q), {call.node().inputs[0], factor.value});
  }
};

class QuantizedMul final : public OperatorWith<QuantizedMulParameters> {
 public:
  std::string_view name() const override { return "cortex_m.quantized_mul"; }
  std::string_view inputs() const override { return "x, y"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_elementwise(call); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<QuantizedMulParameters>();
    return {map_elements<std::int8_t>(Element::I8, call.output().shape, *inputs[0], *inputs[1], [&](std::int8_t a, std::int8_t b) {
      const std::int64_t product = (a - q.input0_zero_point) * (b - q.input1_zero_point);
      const auto code = requantize(product, {q.multiplier, q.shift}, call.graph().rounding) + q.output_zero_point;
      return static_cast<std::int8_t>(std::clamp(code, q.low, q.high));
    })};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    auto q = call.parameters<QuantizedMulParameters>();
    StructLiteral literal{"Mul", "arithmetic", {}};
    q.fields([&](std::string_view name, std::int32_t value) { literal.fields.emplace_back(std::string(name), number(value)); });
    return emit_elementwise(call, "mul", "<" + rounding_name(call) + ">", {std::move(literal)});
  }
  std::vector<int> in_place_inputs(const Call& call) const override { return in_place_elementwise(call); }
};

const Register<Mul> mul;
const Register<QuantizedMul> quantized_mul;

}  // namespace
}  // namespace corten
