// SPDX-License-Identifier: Apache-2.0
// Source graphs and quantized graphs of a few nodes, written by hand in tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compiler/interpret/interpret.h"
#include "compiler/ops/import.h"

namespace corten::test {

using Arguments = std::vector<std::pair<std::string, SourceArgument>>;

inline SourceRef ref(std::string name) { return {std::move(name)}; }

/// A source graph whose nodes have one output each, named after the node.
class SourceBuilder {
 public:
  SourceBuilder() { source_.name = "net"; }
  SourceBuilder& input(const std::string& name, Shape shape) {
    source_.inputs.push_back({name, Element::F32, std::move(shape)});
    return *this;
  }
  template <class T = float>
  SourceBuilder& constant(const std::string& name, Shape shape, const std::vector<T>& values, Element element = Element::F32) {
    source_.constants.push_back({name, Tensor::of<T>(element, std::move(shape), values), {"net.pt2", name, "", "", ""}});
    return *this;
  }
  SourceBuilder& node(const std::string& name, const std::string& target, Arguments arguments) {
    source_.nodes.push_back({target, std::move(arguments), {name}, {"net.pt2", name, target, "", ""}});
    source_.outputs = {name};
    return *this;
  }
  Result<Graph> import() const { return import_graph(source_); }

  /// Output of the last node on float inputs in the graph's layout.
  Tensor run(const std::vector<std::vector<float>>& inputs) const {
    auto graph = import();
    if (!graph) {
      ADD_FAILURE() << graph.diagnostics().front().message;
      return {};
    }
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back(Tensor::of<float>(Element::F32, graph->type(graph->inputs[i]).shape, inputs[i]));
    auto outputs = interpret(*graph, tensors);
    if (!outputs) {
      ADD_FAILURE() << outputs.diagnostics().front().message;
      return {};
    }
    return outputs->front();
  }
  /// What the import complains about first, help behind " / ".
  std::string problem() const {
    const auto graph = import();
    return graph ? "" : graph.diagnostics().front().message + " / " + graph.diagnostics().front().help;
  }

 private:
  SourceGraph source_;
};

template <class T>
std::vector<T> values(const Tensor& tensor) {
  const auto all = tensor.as<T>();
  return {all.begin(), all.end()};
}

/// One quantized operator: values get their types by hand, as the quantizer gives them.
class QuantizedNode {
 public:
  QuantizedNode() { graph_.name = "net"; }
  ValueId input(Shape shape, Quantization q) {
    const auto id = value({Element::I8, std::move(shape), std::move(q)}, nullptr);
    graph_.inputs.push_back(id);
    return id;
  }
  template <class T>
  ValueId constant(Element element, Shape shape, const std::vector<T>& values, std::optional<Quantization> q) {
    auto tensor = std::make_shared<const Tensor>(Tensor::of<T>(element, shape, values));
    return value({element, std::move(shape), std::move(q)}, std::move(tensor));
  }
  Graph& graph() { return graph_; }

  /// The graph of one node, lowered; `output` is the quantization of its result.
  Result<Graph> lowered(std::string_view name, ParametersPtr parameters, std::vector<ValueId> inputs, Quantization output) {
    Node node{"layer", &op(name), std::move(parameters), std::move(inputs), {}, {}};
    CORTEN_TRY(auto types, node.op->infer(Call(graph_, node)));
    types[0].quantization = std::move(output);
    node.outputs = {value(types[0], nullptr)};
    graph_.nodes = {node};
    graph_.outputs = node.outputs;
    graph_.stage = Stage::Folded;
    Patch patch(graph_, "lower");
    CORTEN_CHECK(node.op->lower(Call(graph_, node), patch));
    patch.apply();
    graph_.stage = Stage::Integer;
    return graph_;
  }

 private:
  ValueId value(Type type, std::shared_ptr<const Tensor> constant) {
    graph_.values.push_back({"v" + std::to_string(graph_.values.size()), std::move(type), std::move(constant)});
    return static_cast<ValueId>(graph_.values.size() - 1);
  }
  Graph graph_;
};

/// Output codes of a lowered graph.
inline std::vector<std::int8_t> codes(const Result<Graph>& graph, const std::vector<std::vector<std::int8_t>>& inputs) {
  if (!graph) {
    ADD_FAILURE() << graph.diagnostics().front().message;
    return {};
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back(Tensor::of<std::int8_t>(Element::I8, graph->type(graph->inputs[i]).shape, inputs[i]));
  auto outputs = interpret(*graph, tensors);
  if (!outputs) {
    ADD_FAILURE() << outputs.diagnostics().front().message;
    return {};
  }
  return values<std::int8_t>(outputs->front());
}

/// real as mantissa · 2^31 and exponent, by long double, and the product v · real rounded twice, by masks and remainders:
/// an independent writing of what the compiler's fixed point does.
struct ExactScale {
  std::int64_t multiplier;
  int shift;
  explicit ExactScale(double real) {
    const long double mantissa = std::frexp(static_cast<long double>(real), &shift);
    multiplier = static_cast<std::int64_t>(std::floor(mantissa * 2147483648.0L + 0.5L));
    if (multiplier == 2147483648LL) multiplier /= 2, ++shift;
  }
  std::int64_t operator()(std::int64_t value) const {
    const std::int64_t product = (shift > 0 ? value * (std::int64_t{1} << shift) : value) * multiplier;
    const auto high = (product + (std::int64_t{1} << 30)) >> 31;
    if (shift >= 0) return high;
    const auto mask = (std::int64_t{1} << -shift) - 1, remainder = high & mask, threshold = (mask >> 1) + (high < 0 ? 1 : 0);
    return (high >> -shift) + (remainder > threshold ? 1 : 0);
  }
};

inline std::int8_t saturated(std::int64_t code, std::int64_t low = -128, std::int64_t high = 127) {
  return static_cast<std::int8_t>(std::clamp(code, low, high));
}

/// Fixed pseudo-random codes.
inline std::vector<std::int8_t> random_codes(std::size_t count, std::uint32_t seed) {
  std::vector<std::int8_t> result;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    result.push_back(static_cast<std::int8_t>(seed >> 24));
  }
  return result;
}

}  // namespace corten::test
