// SPDX-License-Identifier: Apache-2.0
// Sample files for calibration, input and output: from arrays and raw bytes to a graph's ends and back.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace corten {

/// One tensor per graph input.
using Sample = std::vector<Tensor>;

/// Reads samples for the inputs of `graph`. `files` is a comma-separated list in the order of the inputs, one `.npz`
/// with the inputs' names, or a folder of such files, read in the order of their names.
/// `.npy`: the first axis counts samples, the rest is the input's shape in the framework's layout (with or without the
/// batch of 1), or as the graph has it. Floats given to a quantized input are quantized by PyTorch's rule.
/// Other files: raw elements just as the graph takes them, one inference after the other.
Result<std::vector<Sample>> read_samples(const Graph& graph, const std::string& files);

/// Writes outputs, one vector per inference: `.npy` with the inferences along the first axis, otherwise raw bytes;
/// several outputs go to comma-separated files in order.
Status write_outputs(const Graph& graph, const std::vector<std::vector<Tensor>>& outputs, const std::string& files);

/// `count` inferences of uniform random codes (or reals in −1…1), the same for the same seed.
std::vector<Sample> random_samples(const Graph& graph, std::size_t count, std::uint64_t seed);

}  // namespace corten
