// SPDX-License-Identifier: Apache-2.0
// Replays plans of random programs on an arena whose every byte remembers what was last written there.
#include "compiler/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/plan/random_program.h"

namespace corten {
namespace {

using test::random_program;
using test::RandomProgram;

/// What one byte of the arena holds: a value's content, or one of these.
constexpr int nothing = -1, garbage = -2;

class Replay {
 public:
  Replay(const RandomProgram& program, const Plan& plan)
      : graph_(program.graph), layers_(program.layers), plan_(plan), arena_(static_cast<std::size_t>(plan.arena_bytes), nothing), content_(graph_.values.size()) {
    std::iota(content_.begin(), content_.end(), 0);
  }

  void run() {
    for (auto id : graph_.inputs) write(id);
    for (auto id : graph_.inputs) expect_whole(id, "before the first node");
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) run_node(n);
    for (auto id : graph_.outputs) expect_whole(id, "at the end");
  }

  void expect_whole(ValueId id, const std::string& when) const {
    const auto begin = plan_.offset(id), end = begin + bytes(id);
    ASSERT_GE(begin, 0);
    ASSERT_LE(end, plan_.arena_bytes);
    for (auto at = begin; at < end; ++at) ASSERT_EQ(arena_[static_cast<std::size_t>(at)], content_[static_cast<std::size_t>(id)]) << graph_.value(id).name << " " << when << ", byte " << at;
  }

 private:
  std::int64_t bytes(ValueId id) const { return static_cast<std::int64_t>(byte_size(graph_.type(id))); }
  bool lives_in_arena(ValueId id) const { return id != no_value && !graph_.value(id).constant; }

  void write(ValueId id) { fill(plan_.offset(id), bytes(id), content_[static_cast<std::size_t>(id)]); }
  void fill(std::int64_t offset, std::int64_t count, int tag) {
    ASSERT_LE(offset + count, plan_.arena_bytes);
    std::fill_n(arena_.begin() + offset, count, tag);
  }

  void run_node(std::size_t n) {
    const auto& node = graph_.nodes[n];
    const auto when = "read by " + node.name;
    const int buffer = plan_.scratch_of_node[n];
    ASSERT_EQ(buffer >= 0, layers_[n].scratch_bytes > 0);
    const auto scratch = buffer < 0 ? Buffer{} : plan_.buffers[static_cast<std::size_t>(buffer)];
    fill(scratch.offset_bytes, layers_[n].scratch_bytes, garbage);
    for (auto id : node.inputs)
      if (lives_in_arena(id)) expect_whole(id, when);
    const auto output = node.outputs[0];
    if (node.op->alias() && lives_in_arena(node.inputs[0])) {
      ASSERT_EQ(plan_.offset(output), plan_.offset(node.inputs[0]));
      content_[static_cast<std::size_t>(output)] = content_[static_cast<std::size_t>(node.inputs[0])];
      return;
    }
    expect_legal_sharing(node);
    write(output);
    for (auto at = scratch.offset_bytes; at < scratch.offset_bytes + layers_[n].scratch_bytes; ++at) ASSERT_EQ(arena_[static_cast<std::size_t>(at)], garbage) << node.name << " writes over its scratch";
  }

  bool overlap(ValueId a, ValueId b) const { return plan_.offset(a) < plan_.offset(b) + bytes(b) && plan_.offset(b) < plan_.offset(a) + bytes(a); }

  /// An output may lie on an input only where the operator allows it, and then exactly.
  void expect_legal_sharing(const Node& node) const {
    const auto allowed = node.op->in_place_inputs(Call(graph_, node));
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto input = node.inputs[i], output = node.outputs[0];
      if (!lives_in_arena(input) || !overlap(input, output)) continue;
      const bool same_value_allowed = std::any_of(allowed.begin(), allowed.end(), [&](int k) { return content_of(node.inputs[static_cast<std::size_t>(k)]) == content_of(input); });
      EXPECT_TRUE(same_value_allowed) << node.name << " overwrites input " << i;
      EXPECT_EQ(plan_.offset(input), plan_.offset(output)) << node.name;
      EXPECT_EQ(bytes(input), bytes(output)) << node.name;
    }
  }

  int content_of(ValueId id) const { return content_[static_cast<std::size_t>(id)]; }

  const Graph& graph_;
  const std::vector<Layer>& layers_;
  const Plan& plan_;
  std::vector<int> arena_;
  std::vector<int> content_;
};

std::int64_t largest_sum(const Plan& plan, int steps) {
  std::int64_t most = 0;
  for (int step = -1; step <= steps; ++step) {
    std::int64_t sum = 0;
    for (const auto& buffer : plan.buffers) sum += buffer.first <= step && step <= buffer.last ? buffer.bytes : 0;
    most = std::max(most, sum);
  }
  return most;
}

void expect_sound_numbers(const Plan& plan, int steps) {
  std::int64_t end = 0;
  for (const auto& buffer : plan.buffers) {
    EXPECT_EQ(buffer.offset_bytes % arena_alignment, 0);
    end = std::max(end, buffer.offset_bytes + buffer.bytes);
  }
  EXPECT_EQ(plan.arena_bytes, end);
  EXPECT_EQ(plan.arena_bytes % arena_alignment, 0);
  EXPECT_EQ(plan.lower_bound_bytes, largest_sum(plan, steps));
  EXPECT_GE(plan.arena_bytes, plan.lower_bound_bytes);
}

std::uint64_t seeds() {
  const char* text = std::getenv("CORTEN_SEEDS");
  return text ? std::strtoull(text, nullptr, 10) : 2000;
}

class PlanOfRandomPrograms : public testing::TestWithParam<PlanOptions> {};

TEST_P(PlanOfRandomPrograms, KeepsEveryValueUntilItsLastReader) {
  for (std::uint64_t seed = 0; seed < seeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, seed % 4 ? 12 : 60);
    const auto result = plan(program.graph, program.layers, GetParam());
    expect_sound_numbers(result, static_cast<int>(program.graph.nodes.size()));
    Replay replay(program, result);
    replay.run();
    if (GetParam().keep_input)
      for (auto id : program.graph.inputs) replay.expect_whole(id, "kept");
    if (GetParam().keep_intermediates)
      for (std::size_t v = 0; v < program.graph.values.size(); ++v)
        if (result.buffer_of_value[v] >= 0) replay.expect_whole(static_cast<ValueId>(v), "kept");
  }
}

INSTANTIATE_TEST_SUITE_P(Options, PlanOfRandomPrograms,
                         testing::Values(PlanOptions{}, PlanOptions{.keep_input = true, .keep_intermediates = false}, PlanOptions{.keep_input = false, .keep_intermediates = true},
                                         PlanOptions{.keep_input = true, .keep_intermediates = true}),
                         [](const auto& info) { return std::string(info.param.keep_input ? "keep_input" : "plain") + (info.param.keep_intermediates ? "_keep_intermediates" : ""); });

TEST(Plan, IsTheSameEveryTime) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto program = random_program(seed, 20);
    const auto a = plan(program.graph, program.layers, {}), b = plan(program.graph, program.layers, {});
    ASSERT_EQ(a.buffers.size(), b.buffers.size());
    for (std::size_t i = 0; i < a.buffers.size(); ++i) ASSERT_EQ(a.buffers[i].offset_bytes, b.buffers[i].offset_bytes) << "seed " << seed;
  }
}

// ---- the gap to the best ---------------------------------------------------------------------------------------------

/// Arena when buffers are put at the lowest free place in `order`.
std::int64_t lowest_fit(const std::vector<Buffer>& buffers, const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> offset(buffers.size(), -1);
  std::int64_t arena = 0;
  for (auto b : order) {
    std::int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t o = 0; o < buffers.size(); ++o) {
        const bool together = offset[o] >= 0 && o != b && buffers[o].first <= buffers[b].last && buffers[b].first <= buffers[o].last;
        if (!together || at + buffers[b].bytes <= offset[o] || offset[o] + buffers[o].bytes <= at) continue;
        at = offset[o] + buffers[o].bytes;
        moved = true;
      }
    }
    offset[b] = at;
    arena = std::max(arena, at + buffers[b].bytes);
  }
  return arena;
}

/// Every placement can be pushed down into a lowest fit in the order of its offsets, so the best order gives the best arena.
std::int64_t best_arena(const std::vector<Buffer>& buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  auto best = lowest_fit(buffers, order);
  while (std::next_permutation(order.begin(), order.end())) best = std::min(best, lowest_fit(buffers, order));
  return best;
}

TEST(Plan, ComesCloseToTheBestOnTinyPrograms) {
  int programs = 0, best = 0;
  double worst = 1;
  for (std::uint64_t seed = 0; programs < 300; ++seed) {
    const auto program = random_program(seed + 50000, 6);
    const auto found = plan(program.graph, program.layers, {});
    if (found.buffers.size() < 3 || found.buffers.size() > 7) continue;
    const auto optimum = best_arena(found.buffers);
    ASSERT_GE(found.arena_bytes, optimum) << "seed " << seed;
    ++programs;
    best += found.arena_bytes == optimum;
    worst = std::max(worst, static_cast<double>(found.arena_bytes) / static_cast<double>(optimum));
  }
  RecordProperty("best_of_300", best);
  RecordProperty("worst_ratio", std::to_string(worst));
  EXPECT_GE(best, 295);
  EXPECT_LE(worst, 1.25);
}

// ---- what the options promise ----------------------------------------------------------------------------------------

Graph chain_of_clamps() {
  Graph graph;
  graph.values = {{"x", {Element::I8, {100}, {}}}, {"a", {Element::I8, {100}, {}}}, {"y", {Element::I8, {100}, {}}}};
  FieldReader defaults({});
  for (ValueId id : {0, 1}) graph.nodes.push_back({"n", &op("cortex_m.clamp"), op("cortex_m.clamp").parse_parameters(defaults), {id}, {id + 1}, {}});
  graph.inputs = {0}, graph.outputs = {2};
  return graph;
}

TEST(Plan, WorksInPlaceUnlessTheInputIsKept) {
  const auto graph = chain_of_clamps();
  const std::vector<Layer> layers(2);
  EXPECT_EQ(plan(graph, layers, {}).arena_bytes, 112);
  EXPECT_EQ(plan(graph, layers, {.keep_input = true, .keep_intermediates = false}).arena_bytes, 224);
  EXPECT_EQ(plan(graph, layers, {.keep_input = false, .keep_intermediates = true}).arena_bytes, 336);
}

TEST(Plan, AValueThatIsAnOutputIsNotOverwritten) {
  auto graph = chain_of_clamps();
  graph.outputs = {1, 2};
  const auto result = plan(graph, std::vector<Layer>(2), {});
  EXPECT_EQ(result.arena_bytes, 224);
  EXPECT_NE(result.offset(1), result.offset(2));
}

TEST(Plan, ScratchLivesForOneStep) {
  std::vector<Layer> layers(2);
  layers[0].scratch_bytes = 1, layers[1].scratch_bytes = 30;
  const auto result = plan(chain_of_clamps(), layers, {});
  EXPECT_EQ(result.arena_bytes, 112 + 32);
  EXPECT_EQ(result.lower_bound_bytes, 112 + 32);
}

}  // namespace
}  // namespace corten
