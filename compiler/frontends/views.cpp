// SPDX-License-Identifier: Apache-2.0
// The table of ATen views, with their inverses.
#include "compiler/frontends/views.h"

#include <algorithm>
#include <array>
#include <limits>

namespace corten::pt2 {
namespace {

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr auto identities = std::to_array<std::string_view>({"detach", "alias", "lift_fresh", "positive", "resolve_conj", "resolve_neg", "conj"});
constexpr auto reshapes = std::to_array<std::string_view>({"view_as", "unflatten", "squeeze", "unsqueeze", "_reshape_alias"});
constexpr auto copying_reshapes = std::to_array<std::string_view>({"reshape", "reshape_as", "flatten", "ravel"});
constexpr auto permutations = std::to_array<std::string_view>({"permute", "transpose", "t", "swapaxes", "swapdims"});
constexpr auto parts =
    std::to_array<std::string_view>({"select", "slice", "narrow", "split", "split_with_sizes", "chunk", "tensor_split", "unbind"});
constexpr auto read_only = std::to_array<std::string_view>({"expand", "expand_as", "broadcast_to", "diagonal", "linalg_diagonal", "unfold", "movedim",
                                                            "moveaxis", "numpy_T", "mT", "mH", "matrix_H", "adjoint", "hsplit", "vsplit", "dsplit"});
// What these show depends on memory layout or bytes.
constexpr auto layout_dependent = std::to_array<std::string_view>({"as_strided", "real", "imag", "view_as_real", "view_as_complex"});
constexpr auto casts = std::to_array<std::string_view>({"to", "type_as"});

const ValueFacts* facts_of(const Facts& facts, const std::string& value) {
  const auto found = facts.find(value);
  return found == facts.end() || !found->second.problem.empty() ? nullptr : &found->second;
}

const ValueFacts* result_facts(const SourceNode& node, const Facts& facts) {
  return node.outputs.empty() ? nullptr : facts_of(facts, node.outputs[0]);
}

bool same_layout(const ValueFacts& a, const ValueFacts& b) {
  if (a.shape != b.shape || a.strides.size() != a.shape.size() || b.strides.size() != b.shape.size()) return false;
  for (std::size_t i = 0; i < a.shape.size(); ++i)
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

bool has_strides(const ValueFacts& facts) { return facts.strides.size() == facts.shape.size(); }

std::int64_t integer_argument(const SourceNode& node, std::string_view name, std::int64_t otherwise) {
  const auto* argument = find_argument(node, name);
  const auto* integer = argument ? std::get_if<std::int64_t>(argument) : nullptr;
  return integer ? *integer : otherwise;
}

bool flag(const SourceNode& node, std::string_view name, bool otherwise) {
  const auto* argument = find_argument(node, name);
  const auto* truth = argument ? std::get_if<bool>(argument) : nullptr;
  return truth ? *truth : otherwise;
}

ViewKind reshape_kind(const ValueFacts* whole, const ValueFacts* result) {
  if (!whole || !result || !has_strides(*whole)) return ViewKind::Uncertain;
  return can_view(whole->shape, whole->strides, result->shape) ? ViewKind::Reshape : ViewKind::Copy;
}

// A cast returns its argument when there is nothing to do.
ViewKind cast_kind(const SourceNode& node, const ValueFacts* whole, const ValueFacts* result) {
  if (flag(node, "copy", false)) return ViewKind::Copy;
  if (!whole || !result) return ViewKind::Uncertain;
  return whole->scalar == result->scalar ? ViewKind::Identity : ViewKind::Copy;
}

ViewKind contiguous_kind(const ValueFacts* whole, const ValueFacts* result) {
  if (!whole || !result || !has_strides(*whole) || !has_strides(*result)) return ViewKind::Uncertain;
  return same_layout(*whole, *result) ? ViewKind::Identity : ViewKind::Copy;
}

bool idle_dropout(const SourceNode& node) {
  const auto* probability = find_argument(node, "p");
  const auto* real = probability ? std::get_if<double>(probability) : nullptr;
  return !flag(node, "train", true) || (real && *real == 0);
}

std::size_t normalized_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

bool valid_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  return axis >= -signed_rank && axis < signed_rank;
}

SourceNode scatter(std::string target, const std::string& into, const std::string& part) {
  return {std::move(target), {{"self", SourceRef{into}}, {"src", SourceRef{part}}}, {}, {}};
}

std::optional<SourceNode> unpermuted(const SourceNode& node, const std::string& part) {
  if (operator_name(node.target) != "permute") {
    auto again = node;  // a swap of two axes undoes itself
    again.arguments[0].second = SourceRef{part};
    return again;
  }
  const auto* argument = find_argument(node, "dims");
  const auto* axes = argument ? std::get_if<std::vector<std::int64_t>>(argument) : nullptr;
  if (!axes) return std::nullopt;
  std::vector<std::int64_t> inverse(axes->size(), -1);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    if (!valid_axis((*axes)[i], axes->size())) return std::nullopt;
    inverse[normalized_axis((*axes)[i], axes->size())] = static_cast<std::int64_t>(i);
  }
  return SourceNode{"aten.permute.default", {{"self", SourceRef{part}}, {"dims", inverse}}, {}, {}};
}

std::optional<SourceNode> reshaped_back(const View& view, const std::string& part, const Facts& facts) {
  const auto* whole = facts_of(facts, view.whole);
  if (!whole) return std::nullopt;
  return SourceNode{"aten.view.default", {{"self", SourceRef{part}}, {"size", whole->shape}}, {}, {}};
}

std::optional<SourceNode> scattered_range(const SourceNode& node, const std::string& into, const std::string& part, std::int64_t start,
                                          std::int64_t extent) {
  std::int64_t end = 0;
  if (__builtin_add_overflow(start, extent, &end)) return std::nullopt;
  auto scattered = scatter("aten.slice_scatter.default", into, part);
  scattered.arguments.emplace_back("dim", integer_argument(node, "dim", 0));
  scattered.arguments.emplace_back("start", start);
  scattered.arguments.emplace_back("end", end);
  return scattered;
}

std::optional<SourceNode> scattered_piece(const View& view, const std::string& into, const std::string& part, const Facts& facts) {
  const auto axis = integer_argument(*view.node, "dim", 0);
  std::int64_t start = 0;
  for (std::size_t i = 0; i <= view.result; ++i) {
    const auto* piece = facts_of(facts, view.node->outputs[i]);
    if (!piece || !valid_axis(axis, piece->shape.size())) return std::nullopt;
    const auto extent = piece->shape[normalized_axis(axis, piece->shape.size())];
    if (i == view.result) return scattered_range(*view.node, into, part, start, extent);
    if (__builtin_add_overflow(start, extent, &start)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<SourceNode> scattered_part(const View& view, const std::string& into, const std::string& part, const Facts& facts) {
  const auto name = operator_name(view.node->target);
  if (name == "select" || name == "unbind") {
    auto scattered = scatter("aten.select_scatter.default", into, part);
    scattered.arguments.emplace_back("dim", integer_argument(*view.node, "dim", 0));
    const auto index = name == "unbind" ? static_cast<std::int64_t>(view.result) : integer_argument(*view.node, "index", 0);
    scattered.arguments.emplace_back("index", index);
    return scattered;
  }
  if (name == "slice") {
    auto scattered = scatter("aten.slice_scatter.default", into, part);
    for (const auto* argument : {"dim", "start", "end", "step"})
      if (const auto* given = find_argument(*view.node, argument)) scattered.arguments.emplace_back(argument, *given);
    return scattered;
  }
  if (name == "narrow")
    return scattered_range(*view.node, into, part, integer_argument(*view.node, "start", -1), integer_argument(*view.node, "length", 0));
  return scattered_piece(view, into, part, facts);
}

}  // namespace

ViewKind view_kind(const SourceNode& node, const std::string& whole, const Facts& facts) {
  if (!node.target.starts_with("aten.")) return ViewKind::Copy;
  const auto name = operator_name(node.target);
  if (name == "view") return node.target == "aten.view.default" ? ViewKind::Reshape : ViewKind::Uncertain;
  if (contains(identities, name)) return ViewKind::Identity;
  if (contains(reshapes, name)) return ViewKind::Reshape;
  if (contains(permutations, name)) return ViewKind::Permute;
  if (contains(parts, name)) return ViewKind::Part;
  if (contains(read_only, name)) return ViewKind::ReadOnly;
  if (contains(layout_dependent, name)) return ViewKind::Uncertain;
  if (name.find("dropout") != std::string_view::npos && name != "native_dropout") return idle_dropout(node) ? ViewKind::Identity : ViewKind::Copy;
  const auto* whole_facts = facts_of(facts, whole);
  const auto* result = result_facts(node, facts);
  if (contains(copying_reshapes, name)) return reshape_kind(whole_facts, result);
  if (contains(casts, name)) return cast_kind(node, whole_facts, result);
  if (name == "contiguous") return contiguous_kind(whole_facts, result);
  return ViewKind::Copy;
}

bool can_view(const Shape& shape, const std::vector<std::int64_t>& strides, const Shape& seen) {
  const auto elements = [](const Shape& of) {
    std::int64_t count = 1;
    for (const auto extent : of) count *= extent;
    return count;
  };
  if (elements(shape) == 0 || shape.empty()) return true;
  auto axis = static_cast<std::ptrdiff_t>(seen.size()) - 1;
  std::int64_t chunk_elements = 1;
  std::int64_t seen_elements = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto chunk_stride = strides[i];
    chunk_elements = shape[i];
    const auto continues = [&](std::size_t outer) {
      std::int64_t reach = 0;
      return shape[outer] == 1 || (!__builtin_mul_overflow(chunk_elements, chunk_stride, &reach) && strides[outer] == reach);
    };
    while (i > 0 && continues(i - 1)) chunk_elements *= shape[--i];
    seen_elements = 1;
    while (axis >= 0 && (seen_elements < chunk_elements || seen[static_cast<std::size_t>(axis)] == 1))
      seen_elements *= seen[static_cast<std::size_t>(axis--)];
    if (seen_elements != chunk_elements) return false;
  }
  return axis < 0;
}

std::optional<SourceNode> write_back(const View& view, const std::string& into, const std::string& part, const Facts& facts) {
  switch (view.kind) {
    case ViewKind::Identity:
    case ViewKind::Reshape: return reshaped_back(view, part, facts);
    case ViewKind::Permute: return unpermuted(*view.node, part);
    case ViewKind::Part: return scattered_part(view, into, part, facts);
    default: return std::nullopt;
  }
}

const SourceArgument* find_argument(const SourceNode& node, std::string_view name) {
  for (const auto& [argument_name, argument] : node.arguments)
    if (argument_name == name) return &argument;
  return nullptr;
}

const SourceRef* first_tensor(const SourceNode& node) {
  return node.arguments.empty() ? nullptr : std::get_if<SourceRef>(&node.arguments[0].second);
}

}  // namespace corten::pt2
