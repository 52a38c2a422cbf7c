// SPDX-License-Identifier: Apache-2.0
// What must hold of a graph at its stage.
#pragma once
#include "compiler/ir/graph.h"

namespace corten {

/// Order, names, types that follow from the operators, and the rules of the graph's stage.
/// A graph from a pass that fails here is a bug of the compiler; one from text may be the user's.
Status verify(const Graph& graph);

}  // namespace corten
