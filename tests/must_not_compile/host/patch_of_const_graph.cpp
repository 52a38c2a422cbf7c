// SPDX-License-Identifier: Apache-2.0
// A patch changes its graph.
// ERROR: discards qualifiers
#include "compiler/ir/patch.h"

#ifdef CORTEN_WRONG
void f(const corten::Graph& graph) { corten::Patch patch(graph, "rule"); }
#else
void f(corten::Graph& graph) { corten::Patch patch(graph, "rule"); }
#endif
