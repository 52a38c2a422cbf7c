// SPDX-License-Identifier: Apache-2.0
// Builds and runs bundles of cases.
#include "tests/executors/programs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/compile.h"
#include "compiler/interpret/interpret.h"
#include "tests/support/temporary_folder.h"

namespace corten::test {
namespace {

constexpr std::size_t cases_per_program = 40;

/// Samples of all cases side by side, as the merged graph takes them.
std::vector<Sample> merged_samples(const Bundle& bundle) {
  std::vector<Sample> all;
  for (const auto& one : bundle.cases) {
    const auto samples = code_samples(one.graph);
    all.resize(samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s) all[s].insert(all[s].end(), samples[s].begin(), samples[s].end());
  }
  return all;
}

std::string difference(const Tensor& expected, const Tensor& actual) {
  if (expected == actual) return {};
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = expected.bytes.size(); i-- > 0;)
    if (expected.bytes[i] != actual.bytes[i]) ++wrong, first = i;
  return std::to_string(wrong) + " of " + std::to_string(expected.bytes.size()) + " bytes differ, first " + std::to_string(first) + ": " +
         std::to_string(static_cast<std::int8_t>(actual.bytes[first])) + ", expected " + std::to_string(static_cast<std::int8_t>(expected.bytes[first]));
}

}  // namespace

Result<std::vector<Bundle>> bundles(std::span<const Lowered> all, const Core& core, const PlanOptions& options) {
  std::vector<Bundle> result;
  for (std::size_t first = 0; first < all.size(); first += cases_per_program) {
    const auto part = all.subspan(first, std::min(cases_per_program, all.size() - first));
    CORTEN_TRY(auto program, make_program(merged("bundle" + std::to_string(result.size()), part), core, options));
    result.push_back({part, std::move(program)});
  }
  return result;
}

Result<std::vector<Run>> run(const std::vector<Bundle>& all, const Core& core, const BuildOptions& build_options, const SimulateOptions& options) {
  const TemporaryFolder folder;
  std::vector<SimulatedProgram> programs;
  std::vector<std::vector<std::byte>> inputs;
  for (const auto& bundle : all) {
    const auto source = folder.path() / bundle.program.graph.name;
    CORTEN_CHECK(write_files(emit(bundle.program, true), source.string()));
    programs.push_back(describe(bundle.program, source));
    inputs.push_back(input_bytes(merged_samples(bundle)));
  }
  CORTEN_TRY(const auto elf, build(core, programs, folder.path() / "build", build_options));
  return simulate(elf, inputs, options);
}

void expect_exact(const Bundle& bundle, const Run& run) {
  const auto inferences = output_tensors(bundle.program.graph, run);
  std::size_t output = 0;
  for (const auto& one : bundle.cases) {
    const auto samples = code_samples(one.graph);
    ASSERT_EQ(inferences.size(), samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const auto expected = interpret(one.graph, samples[s]);
      ASSERT_TRUE(expected.ok());
      for (std::size_t i = 0; i < expected->size(); ++i)
        EXPECT_EQ(difference((*expected)[i], inferences[s][output + i]), "") << one.of->name << ", output " << i << " of sample " << s;
    }
    output += one.graph.outputs.size();
  }
}

void expect_exact_arena(const Bundle& bundle, const Run& run) {
  const auto& graph = bundle.program.graph;
  const auto samples = merged_samples(bundle);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto ran = interpret(graph, samples[s], [&](ValueId id, const Tensor& expected) {
      EXPECT_EQ(difference(expected, value_in_arena(bundle.program, run, id, s)), "") << graph.value(id).name << " of sample " << s;
    });
    ASSERT_TRUE(ran.ok());
  }
}

void expect_inputs_kept(const Bundle& bundle, const Run& run) {
  const auto& graph = bundle.program.graph;
  const auto samples = merged_samples(bundle);
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      EXPECT_EQ(difference(samples[s][i], value_in_arena(bundle.program, run, graph.inputs[i], s)), "") << graph.value(graph.inputs[i]).name << " of sample " << s;
}

}  // namespace corten::test
