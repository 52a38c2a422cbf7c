// SPDX-License-Identifier: Apache-2.0
// Where every value of an integer graph lies in the arena.
#pragma once
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ops/layer.h"

namespace corten {

/// Offsets and the arena's size are multiples of this.
inline constexpr std::int64_t arena_alignment = 16;

struct PlanOptions {
  bool keep_input = false;          // inputs stay whole after a run
  bool keep_intermediates = false;  // every value keeps its own place
};

/// A stretch of the arena that is in use from one step to another, both included. Step n runs node n;
/// −1 is before the first and nodes.size() after the last.
struct Buffer {
  std::int64_t bytes = 0;
  int first = 0, last = 0;
  std::int64_t offset_bytes = 0;
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<int> buffer_of_value;    // index into buffers; −1 for constants and values nobody made
  std::vector<int> scratch_of_node;    // index into buffers; −1 where a node wants no scratch
  std::int64_t arena_bytes = 0;
  std::int64_t lower_bound_bytes = 0;  // largest sum of buffers in use at one step: no plan of these buffers is smaller

  std::int64_t offset(ValueId id) const { return buffers[static_cast<std::size_t>(buffer_of_value[static_cast<std::size_t>(id)])].offset_bytes; }
};

/// Buffers of values (an output that may overwrite its input shares its buffer) and of scratch, placed so that
/// no two in use at the same step overlap. layers[n] is node n's, for its scratch.
Plan plan(const Graph& graph, const std::vector<Layer>& layers, const PlanOptions& options);

}  // namespace corten
