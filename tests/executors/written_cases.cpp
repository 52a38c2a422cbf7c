// SPDX-License-Identifier: Apache-2.0
// Writes all cases with inputs and float outputs for tests/python/test_cases.py, which asks PyTorch what they mean.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "compiler/interpret/interpret.h"
#include "compiler/ops/import.h"
#include "tests/executors/bring.h"

namespace corten::test {
namespace {

template <class T>
std::string json_list(const T& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

struct ArgumentWriter {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(const SourceRef& tensor) const { return fmt::format(R"({{"tensor": "{}"}})", tensor.name); }
  std::string operator()(const std::vector<SourceRef>& tensors) const {
    std::vector<std::string> names;
    for (const auto& tensor : tensors) names.push_back((*this)(tensor));
    return json_list(names);
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& text) const { return fmt::format(R"("{}")", text); }
  std::string operator()(Element element) const { return fmt::format(R"("{}")", to_string(element)); }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  template <class T>
  std::string operator()(const std::vector<T>& values) const { return json_list(std::vector<T>(values)); }
};

/// A tensor as it lies; axis i is the framework's axis order[i].
std::string json(const Tensor& tensor, const std::vector<int>& order = {}) {
  return fmt::format(R"({{"shape": {}, "order": {}, "values": {}}})", json_list(tensor.shape), json_list(order), json_list(tensor.as<float>()));
}

std::string json(const SourceNode& node) {
  std::vector<std::string> arguments, outputs;
  for (const auto& [name, value] : node.arguments) arguments.push_back(fmt::format(R"("{}": {})", name, std::visit(ArgumentWriter{}, value)));
  for (const auto& name : node.outputs) outputs.push_back(fmt::format(R"("{}")", name));
  return fmt::format(R"({{"target": "{}", "arguments": {{{}}}, "outputs": {}}})", node.target, fmt::join(arguments, ", "), json_list(outputs));
}

const std::vector<int>& order_of(const std::vector<std::vector<int>>& orders, std::size_t i) {
  static const std::vector<int> framework;
  return i < orders.size() ? orders[i] : framework;
}

std::string json(const Case& one, const Graph& graph, const Sample& inputs, const std::vector<Tensor>& outputs) {
  const auto& source = one.network.source();
  std::vector<std::string> values, nodes, results;
  for (std::size_t i = 0; i < inputs.size(); ++i) values.push_back(fmt::format(R"("{}": {})", source.inputs[i].name, json(inputs[i], order_of(graph.input_orders, i))));
  for (const auto& constant : source.constants) values.push_back(fmt::format(R"("{}": {})", constant.name, json(constant.tensor)));
  for (const auto& node : source.nodes) nodes.push_back(json(node));
  for (std::size_t i = 0; i < outputs.size(); ++i) results.push_back(fmt::format(R"("{}": {})", source.outputs[i], json(outputs[i], order_of(graph.output_orders, i))));
  return fmt::format("{{\"name\": \"{}\", \"values\": {{{}}},\n \"nodes\": {},\n \"outputs\": {{{}}}}}", one.name, fmt::join(values, ", "), json_list(nodes), fmt::join(results, ", "));
}

TEST(cases, are_written_for_torch) {
  const char* path = std::getenv("CORTEN_WRITE_CASES");
  if (!path) GTEST_SKIP() << "tests/python/test_cases.py says where to";
  std::vector<std::string> all;
  for (const auto& one : cases()) {
    const auto graph = import_graph(one.network.source());
    ASSERT_TRUE(graph.ok()) << one.name;
    const auto sample = real_samples(one.network, *graph, 1).front();
    const auto outputs = interpret(*graph, sample);
    ASSERT_TRUE(outputs.ok()) << one.name;
    all.push_back(json(one, *graph, sample, *outputs));
  }
  std::ofstream(path) << "[\n" << fmt::format("{}", fmt::join(all, ",\n")) << "\n]\n";
}

}  // namespace
}  // namespace corten::test
