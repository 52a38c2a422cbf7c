// SPDX-License-Identifier: Apache-2.0
// A small evaluator of sympy integers, for both spellings PyTorch has used.
#include "compiler/frontends/pt2_symbols.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <vector>

namespace corten::pt2 {
namespace {

using Value = std::optional<std::int64_t>;

Value add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? Value() : Value(sum);
}

Value multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Value() : Value(product);
}

Value negate(Value a) { return a ? multiply(*a, -1) : a; }

Value divide_exactly(std::int64_t a, std::int64_t b) { return floor_modulo(a, b) == 0 ? floor_divide(a, b) : Value(); }

Value apply_function(std::string_view function, const std::vector<std::int64_t>& arguments) {
  const auto fold = [&](auto combine) {
    Value result = arguments.front();
    for (std::size_t i = 1; i < arguments.size() && result; ++i) result = combine(*result, arguments[i]);
    return result;
  };
  if (arguments.empty()) return std::nullopt;
  if (function == "Integer" && arguments.size() == 1) return arguments[0];
  if (function == "Add") return fold(add);
  if (function == "Mul") return fold(multiply);
  if (function == "Max") return *std::max_element(arguments.begin(), arguments.end());
  if (function == "Min") return *std::min_element(arguments.begin(), arguments.end());
  if (arguments.size() != 2) return std::nullopt;
  if (function == "Pow") return integer_power(arguments[0], arguments[1]);
  if (function == "FloorDiv") return floor_divide(arguments[0], arguments[1]);
  if (function == "CleanDiv") return divide_exactly(arguments[0], arguments[1]);
  if (function == "Mod" || function == "PythonMod") return floor_modulo(arguments[0], arguments[1]);
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, const std::unordered_map<std::string, std::int64_t>& values) : text_(text), values_(values) {}

  Value run() {
    const auto value = sum(0);
    skip_spaces();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  static constexpr int most_depth = 64;

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool accept(std::string_view token) {
    skip_spaces();
    if (text_.substr(at_).substr(0, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  Value sum(int depth) {
    auto left = product(depth);
    while (left) {
      if (accept("+")) {
        const auto right = product(depth);
        left = right ? add(*left, *right) : right;
      } else if (accept("-")) {
        const auto right = negate(product(depth));
        left = right ? add(*left, *right) : right;
      } else {
        return left;
      }
    }
    return left;
  }

  Value product(int depth) {
    auto left = power(depth);
    while (left) {
      if (accept("//")) left = combine(*left, power(depth), floor_divide);
      else if (accept("/")) left = combine(*left, power(depth), divide_exactly);
      else if (accept("%")) left = combine(*left, power(depth), floor_modulo);
      else if (accept("*")) left = combine(*left, power(depth), multiply);
      else return left;
    }
    return left;
  }

  static Value combine(std::int64_t left, Value right, Value (*operation)(std::int64_t, std::int64_t)) {
    return right ? operation(left, *right) : right;
  }

  Value power(int depth) {
    if (depth > most_depth) return std::nullopt;
    if (accept("-")) return negate(power(depth + 1));
    const auto base = primary(depth);
    if (!base || !accept("**")) return base;
    return combine(*base, power(depth + 1), integer_power);
  }

  Value primary(int depth) {
    if (accept("(")) {
      const auto inner = sum(depth + 1);
      return inner && accept(")") ? inner : std::nullopt;
    }
    skip_spaces();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    const auto name = identifier();
    if (name.empty()) return std::nullopt;
    if (!accept("(")) return symbol(name);
    return name == "Symbol" ? quoted_symbol() : call(name, depth);
  }

  Value number() {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    return code == std::errc() ? Value(value) : std::nullopt;
  }

  std::string_view identifier() {
    const auto start = at_;
    const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    const auto name = text_.substr(start, at_ - start);
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
  }

  Value symbol(std::string_view name) const {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? Value() : Value(found->second);
  }

  // Assumptions such as positive=True follow the name.
  Value quoted_symbol() {
    if (!accept("'")) return std::nullopt;
    const auto end = text_.find('\'', at_);
    const auto close = end == std::string_view::npos ? end : text_.find(')', end);
    if (close == std::string_view::npos) return std::nullopt;
    const auto name = text_.substr(at_, end - at_);
    at_ = close + 1;
    return symbol(name);
  }

  Value call(std::string_view name, int depth) {
    std::vector<std::int64_t> arguments;
    do {
      const auto argument = sum(depth + 1);
      if (!argument) return std::nullopt;
      arguments.push_back(*argument);
    } while (accept(","));
    return accept(")") ? apply_function(name, arguments) : std::nullopt;
  }

  std::string_view text_;
  const std::unordered_map<std::string, std::int64_t>& values_;
  std::size_t at_ = 0;
};

std::optional<std::int64_t> hint_of(const Json& expression) {
  const auto* hint = json::field(expression, "hint");
  if (!hint) return std::nullopt;
  return hint->IsObject() ? json::integer(json::field(*hint, "as_int")) : json::integer(hint);
}

}  // namespace

std::optional<std::int64_t> floor_divide(std::int64_t dividend, std::int64_t divisor) {
  if (divisor == 0 || (divisor == -1 && dividend == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  const auto quotient = dividend / divisor;
  return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

std::optional<std::int64_t> floor_modulo(std::int64_t dividend, std::int64_t divisor) {
  const auto quotient = floor_divide(dividend, divisor);
  return quotient ? Value(dividend - *quotient * divisor) : std::nullopt;
}

std::optional<std::int64_t> integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0 || exponent > 64) return std::nullopt;
  Value result = 1;
  for (std::int64_t i = 0; i < exponent && result; ++i) result = multiply(*result, base);
  return result;
}

std::optional<std::string> lone_symbol(const Json& sym_int) {
  const auto* expression = json::field(sym_int, "as_expr");
  auto text = expression ? json::text(json::field(*expression, "expr_str")) : std::nullopt;
  if (!text) return std::nullopt;
  constexpr std::string_view opening = "Symbol('";
  if (text->starts_with(opening)) {
    const auto end = text->find('\'', opening.size());
    if (end == std::string::npos || text->find(')', end) != text->size() - 1) return std::nullopt;
    return text->substr(opening.size(), end - opening.size());
  }
  const bool plain = !text->empty() && std::all_of(text->begin(), text->end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return plain && !std::isdigit(static_cast<unsigned char>((*text)[0])) ? text : std::nullopt;
}

void Symbols::note_hint(const Json& sym_int) {
  const auto symbol = lone_symbol(sym_int);
  const auto hint = symbol ? hint_of(*json::field(sym_int, "as_expr")) : std::nullopt;
  if (hint) set(*symbol, *hint);
}

std::optional<std::int64_t> Symbols::value(const Json& sym_int) const {
  if (const auto number = json::integer(json::field(sym_int, "as_int"))) return number;
  const auto* expression = json::field(sym_int, "as_expr");
  if (!expression) return std::nullopt;
  const auto text = json::text(json::field(*expression, "expr_str"));
  const auto evaluated = text ? evaluate(*text) : std::nullopt;
  return evaluated ? evaluated : hint_of(*expression);
}

std::optional<std::int64_t> Symbols::evaluate(std::string_view expression) const { return Parser(expression, values_).run(); }

}  // namespace corten::pt2
