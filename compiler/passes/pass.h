// SPDX-License-Identifier: Apache-2.0
// A pass: a graph in, a better graph out, under a name that tells what it does.
#pragma once
#include <functional>
#include <span>
#include <string_view>

#include "compiler/ir/graph.h"

namespace corten {

struct Pass {
  std::string_view name;  // a verb: "fold_batch_norm"
  std::string_view summary;
  Status (*run)(Graph& graph);
};

// Clean-up of the float graph, in pipeline order (pipeline.cpp says why).
Status fold_constants(Graph& graph);
Status sink_reshapes(Graph& graph);
Status fold_batch_norm(Graph& graph);
Status fold_pad(Graph& graph);
Status fuse_clamp(Graph& graph);
Status merge_reshapes(Graph& graph);
Status fold_transpose(Graph& graph);
// From quantized floats to integers.
Status fold_quantization(Graph& graph);
Status cut_ends(Graph& graph);
Status lower(Graph& graph);

/// Every pass that works on a graph alone, in pipeline order.
std::span<const Pass> passes();
const Pass* find_pass(std::string_view name);

/// Told of each pass that changed the graph: its name and the graph after it.
using PassWatcher = std::function<void(const Pass& pass, const Graph& graph)>;

/// Runs the passes from `first` to `last` (by name, both included), verifying after each.
Status run_passes(Graph& graph, std::string_view first, std::string_view last, const PassWatcher& watcher = {});

}  // namespace corten
