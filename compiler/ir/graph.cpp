// SPDX-License-Identifier: Apache-2.0
// Who makes and who reads each value.
#include "compiler/ir/graph.h"

#include <algorithm>
#include <array>

#include "compiler/ops/operator.h"

namespace corten {
namespace {
constexpr std::array<std::string_view, 4> stage_names = {"imported", "annotated", "folded", "integer"};
}

std::string_view to_string(Stage stage) { return stage_names[static_cast<std::size_t>(stage)]; }

std::optional<Stage> parse_stage(std::string_view text) {
  const auto found = std::find(stage_names.begin(), stage_names.end(), text);
  if (found == stage_names.end()) return std::nullopt;
  return static_cast<Stage>(found - stage_names.begin());
}

std::vector<int> Graph::producers() const {
  std::vector<int> result(values.size(), -1);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (auto output : nodes[n].outputs) result[static_cast<std::size_t>(output)] = static_cast<int>(n);
  return result;
}

std::vector<std::vector<int>> Graph::consumers() const {
  std::vector<std::vector<int>> result(values.size());
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (auto input : nodes[n].inputs)
      if (input != no_value) result[static_cast<std::size_t>(input)].push_back(static_cast<int>(n));
  return result;
}

bool Graph::is_output(ValueId id) const { return std::find(outputs.begin(), outputs.end(), id) != outputs.end(); }

std::string identifier(std::string_view text) {
  std::string result;
  for (char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    result += word ? c : '_';
  }
  if (result.empty() || (result[0] >= '0' && result[0] <= '9')) result.insert(result.begin(), '_');
  return result;
}

Origin leading_origin(const Node& node) { return node.origins.empty() ? Origin{} : node.origins.front(); }

Diagnostic Call::error(std::string message, std::string help) const {
  return corten::error(std::string(node_.op->name()) + ": " + std::move(message), origin(), std::move(help));
}

}  // namespace corten
