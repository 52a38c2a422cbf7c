// SPDX-License-Identifier: Apache-2.0
// Applies collected rewrites, restores the execution order and drops what became dead.
#include "compiler/ir/patch.h"

#include <map>
#include <queue>
#include <set>

#include "compiler/ops/operator.h"

namespace corten {
namespace {

template <class Names>
std::string unique(const Names& taken, const std::string& base) {
  if (!taken(base)) return base;
  for (int suffix = 1;; ++suffix)
    if (auto name = base + "_" + std::to_string(suffix); !taken(name)) return name;
}

/// Kahn's algorithm; among ready nodes the one whose (anchor, position) is smallest goes first.
void order_nodes(Graph& graph, const std::vector<std::pair<int, int>>& keys) {
  const auto producers = graph.producers();
  std::vector<int> waiting(graph.nodes.size(), 0);
  std::vector<std::vector<int>> dependants(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    for (auto input : graph.nodes[n].inputs) {
      const int from = input == no_value ? -1 : producers[static_cast<std::size_t>(input)];
      if (from < 0) continue;
      ++waiting[n];
      dependants[static_cast<std::size_t>(from)].push_back(static_cast<int>(n));
    }
  std::set<std::pair<std::pair<int, int>, int>> ready;
  for (std::size_t n = 0; n < waiting.size(); ++n)
    if (waiting[n] == 0) ready.insert({keys[n], static_cast<int>(n)});
  std::vector<Node> ordered;
  ordered.reserve(graph.nodes.size());
  while (!ready.empty()) {
    const auto n = static_cast<std::size_t>(ready.begin()->second);
    ready.erase(ready.begin());
    for (int d : dependants[n])
      if (--waiting[static_cast<std::size_t>(d)] == 0) ready.insert({keys[static_cast<std::size_t>(d)], d});
    ordered.push_back(std::move(graph.nodes[n]));
  }
  graph.nodes = std::move(ordered);
}

void renumber(Graph& graph, const std::vector<bool>& alive) {
  std::vector<ValueId> new_id(graph.values.size(), no_value);
  std::vector<Value> values;
  for (std::size_t v = 0; v < alive.size(); ++v) {
    if (!alive[v]) continue;
    new_id[v] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[v]));
  }
  graph.values = std::move(values);
  const auto renumber_list = [&](std::vector<ValueId>& list) {
    for (auto& id : list)
      if (id != no_value) id = new_id[static_cast<std::size_t>(id)];
  };
  renumber_list(graph.inputs);
  renumber_list(graph.outputs);
  for (auto& node : graph.nodes) {
    renumber_list(node.inputs);
    renumber_list(node.outputs);
  }
}

}  // namespace

std::string unique_value_name(const Graph& graph, const std::string& base) {
  std::set<std::string_view> names;
  for (const auto& value : graph.values) names.insert(value.name);
  return unique([&](const std::string& name) { return names.count(name) > 0; }, base);
}

std::string unique_node_name(const Graph& graph, const std::string& base) {
  std::set<std::string_view> names;
  for (const auto& node : graph.nodes) names.insert(node.name);
  return unique([&](const std::string& name) { return names.count(name) > 0; }, base);
}

ValueId Patch::now(ValueId id) const {
  for (auto found = replacements_.find(id); found != replacements_.end(); found = replacements_.find(id)) id = found->second;
  return id;
}

ValueId Patch::constant(const std::string& name, Tensor tensor, std::optional<Quantization> quantization, std::vector<Origin> origins) {
  Type type{tensor.element, tensor.shape, std::move(quantization)};
  graph_.values.push_back({unique_value_name(graph_, identifier(name)), std::move(type),
                           std::make_shared<const Tensor>(std::move(tensor)), std::move(origins)});
  return static_cast<ValueId>(graph_.values.size() - 1);
}

Result<std::vector<ValueId>> Patch::node(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs,
                                         const std::string& name, std::vector<Origin> origins) {
  for (auto& input : inputs) input = now(input);
  Node node{identifier(name), &op, std::move(parameters), std::move(inputs), {}, std::move(origins)};
  CORTEN_TRY(auto types, op.infer(Call(graph_, node)));
  for (auto& type : types) {
    node.outputs.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back({unique_value_name(graph_, node.name), std::move(type)});
  }
  added_.push_back({anchor_, node});
  return node.outputs;
}

Result<ValueId> Patch::value(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs, const std::string& name,
                             std::vector<Origin> origins) {
  CORTEN_TRY(auto outputs, node(op, std::move(parameters), std::move(inputs), name, std::move(origins)));
  return outputs.front();
}

void Patch::apply() {
  for (const auto& [node, input, with] : inputs_) graph_.nodes[static_cast<std::size_t>(node)].inputs[input] = with;
  for (const auto& [node, parameters] : parameters_) graph_.nodes[static_cast<std::size_t>(node)].parameters = parameters;

  std::vector<std::pair<int, int>> keys;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    keys.emplace_back(static_cast<int>(n), -1);
    for (auto& input : graph_.nodes[n].inputs) input = now(input);
  }
  for (auto& output : graph_.outputs) output = now(output);
  for (auto& added : added_) {
    keys.emplace_back(added.anchor, static_cast<int>(keys.size()));
    graph_.nodes.push_back(std::move(added.node));
  }
  order_nodes(graph_, keys);
  remove_dead(graph_);
  std::set<std::string> names;
  for (auto& node : graph_.nodes) {
    node.name = unique([&](const std::string& name) { return names.count(name) > 0; }, node.name);
    names.insert(node.name);
  }
}

namespace {

/// Whether `name` is `base` with a number behind it, as unique_value_name makes it.
bool is_numbered(std::string_view name, std::string_view base) {
  if (!name.starts_with(base) || name.size() < base.size() + 2 || name[base.size()] != '_') return false;
  return name.find_first_not_of("0123456789_", base.size()) == std::string_view::npos;
}

/// A constant that replaced another takes over its name once that is free.
void restore_constant_names(Graph& graph) {
  std::set<std::string> taken;
  for (const auto& value : graph.values) taken.insert(value.name);
  for (auto& value : graph.values) {
    if (!value.constant || value.origins.empty()) continue;
    auto wanted = identifier(value.origins.front().node);
    if (!is_numbered(value.name, wanted) || !taken.insert(wanted).second) continue;
    taken.erase(value.name);
    value.name = std::move(wanted);
  }
}

}  // namespace

void remove_dead(Graph& graph) {
  std::vector<bool> alive(graph.values.size(), false);
  const auto keep = [&](ValueId id) {
    if (id != no_value) alive[static_cast<std::size_t>(id)] = true;
  };
  for (auto id : graph.inputs) keep(id);
  for (auto id : graph.outputs) keep(id);
  std::vector<Node> nodes;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    bool needed = false;
    for (auto output : node->outputs) needed = needed || alive[static_cast<std::size_t>(output)];
    if (!needed) continue;
    for (auto output : node->outputs) keep(output);
    for (auto input : node->inputs) keep(input);
    nodes.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(nodes.rbegin()), std::make_move_iterator(nodes.rend()));
  renumber(graph, alive);
  restore_constant_names(graph);
}

}  // namespace corten
