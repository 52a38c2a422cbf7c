// SPDX-License-Identifier: Apache-2.0
// The only way a graph changes: rewrites are collected under a rule's name and applied together.
#pragma once
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace corten {

/// Collects new nodes and replacements against one graph. Nothing shows in the graph's nodes until apply().
/// New values are visible at once, so that a rewrite can chain.
class Patch {
 public:
  Patch(Graph& graph, std::string rule) : graph_(graph), rule_(std::move(rule)) {}

  /// New nodes take the place of node `index` in the execution order; the default is the end.
  Patch& at(int index) {
    anchor_ = index;
    return *this;
  }

  ValueId constant(const std::string& name, Tensor tensor, std::optional<Quantization> quantization = {}, std::vector<Origin> origins = {});

  /// A node whose output types follow from the operator; output values are named after the node.
  /// Fails when the operator doesn't accept its inputs.
  Result<std::vector<ValueId>> node(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs, const std::string& name,
                                    std::vector<Origin> origins);
  /// The same for operators with one output.
  Result<ValueId> value(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs, const std::string& name,
                        std::vector<Origin> origins);

  /// Readers of `old` (and the graph's outputs) read `with` instead, and so do nodes added from now on.
  /// Nodes added before keep reading `old`.
  void replace(ValueId old, ValueId with) { replacements_[old] = with; }
  /// What stands for `id` after the replacements so far.
  ValueId now(ValueId id) const;
  /// One input of an existing node reads another value.
  void set_input(int node, std::size_t input, ValueId with) { inputs_.push_back({node, input, with}); }
  void set_parameters(int node, ParametersPtr parameters) { parameters_.emplace_back(node, std::move(parameters)); }
  void set_type(ValueId value, Type type) { graph_.value(value).type = std::move(type); }
  void set_graph_input(std::size_t index, ValueId value) { graph_.inputs[index] = value; }
  void set_graph_output(std::size_t index, ValueId value) { graph_.outputs[index] = value; }

  bool empty() const { return added_.empty() && replacements_.empty() && inputs_.empty() && parameters_.empty(); }
  const std::string& rule() const { return rule_; }
  Graph& graph() { return graph_; }

  /// Carries everything out: replaces, orders, and drops what no output needs.
  void apply();

 private:
  struct Added {
    int anchor;
    Node node;
  };
  struct Input {
    int node;
    std::size_t input;
    ValueId with;
  };
  Graph& graph_;
  std::string rule_;
  int anchor_ = std::numeric_limits<int>::max();
  std::vector<Added> added_;
  std::map<ValueId, ValueId> replacements_;
  std::vector<Input> inputs_;
  std::vector<std::pair<int, ParametersPtr>> parameters_;
};

/// A name not yet taken by a value (or node) of the graph: `base`, `base_1`, `base_2` …
std::string unique_value_name(const Graph& graph, const std::string& base);
std::string unique_node_name(const Graph& graph, const std::string& base);

/// Drops nodes and values that no output needs; graph inputs stay. Values are renumbered.
void remove_dead(Graph& graph);

}  // namespace corten
