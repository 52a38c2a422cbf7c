// SPDX-License-Identifier: Apache-2.0
// The graph every stage of the compiler works on: typed values, nodes in execution order.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/parameters.h"
#include "compiler/ir/tensor.h"
#include "compiler/ir/type.h"
#include "compiler/quantize/fixed_point.h"
#include "corten/result.h"

namespace corten {

class Operator;

/// Index into Graph::values.
using ValueId = std::int32_t;
/// An optional input that is absent.
inline constexpr ValueId no_value = -1;

/// How far a graph has come; each has a verifier (ir/verify.h) and can be interpreted.
enum class Stage : std::uint8_t { Imported, Annotated, Folded, Integer };
std::string_view to_string(Stage stage);
std::optional<Stage> parse_stage(std::string_view text);

struct Value {
  std::string name;  // an identifier, unique in the graph
  Type type;
  std::shared_ptr<const Tensor> constant = {};  // set when the value is known at compile time
  std::vector<Origin> origins = {};             // of constants
};

struct Node {
  std::string name;  // layer name: an identifier made of the user's module path, unique in the graph
  const Operator* op = nullptr;
  ParametersPtr parameters;
  std::vector<ValueId> inputs;   // no_value where an optional input is absent
  std::vector<ValueId> outputs;
  std::vector<Origin> origins;  // merged nodes have several, first one leads
};

struct Graph {
  std::string name;
  Stage stage = Stage::Imported;
  Rounding rounding = Rounding::Double;
  std::vector<Value> values;
  std::vector<Node> nodes;  // topological order
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// How the ends lie: axis i of inputs[k] is the framework's axis input_orders[k][i]. An empty order is the framework's own.
  std::vector<std::vector<int>> input_orders, output_orders;

  const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }
  const Type& type(ValueId id) const { return value(id).type; }
  /// Node index that makes each value; −1 for inputs and constants.
  std::vector<int> producers() const;
  /// Node indices that read each value, in order, a node once per read.
  std::vector<std::vector<int>> consumers() const;
  bool is_output(ValueId id) const;
};

/// `text` as a C identifier: other characters become '_', a leading digit gets a '_' in front.
std::string identifier(std::string_view text);

/// Leading origin of a node, or an empty one.
Origin leading_origin(const Node& node);

/// Typed view of one node for the operator hooks.
class Call {
 public:
  Call(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}
  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  std::size_t inputs() const { return node_.inputs.size(); }
  bool has_input(std::size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != no_value; }
  const Type& input(std::size_t i) const { return graph_.type(node_.inputs[i]); }
  const Shape& shape(std::size_t i) const { return input(i).shape; }
  const Type& output(std::size_t i = 0) const { return graph_.type(node_.outputs[i]); }
  /// The constant behind input i, or null.
  const Tensor* constant(std::size_t i) const { return has_input(i) ? graph_.value(node_.inputs[i]).constant.get() : nullptr; }
  template <class P>
  const P& parameters() const { return static_cast<const ParametersOf<P>&>(*node_.parameters).value(); }
  Origin origin() const { return leading_origin(node_); }
  Diagnostic error(std::string message, std::string help = {}) const;

 private:
  const Graph& graph_;
  const Node& node_;
};

}  // namespace corten
