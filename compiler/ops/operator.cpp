// SPDX-License-Identifier: Apache-2.0
// The list of operators, made by the files of this folder as the program starts.
#include "compiler/ops/operator.h"

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

Status Operator::lower(const Call& call, Patch&) const {
  return call.error(std::string(name()) + " has no integer meaning", "keep it in float with --allow-float " + call.node().name);
}

Result<Layer> Operator::emit(const Call& call, Isa) const { return call.error(std::string(name()) + " can't be emitted"); }

}  // namespace corten
