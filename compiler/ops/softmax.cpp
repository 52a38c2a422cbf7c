// SPDX-License-Identifier: Apache-2.0
// Softmax along one axis.
#include <fmt/format.h>

#include <bit>

#include "compiler/ops/element_argument.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {
namespace {

struct SoftmaxParameters {
  std::int64_t axis = 0;
  template <class F>
  void fields(F&& f) {
    f("axis", axis);
  }
};

// ---- spellings ------------------------------------------------------------------------------------------------------

Status import_softmax(Import& import) {
  if (import.boolean("half_to_float", false)) return import.error("half_to_float is true, expected false");
  if (const auto element = element_argument(import, "dtype"); element && *element != Element::F32)
    return import.error(fmt::format("dtype is {}, expected f32", to_string(*element)));
  const auto operand = import.operand("self");
  const auto dim = import.integer("dim", -1), rank = static_cast<std::int64_t>(operand.order.size());
  if (dim < -rank || dim >= rank) return import.error(fmt::format("dim {} of an input of rank {}", dim, rank));
  import.result({import.add(op("softmax"), parameters(SoftmaxParameters{operand.physical(dim)}), {operand.value}), operand.order});
  return {};
}

constexpr Spelling softmax_spellings[] = {{"aten.softmax.int", import_softmax}, {"aten._softmax.default", import_softmax}};

// ---- meaning --------------------------------------------------------------------------------------------------------

/// A tensor as rows along one axis: element i of row (o, k) lies at (o · depth + i) · inner + k.
struct Rows {
  std::int64_t outer = 1, depth = 1, inner = 1;

  Rows(const Shape& shape, std::int64_t axis) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto position = static_cast<std::int64_t>(i);
      (position < axis ? outer : position == axis ? depth : inner) *= shape[i];
    }
  }

  /// f(row) with `row(i)` the position of its element i.
  template <class F>
  void for_each(F&& f) const {
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t k = 0; k < inner; ++k) f([this, o, k](std::int64_t i) { return static_cast<std::size_t>((o * depth + i) * inner + k); });
  }
};

Result<std::vector<Type>> infer_softmax(const Call& call, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(call.shape(0).size());
  if (axis < 0 || axis >= rank) return call.error(fmt::format("axis {} of an input of rank {}", axis, rank));
  return std::vector{Type{call.input(0).element, call.shape(0)}};
}

class Softmax final : public OperatorWith<SoftmaxParameters> {
 public:
  std::string_view name() const override { return "softmax"; }
  std::span<const Spelling> spellings() const override { return softmax_spellings; }
  std::string_view limits() const override { return "along any axis of at most 1023 elements; the output's scale is 1/256, its zero point -128"; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_softmax(call, call.parameters<SoftmaxParameters>().axis); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const Rows rows(inputs[0]->shape, call.parameters<SoftmaxParameters>().axis);
    Tensor result(Element::F32, call.output().shape);
    const auto x = inputs[0]->as<float>();
    const auto y = result.as<float>();
    rows.for_each([&](auto&& row) {
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::int64_t i = 0; i < rows.depth; ++i) largest = std::max(largest, double{x[row(i)]});
      for (std::int64_t i = 0; i < rows.depth; ++i) sum += std::exp(double{x[row(i)]} - largest);
      for (std::int64_t i = 0; i < rows.depth; ++i) y[row(i)] = static_cast<float>(std::exp(double{x[row(i)]} - largest) / sum);
    });
    return {result};
  }

  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Fixed, .fixed = per_tensor(1.0f / 256, -128)}; }
  Status lower(const Call& call, Patch& patch) const override;
};

// ---- integers -------------------------------------------------------------------------------------------------------

/// The softmax of TFLite Micro and CMSIS-NN: differences to the row's largest code become Q5.26 reals by
/// multiplier and shift; those below diff_min count as e^x = 0.
struct QuantizedSoftmaxParameters {
  std::int64_t axis = 0;
  std::int32_t multiplier = 0, shift = 0, diff_min = 0;
  template <class F>
  void fields(F&& f) {
    f("axis", axis), f("multiplier", multiplier), f("shift", shift), f("diff_min", diff_min);
  }
};

constexpr int integer_bits = 5;                          // of e^x's argument: Q5.26
constexpr int accumulation_bits = 12;                    // of the sum: Q12.19
constexpr std::int64_t one = (std::int64_t{1} << 31) - 1;  // nearly 1 in Q0.31

/// The product of two Q0.31 numbers, or of one with any other format, rounded; halves up.
std::int64_t multiply(std::int64_t a, std::int64_t b) { return std::min((a * b + (std::int64_t{1} << 30)) >> 31, one); }

/// a / 2^bits, halves away from zero.
std::int64_t divide(std::int64_t a, int bits) {
  const auto half = std::int64_t{1} << (bits - 1);
  return a < 0 ? -((-a + half) >> bits) : (a + half) >> bits;
}

std::int64_t shift_left(std::int64_t a, int bits) { return std::clamp(a << bits, -one - 1, one); }

/// e^a for a in [−1/4, 0), Q0.31: the Taylor series of degree 4 around −1/8.
std::int64_t exp_of_quarter(std::int64_t a) {
  constexpr std::int64_t exp_of_center = 1895147668, third = 715827883;  // e^(−1/8) and 1/3 in Q0.31
  const auto x = a + (std::int64_t{1} << 28);
  const auto x2 = multiply(x, x), x3 = multiply(x2, x), x4 = multiply(x2, x2);
  const auto tail = divide(multiply(divide(x4, 2) + x3, third) + x2, 1);
  return std::min(exp_of_center + multiply(exp_of_center, x + tail), one);
}

/// e^a for a ≤ 0 in Q5.26, as Q0.31: the part within a quarter by its series, then a factor per bit of the rest.
std::int64_t exp_of_negative(std::int64_t a) {
  if (a == 0) return one;
  constexpr int fraction_bits = 31 - integer_bits;
  constexpr std::int64_t quarter = std::int64_t{1} << (fraction_bits - 2);
  constexpr std::int64_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};  // e^−¼, e^−½, … e^−16
  const auto within = (a & (quarter - 1)) - quarter;
  auto result = exp_of_quarter(within << integer_bits);
  const auto quarters = (within - a) / quarter;
  for (std::size_t bit = 0; bit < std::size(factors); ++bit)
    if (quarters >> bit & 1) result = multiply(result, factors[bit]);
  return result;
}

/// 1 / (1 + a) for a in [0, 1), Q0.31: three Newton steps on 2 / (1 + a) in Q2.29.
std::int64_t reciprocal_of_one_plus(std::int64_t a) {
  constexpr std::int64_t intercept = 1515870810, slope = -1010580540;  // 48/17 and −32/17 in Q2.29
  const auto half_denominator = (a + one + 1) / 2;
  auto x = intercept + multiply(half_denominator, slope);
  for (int step = 0; step < 3; ++step) {
    const auto rest = (std::int64_t{1} << 29) - multiply(half_denominator, x);
    x += shift_left(multiply(x, rest), 2);
  }
  return shift_left(x, 1);
}

/// Output codes of a row from e^x of its elements.
class RowScale {
 public:
  /// sum: Σ e^x in Q12.19.
  explicit RowScale(std::int64_t sum)
      : headroom_(std::countl_zero(static_cast<std::uint32_t>(sum))), reciprocal_(reciprocal_of_one_plus((sum << headroom_) - one - 1)) {}
  std::int8_t code(std::int64_t exponential) const {
    const auto code = divide(multiply(reciprocal_, exponential), accumulation_bits - headroom_ + 31 - 8) - 128;
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(code, -128, 127));
  }

 private:
  int headroom_;
  std::int64_t reciprocal_;
};

constexpr std::int64_t largest_depth = 1023;  // keeps the sum's headroom at 3 bits, so that no kernel shifts by more than 32

Status Softmax::lower(const Call& call, Patch& patch) const {
  CORTEN_CHECK(check_per_tensor(call));
  const auto &x = *call.input(0).quantization, &y = *call.output().quantization;
  if (!y.same_grid(per_tensor(1.0f / 256, -128)))
    return call.error(fmt::format("output has scale {} and zero point {}, expected 1/256 and -128", y.scale(), y.zero_point()));
  const auto axis = call.parameters<SoftmaxParameters>().axis;
  const auto depth = call.shape(0)[static_cast<std::size_t>(axis)];
  if (depth > largest_depth) return call.error(fmt::format("axis has {} elements, expected at most {}", depth, largest_depth));
  // From 2^30 on every difference but 0 has an e^x that rounds to code −128, as below it.
  CORTEN_TRY(const auto scale, fixed_point(call, std::min(std::ldexp(double{x.scale()}, 31 - integer_bits), std::ldexp(1.0, 30) - 1)));
  if (scale.shift < 0) return call.error(fmt::format("input scale {} is too small, expected at least 2^-26", x.scale()));
  const auto diff_min = -static_cast<std::int32_t>(std::floor(std::ldexp(31.0, 31 - integer_bits - scale.shift)));
  return lower_to(call, patch, "cortex_m.softmax", parameters(QuantizedSoftmaxParameters{axis, scale.multiplier, scale.shift, diff_min}), call.node().inputs);
}

class QuantizedSoftmax final : public OperatorWith<QuantizedSoftmaxParameters> {
 public:
  std::string_view name() const override { return "cortex_m.softmax"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override { return infer_softmax(call, call.parameters<QuantizedSoftmaxParameters>().axis); }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& q = call.parameters<QuantizedSoftmaxParameters>();
    const Rows rows(inputs[0]->shape, q.axis);
    Tensor result(Element::I8, call.output().shape);
    const auto x = inputs[0]->as<std::int8_t>();
    const auto y = result.as<std::int8_t>();
    rows.for_each([&](auto&& row) {
      int largest = -128;
      for (std::int64_t i = 0; i < rows.depth; ++i) largest = std::max(largest, int{x[row(i)]});
      const auto exponential = [&](std::int64_t i) -> std::int64_t {
        const std::int64_t difference = x[row(i)] - largest;
        return difference < q.diff_min ? 0 : exp_of_negative(multiply(difference << q.shift, q.multiplier));
      };
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < rows.depth; ++i) sum += divide(exponential(i), accumulation_bits);
      const RowScale scale(sum);
      for (std::int64_t i = 0; i < rows.depth; ++i) y[row(i)] = scale.code(exponential(i));
    });
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& q = call.parameters<QuantizedSoftmaxParameters>();
    const Rows rows(call.shape(0), q.axis);
    const StructLiteral shape{"Softmax", "rows",
                              {{"outer", number(rows.outer)},
                               {"depth", number(rows.depth)},
                               {"inner", number(rows.inner)},
                               {"multiplier", number(q.multiplier)},
                               {"shift", number(q.shift)},
                               {"diff_min", number(q.diff_min)}}};
    return Layer{.header = "softmax.h", .structs = {shape}, .calls = {{"softmax", {"rows", "input0", "output0"}}}};
  }
  std::vector<int> in_place_inputs(const Call&) const override { return {0}; }
};

const Register<Softmax> softmax;
const Register<QuantizedSoftmax> quantized_softmax;

}  // namespace
}  // namespace corten
