// SPDX-License-Identifier: Apache-2.0
// Which ATen operators return views of their first argument, and how a change of the view reaches the whole.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/frontends/pt2_program.h"

namespace corten::pt2 {

enum class ViewKind : std::uint8_t {
  Copy,       // shares no memory
  Identity,   // the same elements in the same shape
  Reshape,    // the same elements in the same order
  Permute,    // the same elements, axes reordered
  Part,       // some of the elements: slice, select, split
  ReadOnly,   // can be derived again, but not written through
  Uncertain,  // may or may not share memory: the file doesn't say
};

using Facts = std::unordered_map<std::string, ValueFacts>;

/// Kind of `node`'s results with respect to its first argument, which is the value `whole`.
ViewKind view_kind(const SourceNode& node, const std::string& whole, const Facts& facts);

/// Whether a tensor of these extents and strides can be seen in another shape without copying; PyTorch's rule.
bool can_view(const Shape& shape, const std::vector<std::int64_t>& strides, const Shape& seen);

/// Result `result` of the node `node`, a view of `whole` (both as named in the file).
struct View {
  const SourceNode* node = nullptr;
  ViewKind kind = ViewKind::Copy;
  std::size_t result = 0;
  std::string whole;
};

/// The node that gives the whole anew when the view's elements become those of value `part`: reshaped, permuted back, or scattered into
/// value `into`. Its output and origin are left to the caller. Nothing for views that can't be written through.
std::optional<SourceNode> write_back(const View& view, const std::string& into, const std::string& part, const Facts& facts);

/// The argument of that name, or null.
const SourceArgument* find_argument(const SourceNode& node, std::string_view name);
/// The first argument where it is a tensor, or null.
const SourceRef* first_tensor(const SourceNode& node);

}  // namespace corten::pt2
