// SPDX-License-Identifier: Apache-2.0
// Every case emitted and run on each simulated core, byte for byte what the integer interpreter computes.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/board.h"
#include "tests/executors/programs.h"

namespace corten::test {
namespace {

class cores : public ::testing::TestWithParam<const Core*> {};

void expect_exact_on(const Core& core, std::span<const Lowered> all, const BuildOptions& options = {}) {
  const auto made = bundles(all, core, {});
  ASSERT_TRUE(made.ok()) << made.diagnostics().front().message;
  const auto runs = run(*made, core, options);
  ASSERT_TRUE(runs.ok()) << runs.diagnostics().front().message << "\n" << runs.diagnostics().front().help;
  for (std::size_t i = 0; i < runs->size(); ++i) expect_exact((*made)[i], (*runs)[i]);
}

TEST_P(cores, compute_what_the_interpreter_computes) { expect_exact_on(*GetParam(), lowered_cases(Rounding::Double)); }

INSTANTIATE_TEST_SUITE_P(every, cores, ::testing::ValuesIn(simulated_cores()), [](const auto& info) {
  std::string name(info.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace corten::test
