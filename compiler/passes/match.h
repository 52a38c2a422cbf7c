// SPDX-License-Identifier: Apache-2.0
// Questions that rewrite rules ask about a graph.
#pragma once
#include <string_view>

#include "compiler/ops/operator.h"

namespace corten {

/// Who makes and who reads what, as of construction.
class Match {
 public:
  explicit Match(const Graph& graph) : graph_(graph), producers_(graph.producers()), consumers_(graph.consumers()) {}

  static bool is(const Node& node, std::string_view op) { return node.op->name() == op; }
  /// Index of the node that makes input `i` of `node` if it is an `op` (any, if empty); −1 otherwise.
  int producer(const Node& node, std::size_t i, std::string_view op = {}) const {
    if (i >= node.inputs.size() || node.inputs[i] == no_value) return -1;
    const int index = producers_[static_cast<std::size_t>(node.inputs[i])];
    return index >= 0 && (op.empty() || is(at(index), op)) ? index : -1;
  }
  const Node& at(int index) const { return graph_.nodes[static_cast<std::size_t>(index)]; }
  const std::vector<int>& consumers(ValueId id) const { return consumers_[static_cast<std::size_t>(id)]; }
  /// One reader in all, the graph's outputs included.
  bool single_use(ValueId id) const { return consumers(id).size() + (graph_.is_output(id) ? 1 : 0) == 1; }

 private:
  const Graph& graph_;
  std::vector<int> producers_;
  std::vector<std::vector<int>> consumers_;
};

/// Origins of both, without repetition.
inline std::vector<Origin> joined(std::vector<Origin> a, const std::vector<Origin>& b) {
  for (const auto& origin : b)
    if (std::find(a.begin(), a.end(), origin) == a.end()) a.push_back(origin);
  return a;
}

}  // namespace corten
