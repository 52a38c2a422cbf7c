// SPDX-License-Identifier: Apache-2.0
// The graph as text, exact and canonical, and back.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"

namespace corten {

/// Constants of at most this many elements stand in the text; larger ones lie beside it.
inline constexpr std::size_t inline_elements = 16;

struct GraphText {
  std::string text;
  std::vector<std::byte> constants;  // raw little-endian bytes the text points into
};

/// parse(print(g)) == g, and print(parse(t)) == t for canonical t.
GraphText print(const Graph& graph, std::size_t inline_limit = inline_elements);
/// Errors carry "file:line" in the origin's source.
Result<Graph> parse(std::string_view text, std::span<const std::byte> constants, const std::string& file);

/// One node's line, as diagnostics and --print-changed show it.
std::string print_node(const Graph& graph, const Node& node);
std::string print_type(const Type& type);

/// Same structure, types, parameters, constants and origins.
bool operator==(const Graph& a, const Graph& b);

/// `X.cir` with `X.cir.constants` beside it.
Result<Graph> read_graph(const std::string& path);
Status write_graph(const Graph& graph, const std::string& path);

}  // namespace corten
