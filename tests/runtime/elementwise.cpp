// SPDX-License-Identifier: Apache-2.0
// Kernels that work element by element, apart and in place, against exact integers.
#include <functional>

#include "corten/rt/add.h"
#include "corten/rt/clamp.h"
#include "corten/rt/lookup.h"
#include "corten/rt/maximum.h"
#include "corten/rt/minimum.h"
#include "corten/rt/mul.h"
#include "corten/rt/rescale.h"
#include "corten/rt/sub.h"
#include "exact.h"
#include "guarded.h"

namespace corten::rt::test {
namespace {

using Codes = std::vector<std::int8_t>;
using Binary = std::function<std::int8_t(std::int8_t, std::int8_t)>;

Add random_sum(Random& random) {
  const auto multiplier = [&] { return pick(random, 1 << 30, INT32_MAX); };
  const auto zero_point = [&] { return pick(random, -128, 127); };
  Add add{20, zero_point(), multiplier(), pick(random, -4, 0), zero_point(), multiplier(), pick(random, -4, 0), zero_point(), multiplier(), pick(random, -21, -16), -128, 127};
  if (pick(random, 0, 1)) add.low = pick(random, -128, 0), add.high = pick(random, 0, 127);
  return add;
}

template <Rounding R>
std::int8_t exact_sum(const Sum& s, int sign, std::int8_t a, std::int8_t b) {
  const auto scaled_a = exact_requantize(R, std::int64_t{a - s.input0_zero_point} << s.left_shift, s.input0_multiplier, s.input0_shift);
  const auto scaled_b = exact_requantize(R, std::int64_t{b - s.input1_zero_point} << s.left_shift, s.input1_multiplier, s.input1_shift);
  return exact_code(R, scaled_a + sign * scaled_b, s.output_multiplier, s.output_shift, s.output_zero_point, s.low, s.high);
}

template <Rounding R>
std::int8_t exact_product(const Mul& m, std::int8_t a, std::int8_t b) {
  return exact_code(R, std::int64_t{a - m.input0_zero_point} * (b - m.input1_zero_point), m.multiplier, m.shift, m.output_zero_point, m.low, m.high);
}

/// Tries run(count, a, b, output) with the output apart, on a and on b.
void expect_contiguous(const Codes& a, const Codes& b, const Binary& expected, const std::function<void(int, const std::int8_t*, const std::int8_t*, std::int8_t*)>& run) {
  Codes wanted(a.size());
  std::transform(a.begin(), a.end(), b.begin(), wanted.begin(), expected);
  for (int home = 0; home < 3; ++home) {
    Guarded<std::int8_t> x(a.size(), 1), y(a.size(), 2), z(a.size());
    std::copy(a.begin(), a.end(), x.data()), std::copy(b.begin(), b.end(), y.data());
    auto& output = home == 0 ? z : home == 1 ? x : y;
    run(static_cast<int>(a.size()), x.data(), y.data(), output.data());
    x.expect_guards(), y.expect_guards(), z.expect_guards();
    EXPECT_EQ(output.values(), wanted) << "output at " << home;
  }
}

template <Rounding R>
void expect_arithmetic(const Codes& a, const Codes& b, const Add& add, const Mul& mul) {
  expect_contiguous(a, b, [&](auto x, auto y) { return exact_sum<R>(add, 1, x, y); }, [&](auto... arguments) { add_contiguous<R>(add, arguments...); });
  expect_contiguous(a, b, [&](auto x, auto y) { return exact_sum<R>(add, -1, x, y); }, [&](auto... arguments) { sub_contiguous<R>(add, arguments...); });
  expect_contiguous(a, b, [&](auto x, auto y) { return exact_product<R>(mul, x, y); }, [&](auto... arguments) { mul_contiguous<R>(mul, arguments...); });
}

TEST(Elementwise, ContiguousEqualsTheDefinition) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const auto count = static_cast<std::size_t>(pick(random, 0, 70));
    const auto a = codes(count, all_data[i % 5], random), b = codes(count, all_data[i / 5 % 5], random);
    const Mul mul{pick(random, -128, 127), pick(random, -128, 127), pick(random, -128, 127), pick(random, 1 << 30, INT32_MAX), pick(random, -12, 2), -128, pick(random, 0, 127)};
    const auto add = random_sum(random);
    expect_arithmetic<Rounding::Double>(a, b, add, mul);
    expect_arithmetic<Rounding::Single>(a, b, add, mul);
    expect_contiguous(a, b, [](auto x, auto y) { return std::max(x, y); }, [](auto... arguments) { maximum_contiguous(arguments...); });
    expect_contiguous(a, b, [](auto x, auto y) { return std::min(x, y); }, [](auto... arguments) { minimum_contiguous(arguments...); });
    if (HasFailure()) return;
  }
}

TEST(Elementwise, EveryPairOfCodesAdds) {
  Random random(12);
  Codes a, b;
  for (int x = -128; x < 128; ++x)
    for (int y = -128; y < 128; ++y) a.push_back(static_cast<std::int8_t>(x)), b.push_back(static_cast<std::int8_t>(y));
  for (int i = 0; i < 5; ++i) {
    const auto add = random_sum(random);
    const Mul mul{add.input0_zero_point, add.input1_zero_point, add.output_zero_point, add.input0_multiplier, -6, add.low, add.high};
    expect_arithmetic<Rounding::Double>(a, b, add, mul);
    expect_arithmetic<Rounding::Single>(a, b, add, mul);
  }
}

/// A random output shape and two operands broadcast to it.
struct Broadcast {
  Elementwise axes{};
  int output_elements = 1, elements0 = 1, elements1 = 1;

  explicit Broadcast(Random& random) {
    axes.rank = pick(random, 0, 6);
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
      axes.shape[axis] = pick(random, 1, 4);
      const int kept = pick(random, 0, 3);
      if (kept != 0) axes.stride0[axis] = elements0, elements0 *= axes.shape[axis];
      if (kept != 1) axes.stride1[axis] = elements1, elements1 *= axes.shape[axis];
      output_elements *= axes.shape[axis];
    }
  }
  /// Offset of operand `which` for the output element `position`.
  std::size_t offset(int which, int position) const {
    int offset = 0;
    for (int axis = axes.rank - 1; axis >= 0; --axis, position /= axes.shape[axis + 1])
      offset += position % axes.shape[axis] * (which == 0 ? axes.stride0 : axes.stride1)[axis];
    return static_cast<std::size_t>(offset);
  }
};

void expect_broadcast(const Broadcast& shape, const Codes& a, const Codes& b, const Binary& expected,
                      const std::function<void(const Elementwise&, const std::int8_t*, const std::int8_t*, std::int8_t*)>& run) {
  Codes wanted;
  for (int i = 0; i < shape.output_elements; ++i) wanted.push_back(expected(a[shape.offset(0, i)], b[shape.offset(1, i)]));
  Guarded<std::int8_t> output(wanted.size());
  run(shape.axes, a.data(), b.data(), output.data());
  output.expect_guards();
  EXPECT_EQ(output.values(), wanted);
  if (a.size() != wanted.size()) return;
  Guarded<std::int8_t> in_place(wanted.size());
  std::copy(a.begin(), a.end(), in_place.data());
  run(shape.axes, in_place.data(), b.data(), in_place.data());
  EXPECT_EQ(in_place.values(), wanted);
}

TEST(Elementwise, BroadcastEqualsTheDefinition) {  // T31: any rank from 0 to 6
  Random random(13);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    const Broadcast shape(random);
    const auto a = codes(static_cast<std::size_t>(shape.elements0), all_data[i % 5], random), b = codes(static_cast<std::size_t>(shape.elements1), Data::Uniform, random);
    const auto add = random_sum(random);
    const Mul mul{3, -5, 7, 1 << 30, -6, -128, 127};
    constexpr auto R = Rounding::Double;
    expect_broadcast(shape, a, b, [&](auto x, auto y) { return exact_sum<R>(add, 1, x, y); }, [&](auto&&... arguments) { add_broadcast<R>(add, arguments...); });
    expect_broadcast(shape, a, b, [&](auto x, auto y) { return exact_sum<R>(add, -1, x, y); }, [&](auto&&... arguments) { sub_broadcast<R>(add, arguments...); });
    expect_broadcast(shape, a, b, [&](auto x, auto y) { return exact_product<R>(mul, x, y); }, [&](auto&&... arguments) { mul_broadcast<R>(mul, arguments...); });
    expect_broadcast(shape, a, b, [](auto x, auto y) { return std::max(x, y); }, [](auto&&... arguments) { maximum_broadcast(arguments...); });
    expect_broadcast(shape, a, b, [](auto x, auto y) { return std::min(x, y); }, [](auto&&... arguments) { minimum_broadcast(arguments...); });
    if (HasFailure()) return;
  }
}

TEST(Elementwise, SubtractionKeepsItsOrder) {  // N13: x[1, 2, 2, 3] − c[3] and c − x; scales 1/2 and 1/4, output 1/4
  const Elementwise spread{4, {1, 2, 2, 3}, {12, 6, 3, 1}, {0, 0, 0, 1}}, turned{4, {1, 2, 2, 3}, {0, 0, 0, 1}, {12, 6, 3, 1}};
  // twice the larger scale is 1: operand multipliers 1/2 and 1/4, output 1 / (2^20 · 1/4) = 2^-18.
  const Sub halves_first{20, 0, 1 << 30, 0, 0, 1 << 30, -1, 0, 1 << 30, -17, -128, 127}, quarters_first{20, 0, 1 << 30, -1, 0, 1 << 30, 0, 0, 1 << 30, -17, -128, 127};
  const Codes x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, c = {1, 2, 40};
  const Codes difference = {1, 2, -34, 7, 8, -28, 13, 14, -22, 19, 20, -16};  // 2x − c
  Codes output(12), negative(12);
  sub_broadcast<Rounding::Double>(halves_first, spread, x.data(), c.data(), output.data());
  EXPECT_EQ(output, difference);
  sub_broadcast<Rounding::Double>(quarters_first, turned, c.data(), x.data(), negative.data());
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(negative[i], -difference[i]);
}

TEST(Elementwise, LookupReadsBothEndsOfTheTable) {
  Codes table(256);
  for (int i = 0; i < 256; ++i) table[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(127 - i);
  Codes values = {-128, 127, 0, -1};
  lookup(table.data(), 4, values.data(), values.data());
  EXPECT_EQ(values, (Codes{127, -128, -1, 0}));
}

TEST(Elementwise, ClampAndRescaleInPlace) {
  Codes values(256), clamped(256), rescaled(256);
  const Rescale grids{-3, 1518500250, -1, 9, -100, 90};
  for (int i = 0; i < 256; ++i) {
    const auto at = static_cast<std::size_t>(i);
    values[at] = static_cast<std::int8_t>(i - 128);
    clamped[at] = static_cast<std::int8_t>(std::clamp(i - 128, -7, 33));
    rescaled[at] = exact_code(Rounding::Double, i - 128 + 3, 1518500250, -1, 9, -100, 90);
  }
  auto again = values;
  clamp(256, -7, 33, values.data(), values.data());
  EXPECT_EQ(values, clamped);
  rescale<Rounding::Double>(grids, 256, again.data(), again.data());
  EXPECT_EQ(again, rescaled);
}

}  // namespace
}  // namespace corten::rt::test
