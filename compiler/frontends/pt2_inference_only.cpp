// SPDX-License-Identifier: Apache-2.0
// Liveness, training flags and buffer updates of exported programs.
#include "compiler/frontends/pt2_inference_only.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "compiler/frontends/pt2_scope.h"

namespace corten::pt2 {
namespace {

template <class Visit>
void for_each_reference(const SourceNode& node, Visit visit) {
  for (const auto& [name, argument] : node.arguments) {
    if (const auto* one = std::get_if<SourceRef>(&argument)) visit(one->name);
    if (const auto* several = std::get_if<std::vector<SourceRef>>(&argument))
      for (const auto& one : *several) visit(one.name);
  }
}

const SourceArgument* argument_of(const SourceNode& node, std::string_view name) {
  for (const auto& [argument_name, argument] : node.arguments)
    if (argument_name == name) return &argument;
  return nullptr;
}

bool is_true(const SourceNode& node, std::string_view name) {
  const auto* argument = argument_of(node, name);
  const auto* truth = argument ? std::get_if<bool>(argument) : nullptr;
  return truth && *truth;
}

bool is_positive(const SourceNode& node, std::string_view name) {
  const auto* argument = argument_of(node, name);
  if (!argument) return false;
  if (const auto* real = std::get_if<double>(argument)) return *real > 0;
  const auto* integer = std::get_if<std::int64_t>(argument);
  return integer && *integer > 0;
}

bool has_tensor(const SourceNode& node, std::string_view name) {
  const auto* argument = argument_of(node, name);
  return argument && std::holds_alternative<SourceRef>(*argument);
}

bool behaves_as_in_training(const SourceNode& node) {
  const auto name = operator_name(node.target);
  // Without running statistics a normalization uses those of its input in inference, too.
  if (name.find("batch_norm") != std::string_view::npos) return is_true(node, "training") && has_tensor(node, "running_mean");
  if (name.find("dropout") != std::string_view::npos) return is_true(node, "train") && is_positive(node, "p");
  if (name == "scaled_dot_product_attention") return is_positive(node, "dropout_p");
  if (name == "rrelu") return is_true(node, "training");
  return is_true(node, "train") && is_positive(node, "dropout");
}

Origin origin_of_value(const Program& program, const std::string& value) {
  for (const auto& node : program.nodes)
    if (std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end()) return node.origin;
  return {};
}

bool is_batch_counter(const std::string& buffer) { return buffer.ends_with("num_batches_tracked"); }

}  // namespace

void remove_dead_nodes(Program& program) {
  std::unordered_set<std::string> live(program.outputs.begin(), program.outputs.end());
  for (const auto& update : program.updates)
    if (!is_batch_counter(update.buffer)) live.insert(update.value);
  std::vector<SourceNode> kept;
  for (auto node = program.nodes.rbegin(); node != program.nodes.rend(); ++node) {
    const bool needed = std::any_of(node->outputs.begin(), node->outputs.end(), [&](const auto& output) { return live.contains(output); });
    if (!needed) continue;
    for_each_reference(*node, [&](const std::string& name) { live.insert(name); });
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  for (auto& node : kept)
    for (auto& output : node.outputs)
      if (!live.contains(output)) output.clear();
  program.nodes = std::move(kept);
}

Status check_inference_only(const Program& program) {
  Diagnostics problems;
  for (const auto& node : program.nodes)
    if (behaves_as_in_training(node) && problems.size() < max_diagnostics)
      problems.push_back(error(fmt::format("model was exported in training mode: {} acts as in training", operator_name(node.target)),
                               node.origin, "call model.eval() before torch.export"));
  if (!problems.empty()) return problems;
  for (const auto& update : program.updates) {
    if (is_batch_counter(update.buffer) || problems.size() >= max_diagnostics) continue;
    const auto same = [&](const StateInput& state) { return state.value == update.value && state.request.name == update.buffer; };
    if (std::any_of(program.state.begin(), program.state.end(), same)) continue;
    problems.push_back(error(fmt::format("model keeps memory between calls: buffer '{}' is changed", shown(update.buffer)),
                             update.origin == Origin() ? origin_of_value(program, update.value) : update.origin,
                             "hand the state in and out as an input and an output of forward"));
  }
  if (!problems.empty()) return problems;
  return {};
}

}  // namespace corten::pt2
