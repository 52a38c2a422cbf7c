// SPDX-License-Identifier: Apache-2.0
// An exported program between its JSON and the source graph: names resolved, integers folded, not yet functional.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/formats/json.h"
#include "compiler/formats/torch_storage.h"
#include "compiler/frontends/pt2_archive.h"
#include "compiler/frontends/source_graph.h"

namespace corten::pt2 {

/// What the file says about a tensor value.
struct ValueFacts {
  const TorchScalar* scalar = nullptr;
  Shape shape;
  std::vector<std::int64_t> strides;  // in elements; empty when unknown
  std::string problem = "isn't described in the file";  // why the rest can't be used; empty when it can
};

/// A parameter, buffer or lifted constant as graph input.
struct StateInput {
  std::string value;
  ConstantRequest request;
};

/// A value that the program writes back into a buffer after each call.
struct StateUpdate {
  std::string value;
  std::string buffer;
  Origin origin;  // of the operator that writes; empty when it's the node that makes `value`
};

struct Program {
  std::vector<SourceValue> inputs;
  std::vector<StateInput> state;
  std::vector<SourceNode> nodes;
  std::vector<std::string> outputs;
  std::vector<StateUpdate> updates;
  std::unordered_map<std::string, ValueFacts> facts;
  Diagnostics warnings;
};

/// Resolves names and symbolic sizes (a symbolic batch becomes 1), folds integer nodes, inlines no_grad and autocast regions and drops
/// assertions. Nodes may still change values in place. Errors: damage, and whatever Corten has no meaning for, by name.
Result<Program> read_program(const Json& exported, const Origin& origin);

/// Base name of an operator: "aten.relu_.default" → "relu_", "higher_order.cond" → "cond".
std::string_view operator_name(std::string_view target);

}  // namespace corten::pt2
