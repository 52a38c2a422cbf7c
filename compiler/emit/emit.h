// SPDX-License-Identifier: Apache-2.0
// From an integer graph to the files of a C++ program.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ops/layer.h"
#include "compiler/plan/plan.h"
#include "corten/cores.h"

namespace corten {

/// One input or output of the emitted program.
struct ProgramEnd {
  std::string name;      // value name: "score"
  std::string accessor;  // function that returns its place in the arena: "output", or "output_score"
  std::string type;      // struct that describes it: "Output", or "Output_score"
  ValueId value = no_value;
};

/// An integer graph with everything decided: what is emitted is a function of this alone.
struct Program {
  Graph graph;
  const Core* core = nullptr;
  std::vector<Layer> layers;  // one per node; aliases have none of code
  Plan plan;
  std::vector<ProgramEnd> inputs, outputs;
  std::string source;         // model file, as the user named it
  std::int64_t macs = 0;      // of the network as given
};

/// Kernel calls, arena and ends. Fails when an operator has no kernel.
Result<Program> make_program(Graph graph, const Core& core, const PlanOptions& options);

/// Relative path → content; the same program always gives the same bytes.
using Files = std::map<std::string, std::string>;
Files emit(const Program& program, bool with_runtime);

// The parts of emit().
std::string emit_header(const Program& program);
std::string emit_source(const Program& program);
std::string emit_weights(const Program& program);
/// What is known before the program runs, by the schema of the JSON report.
std::string emit_report(const Program& program);

/// Bytes of all constants the program holds.
std::int64_t constant_bytes(const Program& program);
/// "arena + 64" or the name of a constant, as the expression a kernel call uses for a value.
std::string value_expression(const Program& program, ValueId id);
/// Flash name of a layer's array: "conv1_weights".
std::string array_name(const Node& node, const LayerArray& array);
std::string c_type(Element element);

}  // namespace corten
