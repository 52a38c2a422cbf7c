// SPDX-License-Identifier: Apache-2.0
// From a float graph and samples to an annotated graph: observes, chooses scales, inserts quantize and dequantize.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/quantize/config.h"

namespace corten {

struct QuantizeOptions {
  QuantizerConfig config;
  std::set<std::string> allow_float;  // node names (in the model file or of the layer) that may stay in float
  std::function<void(std::size_t done, std::size_t all)> progress = {};
  std::function<void(const Diagnostics&)> warn = {};  // settings that name no node
};

/// samples[s] holds one tensor per graph input, in the graph's layout.
/// Errors: no samples; a node left in float that allow_float doesn't name; values that can't be observed.
Result<Graph> quantize(Graph graph, const std::vector<std::vector<Tensor>>& samples, const QuantizeOptions& options);

}  // namespace corten
