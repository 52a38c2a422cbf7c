// SPDX-License-Identifier: Apache-2.0
// Takes cases through the compiler, and several of them into one graph.
#include "tests/executors/bring.h"

#include <algorithm>

#include "compiler/compile.h"
#include "compiler/ops/import.h"
#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

CompileOptions options_of(Rounding rounding) {
  CompileOptions options;
  options.rounding = rounding;
  return options;
}

Tensor filled(const Type& type, auto&& code) {
  Tensor tensor(type.element, type.shape);
  const auto codes = tensor.as<std::int8_t>();
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int8_t>(code(i));
  return tensor;
}

Sample sample_of(const Graph& graph, auto&& code) {
  Sample sample;
  for (auto id : graph.inputs) sample.push_back(filled(graph.type(id), code));
  return sample;
}

/// Appends a graph whose values are counted from `first` on.
void append(Graph& to, const Graph& from, const std::string& prefix) {
  const auto first = static_cast<ValueId>(to.values.size());
  const auto moved = [&](std::vector<ValueId> ids) {
    for (auto& id : ids)
      if (id != no_value) id += first;
    return ids;
  };
  for (auto value : from.values) {
    value.name = prefix + value.name;
    to.values.push_back(std::move(value));
  }
  for (auto node : from.nodes) {
    node.name = prefix + node.name;
    node.inputs = moved(node.inputs);
    node.outputs = moved(node.outputs);
    to.nodes.push_back(std::move(node));
  }
  for (auto id : moved(from.inputs)) to.inputs.push_back(id);
  for (auto id : moved(from.outputs)) to.outputs.push_back(id);
  to.input_orders.insert(to.input_orders.end(), from.input_orders.begin(), from.input_orders.end());
  to.output_orders.insert(to.output_orders.end(), from.output_orders.begin(), from.output_orders.end());
}

/// Whether a program could tell its ends apart: none stands for two.
bool distinct_ends(const Graph& graph) {
  auto ends = graph.inputs;
  ends.insert(ends.end(), graph.outputs.begin(), graph.outputs.end());
  std::ranges::sort(ends);
  return std::ranges::adjacent_find(ends) == ends.end();
}

std::vector<Lowered> lower_all(Rounding rounding) {
  std::vector<Lowered> all;
  for (const auto& one : cases())
    if (auto stages = bring(one, rounding); stages && distinct_ends(stages->integer)) all.push_back({&one, std::move(stages->integer)});
  return all;
}

}  // namespace

Result<Stages> bring(const Case& one, Rounding rounding) {
  const auto options = options_of(rounding);
  Stages stages;
  CORTEN_TRY(stages.imported, import_graph(one.network.source()));
  stages.cleaned = stages.imported;
  CORTEN_CHECK(run_passes(stages.cleaned, passes().front().name, "merge_reshapes"));
  QuantizeOptions quantizer;
  quantizer.config = one.quantizer;
  CORTEN_TRY(stages.annotated, quantize(stages.cleaned, real_samples(one.network, stages.cleaned, 4), quantizer));
  CORTEN_TRY(stages.folded, bring_to_stage(stages.annotated, Stage::Folded, options));
  CORTEN_CHECK(run_passes(stages.folded, "cut_ends", "cut_ends"));
  CORTEN_TRY(stages.integer, bring_to_stage(stages.annotated, Stage::Integer, options));
  return stages;
}

const std::vector<Lowered>& lowered_cases(Rounding rounding) {
  static const std::vector<Lowered> twice = lower_all(Rounding::Double), once = lower_all(Rounding::Single);
  return rounding == Rounding::Double ? twice : once;
}

std::vector<Sample> real_samples(const Network& network, const Graph& graph, std::size_t count) {
  std::vector<Sample> samples(count);
  Random random(static_cast<std::uint32_t>(count));
  for (auto& sample : samples)
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const auto& type = graph.type(graph.inputs[i]);
      sample.push_back(Tensor::of<float>(Element::F32, type.shape, random.reals(element_count(type.shape), network.ranges()[i].low, network.ranges()[i].high)));
    }
  return samples;
}

std::vector<Sample> code_samples(const Graph& graph) {
  Random random(7);
  std::vector<Sample> samples = {sample_of(graph, [&](std::size_t) { return static_cast<int>(random.bits() >> 16) - 128; })};
  samples.push_back(sample_of(graph, [](std::size_t) { return -128; }));
  samples.push_back(sample_of(graph, [](std::size_t) { return 127; }));
  samples.push_back(sample_of(graph, [](std::size_t i) { return i % 2 ? 127 : -128; }));
  samples.push_back(samples.front());
  return samples;
}

Graph merged(const std::string& name, std::span<const Lowered> all) {
  Graph graph;
  graph.name = name;
  graph.stage = Stage::Integer;
  graph.rounding = all.front().graph.rounding;
  for (const auto& one : all) append(graph, one.graph, one.of->name + "_");
  return graph;
}

}  // namespace corten::test
