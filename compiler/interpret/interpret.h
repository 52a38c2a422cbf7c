// SPDX-License-Identifier: Apache-2.0
// Runs a graph at any stage on the host: the definition every kernel is compared with.
#pragma once
#include <functional>
#include <vector>

#include "compiler/ir/graph.h"

namespace corten {

/// Called with every input and node output as it becomes known, in execution order.
using ValueWatcher = std::function<void(ValueId, const Tensor&)>;

/// Outputs in the graph's order. Real operators with quantized types compute on dequantized inputs in float
/// and quantize their outputs; integer operators compute on codes.
/// Errors: an input of another element or shape than the graph's.
Result<std::vector<Tensor>> interpret(const Graph& graph, const std::vector<Tensor>& inputs, const ValueWatcher& watcher = {});

/// The outputs of one node on known inputs (null where an optional input is absent).
std::vector<Tensor> interpret_node(const Call& call, std::span<const Tensor* const> inputs);

/// Codes as reals by the type's quantization, and back by PyTorch's rule.
Tensor dequantized(const Tensor& codes, const Quantization& quantization);
Tensor quantized(const Tensor& reals, Element element, const Quantization& quantization);

}  // namespace corten
