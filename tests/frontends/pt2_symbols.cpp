// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes in both spellings; scalar folding. Expected values are plain arithmetic.
#include "compiler/frontends/pt2_symbols.h"

#include <gtest/gtest.h>

#include <limits>

#include "compiler/frontends/pt2_scope.h"

namespace corten::pt2 {
namespace {

TEST(Symbols, EvaluatesBothSpellings) {
  Symbols symbols;
  symbols.set("s0", 7);
  symbols.set("s77", 3);
  symbols.set("s77", 99);  // the first stays
  const std::pair<const char*, std::int64_t> cases[] = {
      {"Symbol('s0', positive=True, integer=True)", 7},
      {"Mul(Integer(2), Symbol('s77', positive=True, integer=True))", 6},
      {"Add(Mul(Integer(-1), Symbol('s0', integer=True)), Integer(1))", -6},
      {"FloorDiv(Symbol('s0', positive=True, integer=True), Integer(2))", 3},
      {"torch.utils._sympy.functions.FloorDiv(Integer(-7), Integer(2))", -4},
      {"Pow(Symbol('s77'), Integer(2))", 9},
      {"Mod(Integer(-7), Integer(3))", 2},
      {"Max(Integer(1), Symbol('s0'), Symbol('s77'))", 7},
      {"Min(Integer(1), Symbol('s0'))", 1},
      {"s0", 7},
      {"2*s0 + 1", 15},
      {"s0 - s77*2", 1},
      {"-s77**2", -9},
      {"((s0 + 1)//2)", 4},
      {"s0 % 4", 3},
      {"Max(1, s0)", 7},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(symbols.evaluate(text), value) << text;
}

TEST(Symbols, RefusesWhatHasNoValue) {
  Symbols symbols;
  symbols.set("s0", 7);
  for (const auto* text : {"", "s1", "s0 +", "(s0", "s0//0", "s0/2", "Mod(s0, 0)", "Pow(s0, -1)", "9223372036854775807 + 1", "99999999999999999999",
                           "Sin(s0)", "Symbol('s0", "Symbol(s0)", "s0 s0", "4611686018427387904*2", "Integer()"})
    EXPECT_EQ(symbols.evaluate(text), std::nullopt) << text;
  EXPECT_EQ(symbols.evaluate(std::string(100000, '(')), std::nullopt);
  EXPECT_EQ(symbols.evaluate(std::string(100000, '-') + "1"), std::nullopt);
}

TEST(Symbols, DividesAsPython) {
  EXPECT_EQ(floor_divide(7, -2), -4);
  EXPECT_EQ(floor_modulo(7, -2), -1);
  EXPECT_EQ(floor_divide(-6, 2), -3);
  EXPECT_EQ(floor_divide(std::numeric_limits<std::int64_t>::min(), -1), std::nullopt);
  EXPECT_EQ(floor_divide(1, 0), std::nullopt);
}

TEST(Scalars, Fold) {
  const auto integer = [](std::int64_t value) { return Scalar(value); };
  EXPECT_EQ(fold("_operator.mul", {integer(6), integer(7)}), Scalar(std::int64_t{42}));
  EXPECT_EQ(fold("_operator.floordiv", {integer(-7), integer(2)}), Scalar(std::int64_t{-4}));
  EXPECT_EQ(fold("_operator.mod", {integer(-7), integer(2)}), Scalar(std::int64_t{1}));
  EXPECT_EQ(fold("torch.sym_max", {integer(3), integer(2)}), Scalar(std::int64_t{3}));
  EXPECT_EQ(fold("_operator.truediv", {integer(3), integer(2)}), Scalar(1.5));
  EXPECT_EQ(fold("math.trunc", {Scalar(-2.5)}), Scalar(std::int64_t{-2}));
  EXPECT_EQ(fold("_operator.ge", {integer(3), integer(3)}), Scalar(true));
  EXPECT_EQ(fold("_operator.mul", {integer(3), Scalar()}), Scalar());
  EXPECT_EQ(fold("_operator.mul", {integer(std::int64_t{1} << 62), integer(4)}), Scalar());
  EXPECT_EQ(fold("_operator.neg", {integer(std::numeric_limits<std::int64_t>::min())}), Scalar());
}

}  // namespace
}  // namespace corten::pt2
