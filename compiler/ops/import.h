// SPDX-License-Identifier: Apache-2.0
// What a spelling's import function sees: the source node's arguments, and the graph being built.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/frontends/source_graph.h"
#include "compiler/ops/operator.h"

namespace corten {

/// A value of the graph and how its axes lie: physical axis i is the framework's axis order[i].
/// Images live as NHWC, order {0, 2, 3, 1}; sequences as NLC, order {0, 2, 1}.
struct Operand {
  ValueId value = no_value;
  std::vector<int> order;

  bool in_framework_order() const;
  /// Physical axis of the framework's axis, which may be negative. Precondition: it is in range.
  int physical(std::int64_t axis) const;
};

std::vector<int> channels_last_order(std::size_t rank);
std::vector<int> framework_order(std::size_t rank);

/// Builds a graph from a source graph, node by node.
class Import {
 public:
  explicit Import(const SourceGraph& source);

  // --- arguments of the current node, by schema name; the fallback is the schema's default ---
  bool has(std::string_view name) const;  // present and not None
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  double number(std::string_view name, double fallback) const;
  bool boolean(std::string_view name, bool fallback) const;
  std::string text(std::string_view name, std::string fallback) const;
  /// A list of `count` integers; one integer or a list of one is repeated.
  std::vector<std::int64_t> integers(std::string_view name, std::size_t count, std::vector<std::int64_t> fallback) const;
  /// A list of any length.
  std::vector<std::int64_t> integers(std::string_view name) const;
  /// Whether the argument is a tensor (and not a Python number).
  bool is_tensor(std::string_view name) const;

  // --- operands: tensors in the layout the operator wants ---
  Operand operand(std::string_view name);                // as it lies
  std::vector<Operand> operands(std::string_view name);  // a list of tensors
  ValueId in_framework_order(const Operand& operand);    // transposed back if it lies otherwise
  ValueId in_framework_order(std::string_view name) { return in_framework_order(operand(name)); }
  ValueId channels_last(std::string_view name);          // NHWC or NLC for rank 4 or 3
  /// Transposed so that it lies in `order`; constants are transposed at once.
  ValueId in_order(const Operand& operand, const std::vector<int>& order);
  /// A tensor argument or a Python number as a rank-0 constant.
  Operand operand_or_scalar(std::string_view name);

  const Graph& graph() const { return graph_; }
  const Shape& shape(ValueId value) const { return graph_.type(value).shape; }
  std::int64_t rank(std::string_view name) { return static_cast<std::int64_t>(shape(operand(name).value).size()); }
  const Tensor* constant(ValueId value) const { return value == no_value ? nullptr : graph_.value(value).constant.get(); }

  // --- building ---
  /// Adds a node named after the user's module; its (first) output, or no_value after a diagnostic was recorded.
  ValueId add(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs);
  std::vector<ValueId> add_all(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs);
  ValueId reshape(ValueId value, Shape shape);
  ValueId constant(const std::string& name, Tensor tensor);
  /// A constant computed from constant `from`; it keeps its name and origin.
  ValueId derived_constant(ValueId from, Tensor tensor);
  /// Binds output `index` of the source node.
  void result(std::size_t index, Operand operand);
  void result(Operand operand) { result(0, std::move(operand)); }
  void result(ValueId value);
  void result_channels_last(ValueId value);
  std::size_t results() const { return node_->outputs.size(); }
  bool wants_result(std::size_t index) const { return index < node_->outputs.size() && !node_->outputs[index].empty(); }

  Diagnostic error(std::string message, std::string help = {}) const;
  const SourceNode& node() const { return *node_; }

 private:
  friend Result<Graph> import_graph(const SourceGraph&, const struct ImportOptions&);
  const SourceArgument* find(std::string_view name) const;
  void bind_inputs(bool framework_layout);
  void bind_constants();
  void import_nodes();
  Status bind_outputs(bool framework_layout);

  const SourceGraph& source_;
  Graph graph_;
  const SourceNode* node_ = nullptr;
  std::map<std::string, Operand, std::less<>> bound_;
  std::map<std::pair<ValueId, std::vector<int>>, ValueId> transposed_;
  Diagnostics diagnostics_;
};

struct ImportOptions {
  bool framework_layout = false;  // --io-layout model: ends keep the file's layout (NCHW)
};

/// The graph at stage *imported*. Every source node that no operator understands is listed, not just the first.
Result<Graph> import_graph(const SourceGraph& source, const ImportOptions& options = {});

// Shapes of import functions that many spellings share.
/// One tensor in, one out, element by element: the layout stays.
Status import_elementwise(Import& import, std::string_view argument, const Operator& op, ParametersPtr parameters);
/// Two operands, broadcast: laid out alike, the result lies as the first operand that isn't constant.
Status import_binary(Import& import, std::string_view first, std::string_view second, const Operator& op, ParametersPtr parameters);

}  // namespace corten
