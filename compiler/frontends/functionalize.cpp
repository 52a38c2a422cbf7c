// SPDX-License-Identifier: Apache-2.0
// Alias tracking: each value that shares memory knows its view chain and whether a later write has made it stale.
#include "compiler/frontends/functionalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "compiler/frontends/pt2_scope.h"
#include "compiler/frontends/views.h"

namespace corten::pt2 {
namespace {

constexpr std::size_t most_added_nodes = 8192;
constexpr std::size_t most_view_depth = 64;

// The functional form of an in-place operator: "relu_" → "relu", "__iand__" → "__and__".
std::optional<std::string> functional_target(const std::string& target) {
  const auto name = operator_name(target);
  const auto at = static_cast<std::size_t>(name.data() - target.data());
  const bool operator_form = name.starts_with("__i") && name.ends_with("__") && name.size() > 5;
  if (operator_form) return target.substr(0, at + 2) + target.substr(at + 3);
  if (name.size() < 2 || !name.ends_with('_') || name.ends_with("__")) return std::nullopt;
  return target.substr(0, at + name.size() - 1) + target.substr(at + name.size());
}

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// These change how a tensor is seen, not its elements.
constexpr auto reinterpreting = std::to_array<std::string_view>({"detach_", "squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_", "swapdims_"});
constexpr auto refused = std::to_array<std::string_view>({"resize_", "resize_as_", "set_", "as_strided_", "swap_", "rename_"});
// Their functional forms give truth values, whereas in place the element stays.
constexpr auto comparisons = std::to_array<std::string_view>(
    {"eq_", "ne_", "not_equal_", "lt_", "less_", "le_", "less_equal_", "gt_", "greater_", "ge_", "greater_equal_", "logical_and_", "logical_or_",
     "logical_xor_", "logical_not_"});

bool is_in_place(const SourceNode& node) { return functional_target(node.target).has_value(); }

class Functionalizer {
 public:
  explicit Functionalizer(Program& program) : program_(program) {}

  Status run() {
    auto nodes = std::move(program_.nodes);
    program_.nodes.clear();
    for (auto& node : nodes) CORTEN_CHECK(visit(std::move(node)));
    for (auto& output : program_.outputs) {
      CORTEN_TRY(output, read(output, {}));
    }
    program_.nodes.assign(std::make_move_iterator(emitted_.begin()), std::make_move_iterator(emitted_.end()));
    record_written_inputs();
    return {};
  }

 private:
  using Id = std::size_t;
  static constexpr Id none = static_cast<Id>(-1);

  // One way of seeing memory.
  struct Alias {
    Id parent = none;
    Id root = none;
    View view;                 // how it is seen in its parent; none for a root
    std::string original;      // name in the file
    std::string value;         // name that holds its elements as of `version`
    std::size_t version = 0;   // roots: counts the writes
    std::size_t depth = 0;
  };

  Status visit(SourceNode node) {
    if (is_in_place(node)) return visit_in_place(std::move(node));
    if (node.target.starts_with("aten.") && node.target.ends_with(".out"))
      return error("writes into an 'out' argument, which Corten doesn't support", node.origin);
    const auto* whole = first_tensor(node);
    const std::string whole_name = whole ? whole->name : std::string();
    CORTEN_CHECK(refresh_arguments(node));
    emitted_.push_back(std::move(node));
    if (!whole_name.empty()) track_view(emitted_.back(), whole_name);
    return {};
  }

  void track_view(const SourceNode& node, const std::string& whole) {
    const auto kind = view_kind(node, whole, program_.facts);
    if (kind == ViewKind::Copy) return;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty()) add_view(View{&node, kind, i, whole}, node.outputs[i]);
  }

  Id add_view(View view, const std::string& name) {
    const auto parent = alias_of(view.whole);
    // Several names may stand for one tensor; its facts are found under the first.
    view.whole = aliases_[parent].original;
    const auto root = aliases_[parent].root;
    aliases_.push_back({parent, root, std::move(view), name, name, aliases_[root].version, aliases_[parent].depth + 1});
    by_name_[name] = add_object(aliases_.size() - 1);
    return aliases_.size() - 1;
  }

  Id alias_of(const std::string& name) { return objects_[object_of(name)]; }

  std::size_t object_of(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    aliases_.push_back({none, aliases_.size(), {}, name, name, 0, 0});
    return by_name_[name] = add_object(aliases_.size() - 1);
  }

  std::size_t add_object(Id id) {
    objects_.push_back(id);
    return objects_.size() - 1;
  }

  // Reading

  Status refresh_arguments(SourceNode& node) {
    for (auto& [name, argument] : node.arguments) {
      if (auto* one = std::get_if<SourceRef>(&argument)) CORTEN_CHECK(refresh_reference(*one, node.origin));
      if (auto* several = std::get_if<std::vector<SourceRef>>(&argument))
        for (auto& one : *several) CORTEN_CHECK(refresh_reference(one, node.origin));
    }
    return {};
  }

  Status refresh_reference(SourceRef& reference, const Origin& reader) {
    CORTEN_TRY(reference.name, read(reference.name, reader));
    return {};
  }

  Result<std::string> read(const std::string& name, const Origin& reader) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return name;
    const auto id = objects_[found->second];
    CORTEN_CHECK(refresh(id, reader));
    return aliases_[id].value;
  }

  bool stale(const Alias& alias) const { return alias.version != aliases_[alias.root].version; }

  Status refresh(Id id, const Origin& reader) {
    std::vector<Id> chain;
    for (; stale(aliases_[id]); id = aliases_[id].parent) chain.push_back(id);
    if (chain.size() > most_view_depth) return error("found a chain of views too long to follow", reader);
    for (auto view = chain.rbegin(); view != chain.rend(); ++view) CORTEN_CHECK(derive_again(aliases_[*view]));
    return {};
  }

  Status derive_again(Alias& alias) {
    const auto& view = *alias.view.node;
    if (alias.view.kind == ViewKind::Uncertain)
      return error(fmt::format("whether '{}' sees a change made in place depends on memory layout", shown(alias.original)), view.origin,
                   "replace the in-place operator by the one that returns a new tensor");
    if (alias.view.kind == ViewKind::Identity) {
      alias.value = aliases_[alias.parent].value;
    } else {
      SourceNode again = view;
      again.arguments[0].second = SourceRef{aliases_[alias.parent].value};
      std::fill(again.outputs.begin(), again.outputs.end(), std::string());
      CORTEN_TRY(alias.value, emit(std::move(again), alias.original, alias.original, alias.view.result));
    }
    alias.version = aliases_[alias.root].version;
    return {};
  }

  // Emits a node that isn't in the file, its result named after `base` and described as `described`.
  Result<std::string> emit(SourceNode node, const std::string& base, const std::string& described, std::size_t result = 0) {
    if (++added_nodes_ > most_added_nodes) return error("found too many in-place changes of views to follow", node.origin);
    auto& number = versions_.try_emplace(base, 1).first->second;
    std::string name;
    do name = fmt::format("{}_v{}", base, ++number);
    while (program_.facts.contains(name));
    const auto facts = program_.facts.find(described);
    program_.facts.emplace(name, facts == program_.facts.end() ? ValueFacts{} : ValueFacts(facts->second));
    node.outputs.resize(std::max(node.outputs.size(), result + 1));
    node.outputs[result] = name;
    emitted_.push_back(std::move(node));
    return name;
  }

  // Writing

  Status visit_in_place(SourceNode node) {
    const auto name = std::string(operator_name(node.target));
    const auto* self = first_tensor(node);
    if (!node.target.starts_with("aten.") || !self || node.outputs.size() > 1 || contains(refused, std::string_view(name)))
      return error(fmt::format("'{}' changes its arguments in a way Corten doesn't support", shown(node.target)), node.origin,
                   "replace the in-place operator by the one that returns a new tensor");
    const auto object = object_of(self->name);
    if (contains(reinterpreting, std::string_view(name))) return reinterpret(std::move(node), object);
    if (!node.outputs.empty() && !node.outputs[0].empty()) by_name_[node.outputs[0]] = object;
    if (name == "requires_grad_") return {};
    const auto id = objects_[object];
    CORTEN_CHECK(refresh(id, node.origin));
    CORTEN_CHECK(refresh_arguments(node));
    const auto origin = node.origin;
    CORTEN_TRY(auto value, changed_value(std::move(node), name, aliases_[id].original));
    return write(id, std::move(value), origin);
  }

  // squeeze_ and the like: every name of the tensor stands for the new view from here on.
  Status reinterpret(SourceNode node, std::size_t object) {
    if (node.outputs.empty() || node.outputs[0].empty()) return error("changes a tensor's shape in place without a result", node.origin);
    const auto whole = first_tensor(node)->name;
    const auto result = node.outputs[0];
    node.target = *functional_target(node.target);
    CORTEN_CHECK(refresh_arguments(node));
    emitted_.push_back(std::move(node));
    objects_[object] = add_view(View{&emitted_.back(), view_kind(emitted_.back(), whole, program_.facts), 0, whole}, result);
    by_name_[result] = object;
    return {};
  }

  Result<std::string> changed_value(SourceNode node, const std::string& name, const std::string& self) {
    const auto* source = find_argument(node, name == "copy_" ? "src" : "value");
    if (name == "copy_") return copied(node, source, self);
    if (name == "zero_") return named_result({"aten.zeros_like.default", {node.arguments[0]}, node.outputs, node.origin}, self);
    if (name == "fill_" && source && !std::holds_alternative<SourceRef>(*source)) {
      SourceNode filled{"aten.full_like.default", {node.arguments[0], {"fill_value", *source}}, node.outputs, node.origin};
      return named_result(std::move(filled), self);
    }
    if (name == "fill_") return copied(node, source, self);
    node.target = *functional_target(node.target);
    if (!may_change_element(node, name, self)) return named_result(std::move(node), self);
    CORTEN_TRY(const auto facts, known_facts(self, node.origin));
    auto cast_origin = node.origin;
    auto cast_outputs = node.outputs;
    node.outputs.clear();
    CORTEN_TRY(auto promoted, emit(std::move(node), self, self));
    program_.facts.erase(promoted);
    SourceNode cast{"aten._to_copy.default", {{"self", SourceRef{promoted}}, {"dtype", *facts.scalar->element}}, cast_outputs, cast_origin};
    return named_result(std::move(cast), self);
  }

  // The result keeps the name the file gives it, where it does.
  Result<std::string> named_result(SourceNode node, const std::string& self) {
    if (node.outputs.empty() || node.outputs[0].empty()) {
      node.outputs.clear();
      return emit(std::move(node), self, self);
    }
    auto name = node.outputs[0];
    emitted_.push_back(std::move(node));
    return name;
  }

  Result<ValueFacts> known_facts(const std::string& value, const Origin& origin) const {
    const auto found = program_.facts.find(value);
    if (found == program_.facts.end() || !found->second.problem.empty() || !found->second.scalar)
      return error(fmt::format("changes '{}' in place, whose shape isn't known", shown(value)), origin);
    return found->second;
  }

  // copy_(self, src): src with self's shape and element.
  Result<std::string> copied(const SourceNode& node, const SourceArgument* source, const std::string& self) {
    const auto* from = source ? std::get_if<SourceRef>(source) : nullptr;
    if (!from) return error("copies from something that isn't a tensor", node.origin);
    CORTEN_TRY(const auto into_facts, known_facts(self, node.origin));
    CORTEN_TRY(const auto from_facts, known_facts(from->name, node.origin));
    auto value = from->name;
    if (from_facts.shape != into_facts.shape) {
      SourceNode expanded{"aten.expand.default", {{"self", SourceRef{value}}, {"size", into_facts.shape}}, {}, node.origin};
      CORTEN_TRY(value, emit(std::move(expanded), self, self));
    }
    if (from_facts.scalar->element != into_facts.scalar->element) {
      SourceNode cast{"aten._to_copy.default", {{"self", SourceRef{value}}, {"dtype", *into_facts.scalar->element}}, {}, node.origin};
      CORTEN_TRY(value, emit(std::move(cast), self, self));
    }
    return value;
  }

  bool may_change_element(const SourceNode& node, const std::string& name, const std::string& self) const {
    if (contains(comparisons, std::string_view(name))) return true;
    const auto element = [&](const std::string& value) -> std::optional<Element> {
      const auto found = program_.facts.find(value);
      return found == program_.facts.end() || !found->second.scalar ? std::nullopt : found->second.scalar->element;
    };
    const auto own = element(self);
    if (!own || *own == Element::F32) return false;
    return std::any_of(node.arguments.begin(), node.arguments.end(), [&](const auto& argument) {
      const auto* operand = std::get_if<SourceRef>(&argument.second);
      return operand && element(operand->name).value_or(*own) != *own;
    });
  }

  // `id` now holds `value`; what it is a view of changes with it.
  Status write(Id id, std::string value, const Origin& origin) {
    const auto version = ++aliases_[aliases_[id].root].version;
    writers_[aliases_[id].root] = origin;
    if (aliases_[id].depth > most_view_depth) return error("found a chain of views too long to follow", origin);
    for (;;) {
      aliases_[id].value = std::move(value);
      aliases_[id].version = version;
      const auto& alias = aliases_[id];
      if (alias.parent == none) break;
      const auto& parent = aliases_[alias.parent];
      if (alias.view.kind == ViewKind::Identity) {
        value = alias.value;
      } else {
        auto whole = write_back(alias.view, parent.value, alias.value, program_.facts);
        if (!whole)
          return error(fmt::format("changes '{}' in place through {}, which can't be undone", shown(parent.original), alias.view.node->target),
                       origin, "replace the in-place operator by the one that returns a new tensor");
        whole->origin = origin;
        CORTEN_TRY(value, emit(std::move(*whole), parent.original, parent.original));
      }
      id = alias.parent;
    }
    return {};
  }

  void record_written_inputs() {
    const auto writer = [&](const std::string& name) {
      const auto found = by_name_.find(name);
      return found == by_name_.end() ? writers_.end() : writers_.find(aliases_[objects_[found->second]].root);
    };
    for (const auto& state : program_.state)
      if (const auto last = writer(state.value); last != writers_.end())
        program_.updates.push_back({aliases_[last->first].value, state.request.name, last->second});
    for (const auto& input : program_.inputs) {
      if (writer(input.name) == writers_.end()) continue;
      auto message = fmt::format("input '{}' is changed in place; the change isn't handed back", shown(input.name));
      program_.warnings.push_back({std::move(message), {}, {}, Severity::Warning});
    }
  }

  Program& program_;
  std::deque<SourceNode> emitted_;  // views point into it
  std::deque<Alias> aliases_;
  std::vector<Id> objects_;  // how each tensor object of the traced program is seen now
  std::unordered_map<std::string, std::size_t> by_name_;  // name in the file → object
  std::unordered_map<Id, Origin> writers_;  // last write, by root
  std::unordered_map<std::string, int> versions_;
  std::size_t added_nodes_ = 0;
};

}  // namespace

Status functionalize(Program& program) {
  const bool functional = std::none_of(program.nodes.begin(), program.nodes.end(), [](const auto& node) { return is_in_place(node); });
  return functional ? Status() : Functionalizer(program).run();
}

}  // namespace corten::pt2
