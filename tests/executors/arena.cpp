// SPDX-License-Identifier: Apache-2.0
// Where values lie while a program runs: kept intermediates, the kept input, the planner's bound, the same bytes each time.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/interpret/interpret.h"
#include "tests/executors/programs.h"

namespace corten::test {
namespace {

const Core& core() { return *find_core("host"); }

/// What programs planned in this way did, with their arenas.
struct Dumped {
  std::vector<Bundle> all;
  std::vector<Run> runs;
};

Result<Dumped> dumped(const PlanOptions& options) {
  Dumped result;
  CORTEN_TRY(result.all, bundles(lowered_cases(Rounding::Double), core(), options));
  CORTEN_TRY(result.runs, run(result.all, core(), {.optimization = "-O0"}, {.dump_arena = true}));
  return result;
}

TEST(arena, keeps_every_value_when_told_to) {
  const auto kept = dumped({.keep_intermediates = true});
  ASSERT_TRUE(kept.ok()) << kept.diagnostics().front().message;
  for (std::size_t i = 0; i < kept->all.size(); ++i) {
    expect_exact(kept->all[i], kept->runs[i]);
    expect_exact_arena(kept->all[i], kept->runs[i]);
  }
}

TEST(arena, keeps_the_input_when_told_to) {
  const auto kept = dumped({.keep_input = true});
  ASSERT_TRUE(kept.ok()) << kept.diagnostics().front().message;
  for (std::size_t i = 0; i < kept->all.size(); ++i) {
    expect_exact(kept->all[i], kept->runs[i]);
    expect_inputs_kept(kept->all[i], kept->runs[i]);
  }
}

TEST(arena, is_no_smaller_than_what_is_in_use_at_once) {
  const auto all = bundles(lowered_cases(Rounding::Double), core(), {});
  ASSERT_TRUE(all.ok());
  for (const auto& bundle : *all) {
    const auto& plan = bundle.program.plan;
    EXPECT_LE(plan.lower_bound_bytes, plan.arena_bytes) << bundle.program.graph.name;
    EXPECT_LE(plan.arena_bytes, plan.lower_bound_bytes + plan.lower_bound_bytes / 4) << bundle.program.graph.name;
    EXPECT_EQ(plan.arena_bytes % arena_alignment, 0);
  }
}

TEST(arena, overlaps_no_buffers_in_use_at_the_same_step) {
  const auto all = bundles(lowered_cases(Rounding::Double), core(), {});
  ASSERT_TRUE(all.ok());
  for (const auto& bundle : *all) {
    const auto& buffers = bundle.program.plan.buffers;
    for (std::size_t a = 0; a < buffers.size(); ++a)
      for (std::size_t b = a + 1; b < buffers.size(); ++b) {
        const auto &x = buffers[a], &y = buffers[b];
        const bool in_time = x.first <= y.last && y.first <= x.last;
        const bool in_space = x.offset_bytes < y.offset_bytes + y.bytes && y.offset_bytes < x.offset_bytes + x.bytes;
        EXPECT_FALSE(in_time && in_space) << bundle.program.graph.name << ": buffers " << a << " and " << b;
      }
  }
}

TEST(emission, gives_the_same_bytes_each_time) {
  std::vector<Lowered> again;
  for (const auto& one : lowered_cases(Rounding::Double)) {
    auto stages = bring(*one.of, Rounding::Double);
    ASSERT_TRUE(stages.ok());
    again.push_back({one.of, std::move(stages->integer)});
  }
  const auto first = bundles(lowered_cases(Rounding::Double), core(), {}), second = bundles(again, core(), {});
  ASSERT_TRUE(first.ok() && second.ok());
  for (std::size_t i = 0; i < first->size(); ++i) EXPECT_EQ(emit((*first)[i].program, true), emit((*second)[i].program, true));
}

}  // namespace
}  // namespace corten::test
