// SPDX-License-Identifier: Apache-2.0
// A case at every stage of the compiler, and the inputs that all executors get.
#pragma once
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/samples.h"
#include "tests/executors/cases.h"

namespace corten::test {

/// One case on its way: float graph as imported and cleaned up, quantized float and integer graph with int8 ends.
struct Stages {
  Graph imported, cleaned, annotated, folded, integer;
};

Result<Stages> bring(const Case& one, Rounding rounding);

/// The integer graph of a case that came through and doesn't hand an input or another output through, each brought once.
struct Lowered {
  const Case* of = nullptr;
  Graph graph;
};
const std::vector<Lowered>& lowered_cases(Rounding rounding);

/// Random reals in the ranges of the network's inputs, for a graph in float.
std::vector<Sample> real_samples(const Network& network, const Graph& graph, std::size_t count);

/// Codes for an integer graph: random, all lowest, all highest, alternating, and the first once more.
std::vector<Sample> code_samples(const Graph& graph);

/// Independent graphs as one, so that one program holds them: names get the case's in front.
Graph merged(const std::string& name, std::span<const Lowered> all);

}  // namespace corten::test
