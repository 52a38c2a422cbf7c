// SPDX-License-Identifier: Apache-2.0
// Folding of the scalar arithmetic that dynamic shapes leave in an exported graph.
#include <algorithm>
#include <cmath>

#include "compiler/frontends/pt2_scope.h"
#include "compiler/frontends/pt2_symbols.h"

namespace corten::pt2 {
namespace {

Scalar known(std::optional<std::int64_t> value) { return value ? Scalar(*value) : Scalar(); }

std::optional<std::int64_t> as_integer(const Scalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) return *integer;
  if (const auto* truth = std::get_if<bool>(&scalar)) return *truth ? 1 : 0;
  return std::nullopt;
}

std::optional<double> as_real(const Scalar& scalar) {
  if (const auto* real = std::get_if<double>(&scalar)) return *real;
  if (const auto integer = as_integer(scalar)) return static_cast<double>(*integer);
  return std::nullopt;
}

Scalar rounded(double value) {
  return std::abs(value) < 0x1p62 ? Scalar(static_cast<std::int64_t>(value)) : Scalar();
}

Scalar fold_unary(std::string_view name, const Scalar& operand) {
  const auto integer = as_integer(operand);
  const auto real = as_real(operand);
  if (!real) return {};
  if (name == "neg") return integer ? known(floor_divide(*integer, -1)) : Scalar(-*real);
  if (name == "pos") return operand;
  if (name == "not_" || name == "sym_not") return *real == 0;
  if (name == "sym_int" || name == "trunc") return integer ? Scalar(*integer) : rounded(std::trunc(*real));
  if (name == "floor") return integer ? Scalar(*integer) : rounded(std::floor(*real));
  if (name == "ceil") return integer ? Scalar(*integer) : rounded(std::ceil(*real));
  if (name == "sym_float") return *real;
  return {};
}

template <class T>
Scalar compare(std::string_view name, T a, T b) {
  if (name == "eq") return a == b;
  if (name == "ne") return a != b;
  if (name == "lt") return a < b;
  if (name == "le") return a <= b;
  if (name == "gt") return a > b;
  if (name == "ge") return a >= b;
  return {};
}

Scalar fold_integers(std::string_view name, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (name == "add") return __builtin_add_overflow(a, b, &result) ? Scalar() : Scalar(result);
  if (name == "sub") return __builtin_sub_overflow(a, b, &result) ? Scalar() : Scalar(result);
  if (name == "mul") return __builtin_mul_overflow(a, b, &result) ? Scalar() : Scalar(result);
  if (name == "floordiv") return known(floor_divide(a, b));
  if (name == "mod") return known(floor_modulo(a, b));
  if (name == "pow") return known(integer_power(a, b));
  if (name == "sym_max" || name == "max") return std::max(a, b);
  if (name == "sym_min" || name == "min") return std::min(a, b);
  if (name == "truediv") return b == 0 ? Scalar() : Scalar(static_cast<double>(a) / static_cast<double>(b));
  return compare(name, a, b);
}

Scalar fold_reals(std::string_view name, double a, double b) {
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "truediv") return b == 0 ? Scalar() : Scalar(a / b);
  if (name == "pow") return std::pow(a, b);
  if (name == "sym_max" || name == "max") return std::max(a, b);
  if (name == "sym_min" || name == "min") return std::min(a, b);
  return compare(name, a, b);
}

}  // namespace

Scalar fold(std::string_view target, const std::vector<Scalar>& operands) {
  const auto name = target.substr(target.rfind('.') + 1);
  if (operands.size() == 1) return fold_unary(name, operands[0]);
  if (operands.size() != 2) return {};
  const auto a = as_integer(operands[0]);
  const auto b = as_integer(operands[1]);
  if (name == "and_" && a && b) return *a != 0 && *b != 0;
  if (name == "or_" && a && b) return *a != 0 || *b != 0;
  if (a && b) return fold_integers(name, *a, *b);
  const auto x = as_real(operands[0]);
  const auto y = as_real(operands[1]);
  return x && y ? fold_reals(name, *x, *y) : Scalar();
}

}  // namespace corten::pt2
