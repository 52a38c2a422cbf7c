// SPDX-License-Identifier: Apache-2.0
// Gives symbolic sizes of exported programs their values.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/formats/json.h"

namespace corten::pt2 {

/// The values of a program's size symbols ("s0", "s77").
class Symbols {
 public:
  /// The first value a symbol is given stays.
  void set(const std::string& symbol, std::int64_t value) { values_.emplace(symbol, value); }
  /// Remembers the traced value of a SymInt that is one symbol alone.
  void note_hint(const Json& sym_int);

  /// Value of a SymInt: a number, or an expression over known symbols, or failing that its traced value.
  std::optional<std::int64_t> value(const Json& sym_int) const;
  /// Value of sympy's srepr ("Mul(Integer(2), Symbol('s77', positive=True))") or plain spelling ("2*s77 + 1").
  /// Nothing if it is malformed, nested deeper than 64, not an integer, or names an unknown symbol.
  std::optional<std::int64_t> evaluate(std::string_view expression) const;

 private:
  std::unordered_map<std::string, std::int64_t> values_;
};

/// The symbol when a SymInt is one symbol alone.
std::optional<std::string> lone_symbol(const Json& sym_int);

/// Division rounding down and the remainder that goes with it, as Python's; nothing for a zero divisor or overflow.
std::optional<std::int64_t> floor_divide(std::int64_t dividend, std::int64_t divisor);
std::optional<std::int64_t> floor_modulo(std::int64_t dividend, std::int64_t divisor);
/// Nothing on overflow or a negative exponent.
std::optional<std::int64_t> integer_power(std::int64_t base, std::int64_t exponent);

}  // namespace corten::pt2
