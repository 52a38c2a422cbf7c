// SPDX-License-Identifier: Apache-2.0
// Every case on the host: the float graph before and after clean-up, the quantized graph beside the integer one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/interpret/interpret.h"
#include "compiler/ir/text.h"
#include "tests/executors/bring.h"

namespace corten::test {

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

namespace {

class stages : public ::testing::TestWithParam<Case> {};

std::string told(const Diagnostics& diagnostics) { return diagnostics.front().message + " / " + diagnostics.front().help; }

float largest(std::span<const float> values) {
  float result = 0;
  for (float value : values) result = std::max(result, std::abs(value));
  return result;
}

void expect_close(const Tensor& expected, const Tensor& actual) {
  ASSERT_EQ(expected.shape, actual.shape);
  const auto a = expected.as<float>(), b = actual.as<float>();
  const float tolerance = 1e-5f * largest(a) + 1e-30f;
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "element " << i;
}

int distance(const Tensor& a, const Tensor& b) {
  const auto x = a.as<std::int8_t>(), y = b.as<std::int8_t>();
  int result = 0;
  for (std::size_t i = 0; i < x.size(); ++i) result = std::max(result, std::abs(x[i] - y[i]));
  return result;
}

TEST_P(stages, clean_up_keeps_the_floats) {
  const auto& one = GetParam();
  const auto brought = bring(one, Rounding::Double);
  ASSERT_TRUE(brought.ok()) << told(brought.diagnostics());
  for (const auto& sample : real_samples(one.network, brought->imported, 3)) {
    const auto before = interpret(brought->imported, sample), after = interpret(brought->cleaned, sample);
    ASSERT_TRUE(before.ok() && after.ok());
    ASSERT_EQ(before->size(), after->size());
    for (std::size_t i = 0; i < before->size(); ++i) expect_close((*before)[i], (*after)[i]);
  }
}

TEST_P(stages, integers_stay_beside_the_quantized_floats) {
  const auto& one = GetParam();
  for (const auto rounding : {Rounding::Double, Rounding::Single}) {
    const auto brought = bring(one, rounding);
    ASSERT_TRUE(brought.ok()) << told(brought.diagnostics());
    for (const auto& sample : code_samples(brought->integer)) {
      const auto folded = interpret(brought->folded, sample), integer = interpret(brought->integer, sample);
      ASSERT_TRUE(folded.ok()) << told(folded.diagnostics());
      ASSERT_TRUE(integer.ok()) << told(integer.diagnostics());
      ASSERT_EQ(folded->size(), integer->size());
      for (std::size_t i = 0; i < folded->size(); ++i) {
        ASSERT_EQ((*folded)[i].shape, (*integer)[i].shape);
        EXPECT_LE(distance((*folded)[i], (*integer)[i]), one.steps) << "output " << i << " of\n" << print(brought->integer).text;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(every, stages, ::testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace corten::test
