// SPDX-License-Identifier: Apache-2.0
// Checks structure first, then types, then the stage.
#include "compiler/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/ir/text.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), defined_(graph.values.size(), false) {}

  Status run() {
    check_values();
    for (auto id : graph_.inputs) defined_[static_cast<std::size_t>(id)] = true;
    std::set<std::string_view> names;
    for (const auto& node : graph_.nodes) {
      if (node.name != identifier(node.name)) report(fmt::format("layer name {} is no identifier", node.name), leading_origin(node));
      if (!names.insert(node.name).second) report(fmt::format("two layers are called {}", node.name), leading_origin(node));
      check_node(node);
    }
    for (auto id : graph_.outputs)
      if (!defined_[static_cast<std::size_t>(id)]) report(fmt::format("output %{} is never made", graph_.value(id).name), {});
    if (diagnostics_.size() > max_diagnostics) diagnostics_.resize(max_diagnostics);
    return diagnostics_.empty() ? Status{} : Status{diagnostics_};
  }

 private:
  void report(std::string message, Origin origin) { diagnostics_.push_back(error(std::move(message), std::move(origin))); }

  void check_values() {
    std::set<std::string_view> names;
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      const auto& value = graph_.values[v];
      if (value.name != identifier(value.name)) report(fmt::format("value name %{} is no identifier", value.name), {});
      if (!names.insert(value.name).second) report(fmt::format("two values are called %{}", value.name), {});
      defined_[v] = value.constant != nullptr;
      if (value.constant && (value.constant->element != value.type.element || value.constant->shape != value.type.shape))
        report(fmt::format("constant %{} differs from its type", value.name), {});
      check_quantization(value);
    }
  }

  void check_quantization(const Value& value) {
    if (!value.type.quantization) return;
    const auto& q = *value.type.quantization;
    const bool axis_fits = !q.per_channel() || static_cast<std::size_t>(q.axis) < value.type.shape.size();
    const auto expected = q.per_channel() && axis_fits ? value.type.shape[static_cast<std::size_t>(q.axis)] : 1;
    if (!axis_fits || static_cast<std::int64_t>(q.scales.size()) != expected || q.zero_points.size() != q.scales.size())
      return report(fmt::format("%{} has {} scales, expected {}", value.name, q.scales.size(), expected), {});
    for (auto scale : q.scales)
      if (!(scale > 0) || !std::isfinite(scale)) report(fmt::format("%{} has scale {}, expected a positive number", value.name, scale), {});
  }

  void check_node(const Node& node) {
    for (auto id : node.inputs)
      if (id != no_value && !defined_[static_cast<std::size_t>(id)])
        return report(fmt::format("{} reads %{} before it is made", node.name, graph_.value(id).name), leading_origin(node));
    check_types(node);
    for (auto id : node.outputs) defined_[static_cast<std::size_t>(id)] = true;
    if (node.op->integer()) return;
    if (graph_.stage == Stage::Integer && reads(node, true)) report(fmt::format("{} still has to be lowered", node.name), leading_origin(node));
    if (graph_.stage == Stage::Folded && reads(node, true) && reads(node, false))
      report(fmt::format("{} reads both codes and floats", node.name), leading_origin(node));
  }

  /// Whether a node reads values that are quantized, or floats that aren't.
  bool reads(const Node& node, bool quantized) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
      return id != no_value && graph_.type(id).quantization.has_value() == quantized && (quantized || graph_.type(id).element == Element::F32);
    });
  }

  void check_types(const Node& node) {
    if (auto status = check_inputs(Call(graph_, node)); !status) {
      diagnostics_.insert(diagnostics_.end(), status.diagnostics().begin(), status.diagnostics().end());
      return;
    }
    const auto types = node.op->infer(Call(graph_, node));
    if (!types) {
      diagnostics_.insert(diagnostics_.end(), types.diagnostics().begin(), types.diagnostics().end());
      return;
    }
    if (types->size() != node.outputs.size())
      return report(fmt::format("{} has {} outputs, {} makes {}", node.name, node.outputs.size(), node.op->name(), types->size()), leading_origin(node));
    for (std::size_t i = 0; i < types->size(); ++i) {
      const auto& found = graph_.type(node.outputs[i]);
      if (found.shape != (*types)[i].shape || found.element != (*types)[i].element)
        report(fmt::format("{} is {}, expected {}", node.name, print_type(found), print_type((*types)[i])), leading_origin(node));
    }
  }

  const Graph& graph_;
  std::vector<bool> defined_;
  Diagnostics diagnostics_;
};

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace corten
