// SPDX-License-Identifier: Apache-2.0
// requantize against exact integers and hand-written numbers.
#include "corten/rt/requantize.h"

#include "exact.h"
#include "guarded.h"

namespace corten::rt::test {
namespace {

bool shifted_fits(std::int64_t value, int shift) { return shift <= 0 || (value << shift >= INT32_MIN && value << shift <= INT32_MAX); }

template <Rounding R>
void expect_exact(std::int32_t value, std::int32_t multiplier, std::int32_t shift) {
  if (!shifted_fits(value, shift)) return;
  ASSERT_EQ(requantize<R>(value, multiplier, shift), exact_requantize(R, value, multiplier, shift)) << value << ' ' << multiplier << ' ' << shift;
}

void expect_both(std::int32_t value, std::int32_t multiplier, std::int32_t shift) {
  expect_exact<Rounding::Double>(value, multiplier, shift);
  expect_exact<Rounding::Single>(value, multiplier, shift);
}

TEST(Requantize, EqualsTheExactModelOnRandomTriples) {
  Random random(1);
  std::uniform_int_distribution<std::int32_t> any(INT32_MIN, INT32_MAX), positive(0, INT32_MAX);
  for (int i = 0; i < 1000000; ++i) {
    const auto value = any(random) >> pick(random, 0, 31);
    expect_both(value, positive(random), pick(random, -31, 30));
    if (HasFatalFailure()) return;
  }
}

TEST(Requantize, EqualsTheExactModelOnEdges) {
  std::vector<std::int32_t> values = {INT32_MIN, INT32_MIN + 1, INT32_MAX - 1, INT32_MAX};
  for (int bit = 0; bit < 31; ++bit)
    for (int delta = -1; delta <= 1; ++delta) {
      const auto value = static_cast<std::int32_t>((std::int64_t{1} << bit) + delta);
      values.push_back(value), values.push_back(-value);
    }
  const std::int32_t multipliers[] = {0, 1, 2, 3, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, 1518500250, INT32_MAX - 1, INT32_MAX};
  for (auto value : values)
    for (auto multiplier : multipliers)
      for (int shift = -31; shift <= 30; ++shift) expect_both(value, multiplier, shift);
}

TEST(Requantize, QuartersByHand) {  // T04
  const std::int32_t values[] = {-10, -6, -2, 1, 2, 5, 6, 10}, twice[] = {-3, -2, -1, 1, 1, 2, 2, 3}, once[] = {-2, -1, 0, 0, 1, 1, 2, 3};
  for (int i = 0; i < 8; ++i) {
    // 1 · 1/4: half of it rounds up to 1, whose half rounds away to 1.
    EXPECT_EQ(requantize<Rounding::Double>(values[i], 1 << 30, -1), twice[i]);
    EXPECT_EQ(requantize<Rounding::Single>(values[i], 1 << 30, -1), once[i]);
  }
}

TEST(Requantize, WhereRoundingsDiffer) {  // T03, T04b
  EXPECT_EQ(requantize<Rounding::Double>(7984, 1583594044, -9), 12);
  EXPECT_EQ(requantize<Rounding::Single>(7984, 1583594044, -9), 11);
  EXPECT_EQ(requantize<Rounding::Double>(-23301, 2045235597, -5), -694);
  EXPECT_EQ(requantize<Rounding::Single>(-23301, 2045235597, -5), -693);
  EXPECT_EQ(requantize<Rounding::Double>(2493, 1316087905, -4), 96);
  EXPECT_EQ(requantize<Rounding::Single>(2493, 1316087905, -4), 95);
}

TEST(Requantize, FunctorsAddTheZeroPointThenClamp) {
  const std::int32_t multiplier[] = {1 << 30, 1 << 30}, shift[] = {1, 0};
  const PerChannel<Rounding::Double> per_channel{multiplier, shift, -40, -50, 20};
  EXPECT_EQ(per_channel(5, 0), -35);
  EXPECT_EQ(per_channel(5, 1), -37);
  EXPECT_EQ(per_channel(-90, 0), -50);
  EXPECT_EQ(per_channel(900, 1), 20);
  const PerTensor<Rounding::Single> per_tensor{1 << 30, 1, 3, -128, 127};
  EXPECT_EQ(per_tensor(-200, 7), -128);
  EXPECT_EQ(per_tensor(200, 7), 127);
  EXPECT_EQ(per_tensor(4, 7), 7);
}

}  // namespace
}  // namespace corten::rt::test
