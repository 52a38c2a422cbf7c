// SPDX-License-Identifier: Apache-2.0
// The list of operators, made by the files of this folder as the program starts.
#include "compiler/ops/operator.h"

#include <fmt/format.h>

#include <algorithm>

namespace corten {
namespace {
std::vector<const Operator*>& list() {
  static std::vector<const Operator*> operators;
  return operators;
}
}  // namespace

RegisterOperator::RegisterOperator(const Operator& op) {
  auto& all = list();
  const auto place = std::lower_bound(all.begin(), all.end(), op.name(), [](const Operator* a, std::string_view name) { return a->name() < name; });
  all.insert(place, &op);
}

std::span<const Operator* const> operators() { return list(); }

const Operator* find_operator(std::string_view name) {
  for (const auto* op : operators())
    if (op->name() == name) return op;
  return nullptr;
}

const Operator& op(std::string_view name) { return *find_operator(name); }

namespace {

struct InputRule {
  std::string_view name;
  bool optional;
};

std::vector<InputRule> parse_rules(std::string_view text) {
  std::vector<InputRule> rules;
  while (!text.empty()) {
    const auto end = std::min(text.find(", "), text.size());
    auto name = text.substr(0, end);
    const bool optional = name.ends_with('?');
    if (optional) name.remove_suffix(1);
    rules.push_back({name, optional});
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return rules;
}

}  // namespace

Status check_inputs(const Call& call) {
  auto rules = parse_rules(call.node().op->inputs());
  if (!rules.empty() && rules.back().name == "…") rules.assign(std::max<std::size_t>(call.inputs(), 1), rules.front());
  if (call.inputs() > rules.size()) return call.error(fmt::format("has {} inputs, expected ({})", call.inputs(), call.node().op->inputs()));
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (!rules[i].optional && !call.has_input(i)) return call.error(fmt::format("input {} is missing, expected ({})", rules[i].name, call.node().op->inputs()));
  return {};
}

Status Operator::lower(const Call& call, Patch&) const {
  return call.error(std::string(name()) + " has no integer meaning", "keep it in float with --allow-float " + call.node().name);
}

Result<Layer> Operator::emit(const Call& call, Isa) const { return call.error(std::string(name()) + " can't be emitted"); }

}  // namespace corten
