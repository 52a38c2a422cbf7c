// SPDX-License-Identifier: Apache-2.0
// Every case emitted and run, byte for byte what the integer interpreter computes: on each simulated core, and on this
// machine under AddressSanitizer and UndefinedBehaviorSanitizer.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/board.h"
#include "tests/executors/programs.h"

namespace corten::test {
namespace {

class cores : public ::testing::TestWithParam<const Core*> {};

/// Programs made for one core may run on another: the host emulates the DSP extension.
void expect_exact_on(const Core& core, std::span<const Lowered> all, const Core& made_for, const BuildOptions& options = {}) {
  const auto made = bundles(all, made_for, {});
  ASSERT_TRUE(made.ok()) << made.diagnostics().front().message;
  const auto runs = run(*made, core, options);
  ASSERT_TRUE(runs.ok()) << runs.diagnostics().front().message << "\n" << runs.diagnostics().front().help;
  for (std::size_t i = 0; i < runs->size(); ++i) expect_exact((*made)[i], (*runs)[i]);
}

/// Every fourth case, so that all files of cases have their share.
std::vector<Lowered> some(const std::vector<Lowered>& all) {
  std::vector<Lowered> result;
  for (std::size_t i = 0; i < all.size(); i += 4) result.push_back(all[i]);
  return result;
}

TEST_P(cores, compute_what_the_interpreter_computes) { expect_exact_on(*GetParam(), lowered_cases(Rounding::Double), *GetParam()); }
TEST_P(cores, round_once_where_told_to) { expect_exact_on(*GetParam(), some(lowered_cases(Rounding::Single)), *GetParam()); }

INSTANTIATE_TEST_SUITE_P(every, cores, ::testing::ValuesIn(simulated_cores()), [](const auto& info) {
  std::string name(info.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

void expect_exact_on_host(std::span<const Lowered> all, const Core& made_for) {
  expect_exact_on(*find_core("host"), all, made_for, {.optimization = "-O0", .sanitize = true, .host_kernels = made_for.isa});
}

TEST(host, computes_what_the_interpreter_computes) { expect_exact_on_host(lowered_cases(Rounding::Double), *find_core("host")); }
TEST(host, computes_the_same_with_dsp_kernels) { expect_exact_on_host(lowered_cases(Rounding::Double), *find_core("cortex-m4")); }
TEST(host, rounds_once_where_told_to) { expect_exact_on_host(some(lowered_cases(Rounding::Single)), *find_core("host")); }

}  // namespace
}  // namespace corten::test
