// SPDX-License-Identifier: Apache-2.0
// Which setting applies to which node.
#include "compiler/quantize/config.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compiler/quantize/nearest.h"

namespace corten {
namespace {

/// Whether `path` is `prefix` or continues it at a dot.
bool continues(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

std::string_view without_torch_ops(std::string_view target) {
  constexpr std::string_view prefix = "torch.ops.";
  if (target.starts_with(prefix)) target.remove_prefix(prefix.size());
  return target;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('.')); }

bool is_type(std::string_view type, std::string_view asked) {
  if (type == asked) return true;
  if (last_part(type) != last_part(asked)) return false;
  const bool torch_alias = asked.starts_with("torch.nn.") && type.starts_with("torch.nn.modules.");
  return torch_alias || asked == first_part(asked);
}

}  // namespace

void QuantizerConfig::set_global(Setting config) { entries_.push_back({By::Global, "", config}); }
void QuantizerConfig::set_node_target(std::string target, Setting config) {
  entries_.push_back({By::Target, std::move(target), config});
}
void QuantizerConfig::set_node_name(std::string name, Setting config) {
  entries_.push_back({By::Name, std::move(name), config});
}
void QuantizerConfig::set_module_name(std::string path, Setting config) {
  entries_.push_back({By::Module, std::move(path), config});
}
void QuantizerConfig::set_module_type(std::string type, Setting config) {
  entries_.push_back({By::ModuleType, std::move(type), config});
}

bool QuantizerConfig::names(const Entry& entry, const NodeKey& node) {
  switch (entry.by) {
    case By::Global: return true;
    case By::Target: return continues(without_torch_ops(node.target), without_torch_ops(entry.what));
    case By::Name: return node.name == entry.what;
    case By::Module: return continues(node.module, entry.what);
    case By::ModuleType: break;
  }
  return is_type(node.module_type, entry.what);
}

QuantizerConfig::Setting QuantizerConfig::config_for(const NodeKey& node, bool per_channel) const {
  const auto entry = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& e) { return names(e, node); });
  if (entry != entries_.rend()) return entry->config;
  return per_channel ? INT8_PER_CHANNEL : INT8_PER_TENSOR;
}

Diagnostic QuantizerConfig::unused(const Entry& entry, const std::vector<NodeKey>& nodes) {
  struct Wording {
    const char* setting;
    const char* what;
    std::string NodeKey::*field;
  };
  static constexpr Wording wordings[] = {{"set_global", "", &NodeKey::name},
                                         {"set_node_target", "target", &NodeKey::target},
                                         {"set_node_name", "name", &NodeKey::name},
                                         {"set_module_name", "module path", &NodeKey::module},
                                         {"set_module_type", "module type", &NodeKey::module_type}};
  const Wording& wording = wordings[static_cast<std::size_t>(entry.by)];
  std::vector<std::string_view> known;
  for (const auto& node : nodes) known.push_back(node.*wording.field);
  Diagnostic warning = error(fmt::format("{}: no node has the {} '{}'", wording.setting, wording.what, entry.what));
  warning.severity = Severity::Warning;
  if (const auto near = nearest(entry.what, known); !near.empty()) warning.help = fmt::format("did you mean '{}'?", near);
  return warning;
}

Diagnostics QuantizerConfig::unused(const std::vector<NodeKey>& nodes) const {
  Diagnostics warnings;
  for (const auto& entry : entries_) {
    const auto named = [&](const NodeKey& node) { return names(entry, node); };
    if (entry.by == By::Global || std::any_of(nodes.begin(), nodes.end(), named)) continue;
    warnings.push_back(unused(entry, nodes));
  }
  return warnings;
}

}  // namespace corten
