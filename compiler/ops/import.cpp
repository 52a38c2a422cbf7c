// SPDX-License-Identifier: Apache-2.0
// From a source graph to the graph at stage imported: arguments, layouts, names, and the list of what isn't supported.
#include "compiler/ops/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/ops/reshape.h"
#include "compiler/ops/transpose.h"

namespace corten {
namespace {

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  return result;
}

/// permutation[i] = axis of a tensor lying in `from` that becomes axis i when it lies in `to`.
std::vector<std::int64_t> permutation_between(const std::vector<int>& from, const std::vector<int>& to) {
  const auto where = inverse(from);
  std::vector<std::int64_t> permutation;
  for (int axis : to) permutation.push_back(where[static_cast<std::size_t>(axis)]);
  return permutation;
}

/// Whether a transpose moves only axes of extent 1, so that the bytes stay as they are.
bool moves_nothing(const Shape& shape, const std::vector<std::int64_t>& permutation) {
  std::int64_t last = -1;
  for (auto axis : permutation) {
    if (shape[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Shape permuted(const Shape& shape, const std::vector<std::int64_t>& permutation) {
  Shape result;
  for (auto axis : permutation) result.push_back(shape[static_cast<std::size_t>(axis)]);
  return result;
}

const std::map<std::string_view, const Spelling*>& spellings() {
  static const auto all = [] {
    std::map<std::string_view, const Spelling*> result;
    for (const auto* op : operators())
      for (const auto& spelling : op->spellings()) result[spelling.target] = &spelling;
    return result;
  }();
  return all;
}

/// "conv2d" of "aten.conv2d.default".
std::string short_name(const std::string& target) {
  const auto begin = target.find('.') + 1;
  return target.substr(begin, target.find('.', begin) - begin);
}

/// Layer names come from the module path; a node outside any module keeps its own name.
std::string layer_name(const SourceNode& node) {
  return identifier(node.origin.module.empty() ? node.origin.node : node.origin.module);
}

}  // namespace

bool Operand::in_framework_order() const { return std::is_sorted(order.begin(), order.end()); }

int Operand::physical(std::int64_t axis) const {
  const auto rank = static_cast<std::int64_t>(order.size());
  return static_cast<int>(std::find(order.begin(), order.end(), static_cast<int>(axis < 0 ? axis + rank : axis)) - order.begin());
}

std::vector<int> framework_order(std::size_t rank) {
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> channels_last_order(std::size_t rank) {
  auto order = framework_order(rank);
  if (rank >= 3) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

Import::Import(const SourceGraph& source) : source_(source) { graph_.name = identifier(source.name); }

const SourceArgument* Import::find(std::string_view name) const {
  for (const auto& [key, value] : node_->arguments)
    if (key == name) return &value;
  return nullptr;
}

bool Import::has(std::string_view name) const {
  const auto* argument = find(name);
  return argument && !std::holds_alternative<std::monostate>(*argument);
}

bool Import::is_tensor(std::string_view name) const {
  const auto* argument = find(name);
  return argument && std::holds_alternative<SourceRef>(*argument);
}

std::int64_t Import::integer(std::string_view name, std::int64_t fallback) const {
  const auto* argument = find(name);
  if (const auto* value = argument ? std::get_if<std::int64_t>(argument) : nullptr) return *value;
  return argument ? static_cast<std::int64_t>(number(name, static_cast<double>(fallback))) : fallback;
}

double Import::number(std::string_view name, double fallback) const {
  const auto* argument = find(name);
  if (!argument) return fallback;
  if (const auto* value = std::get_if<double>(argument)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(argument)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<bool>(argument)) return *value ? 1 : 0;
  return fallback;
}

bool Import::boolean(std::string_view name, bool fallback) const { return number(name, fallback ? 1 : 0) != 0; }

std::string Import::text(std::string_view name, std::string fallback) const {
  const auto* argument = find(name);
  const auto* value = argument ? std::get_if<std::string>(argument) : nullptr;
  return value ? *value : fallback;
}

std::vector<std::int64_t> Import::integers(std::string_view name) const {
  const auto* argument = find(name);
  if (!argument) return {};
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(argument)) return *list;
  if (const auto* one = std::get_if<std::int64_t>(argument)) return {*one};
  return {};
}

std::vector<std::int64_t> Import::integers(std::string_view name, std::size_t count, std::vector<std::int64_t> fallback) const {
  auto list = integers(name);
  if (list.empty()) list = std::move(fallback);
  if (list.size() == 1) list.resize(count, list[0]);
  return list;
}

Operand Import::operand(std::string_view name) {
  const auto* argument = find(name);
  const auto* ref = argument ? std::get_if<SourceRef>(argument) : nullptr;
  if (!ref) return {};
  const auto found = bound_.find(ref->name);
  return found == bound_.end() ? Operand{} : found->second;
}

std::vector<Operand> Import::operands(std::string_view name) {
  const auto* argument = find(name);
  const auto* refs = argument ? std::get_if<std::vector<SourceRef>>(argument) : nullptr;
  std::vector<Operand> result;
  if (!refs) return result;
  for (const auto& ref : *refs) {
    const auto found = bound_.find(ref.name);
    result.push_back(found == bound_.end() ? Operand{} : found->second);
  }
  return result;
}

Operand Import::operand_or_scalar(std::string_view name) {
  if (is_tensor(name)) return operand(name);
  const auto value = static_cast<float>(number(name, 0));
  return {constant(fmt::format("{}_{}", node_->origin.node, name), Tensor::of<float>(Element::F32, {}, {value})), {}};
}

ValueId Import::in_order(const Operand& operand, const std::vector<int>& order) {
  if (operand.order == order) return operand.value;
  const auto permutation = permutation_between(operand.order, order);
  if (const auto* tensor = constant(operand.value)) {
    return derived_constant(operand.value, transpose(*tensor, permutation));
  }
  auto& known = transposed_.try_emplace({operand.value, order}, no_value).first->second;
  if (known != no_value) return known;
  const auto& from = shape(operand.value);
  if (moves_nothing(from, permutation)) return known = reshape(operand.value, permuted(from, permutation));
  return known = add(op("transpose"), parameters(TransposeParameters{permutation}), {operand.value});
}

ValueId Import::in_framework_order(const Operand& operand) { return in_order(operand, framework_order(operand.order.size())); }

ValueId Import::channels_last(std::string_view name) {
  const auto value = operand(name);
  return in_order(value, channels_last_order(value.order.size()));
}

std::vector<ValueId> Import::add_all(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != no_value && inputs[i] >= static_cast<ValueId>(graph_.values.size())) inputs[i] = no_value;
  Node node{unique_node_name(graph_, layer_name(*node_)), &op, std::move(parameters), std::move(inputs), {}, {node_->origin}};
  auto types = op.infer(Call(graph_, node));
  if (!types) {
    diagnostics_.insert(diagnostics_.end(), types.diagnostics().begin(), types.diagnostics().end());
    return {no_value};
  }
  for (auto& type : *types) {
    node.outputs.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back({unique_value_name(graph_, identifier(node_->origin.node)), std::move(type)});
  }
  graph_.nodes.push_back(node);
  return node.outputs;
}

ValueId Import::add(const Operator& op, ParametersPtr parameters, std::vector<ValueId> inputs) {
  return add_all(op, std::move(parameters), std::move(inputs)).front();
}

ValueId Import::reshape(ValueId value, Shape to) {
  if (value == no_value) return no_value;
  if (shape(value) == to) return value;
  if (const auto* tensor = constant(value)) {
    auto copy = *tensor;
    copy.shape = std::move(to);
    return derived_constant(value, std::move(copy));
  }
  return add(op("reshape"), parameters(ReshapeParameters{std::move(to)}), {value});
}

ValueId Import::constant(const std::string& name, Tensor tensor) {
  Type type{tensor.element, tensor.shape};
  graph_.values.push_back({unique_value_name(graph_, identifier(name)), std::move(type), std::make_shared<const Tensor>(std::move(tensor)),
                           {node_ ? node_->origin : Origin{}}});
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId Import::derived_constant(ValueId from, Tensor tensor) {
  const auto id = constant(graph_.value(from).name, std::move(tensor));
  graph_.value(id).origins = graph_.value(from).origins;
  return id;
}

void Import::result(ValueId value) {
  if (value != no_value) result(0, {value, corten::framework_order(shape(value).size())});
}

void Import::result_channels_last(ValueId value) {
  if (value != no_value) result(0, {value, channels_last_order(shape(value).size())});
}

void Import::result(std::size_t index, Operand operand) {
  if (!wants_result(index) || operand.value == no_value) return;
  bound_[node_->outputs[index]] = std::move(operand);
}

Diagnostic Import::error(std::string message, std::string help) const {
  return corten::error(short_name(node_->target) + ": " + std::move(message), node_->origin, std::move(help));
}

namespace {

Diagnostic unsupported(const SourceNode& node) {
  return error(fmt::format("operator {} is not supported", node.target), node.origin,
               "`corten ops` lists the supported operators and their limits");
}

std::vector<std::string_view> tensor_arguments(const SourceNode& node) {
  std::vector<std::string_view> names;
  for (const auto& [name, argument] : node.arguments) {
    if (const auto* ref = std::get_if<SourceRef>(&argument)) names.push_back(ref->name);
    if (const auto* refs = std::get_if<std::vector<SourceRef>>(&argument))
      for (const auto& ref : *refs) names.push_back(ref.name);
  }
  return names;
}

/// Sequences that a one-dimensional image operator reads lie as NLC already at the door.
bool read_as_sequence(const SourceGraph& source, const std::string& input) {
  return std::any_of(source.nodes.begin(), source.nodes.end(), [&](const SourceNode& node) {
    const auto names = tensor_arguments(node);
    const auto name = short_name(node.target);
    const bool image_operator = name.find("1d") != std::string::npos || name == "convolution" || name.find("batch_norm") != std::string::npos;
    return image_operator && std::find(names.begin(), names.end(), input) != names.end();
  });
}

}  // namespace

void Import::bind_inputs(bool framework_layout) {
  for (const auto& input : source_.inputs) {
    const auto rank = input.shape.size();
    const bool image = !framework_layout && (rank == 4 || (rank == 3 && read_as_sequence(source_, input.name)));
    const auto order = image ? channels_last_order(rank) : corten::framework_order(rank);
    Shape shape;
    for (int axis : order) shape.push_back(input.shape[static_cast<std::size_t>(axis)]);
    const auto id = static_cast<ValueId>(graph_.values.size());
    graph_.values.push_back({unique_value_name(graph_, identifier(input.name)), {input.element, shape}});
    graph_.inputs.push_back(id);
    graph_.input_orders.push_back(image ? order : std::vector<int>{});
    bound_[input.name] = {id, order};
  }
}

void Import::bind_constants() {
  for (const auto& source : source_.constants) {
    const auto id = constant(source.origin.node.empty() ? source.name : source.origin.node, source.tensor);
    graph_.value(id).origins = {source.origin};
    bound_[source.name] = {id, corten::framework_order(source.tensor.shape.size())};
  }
}

void Import::import_nodes() {
  const auto report = [&](const Diagnostics& found) { diagnostics_.insert(diagnostics_.end(), found.begin(), found.end()); };
  for (const auto& node : source_.nodes) {
    node_ = &node;
    const auto spelling = spellings().find(node.target);
    if (spelling == spellings().end()) {
      diagnostics_.push_back(unsupported(node));
      continue;
    }
    const auto names = tensor_arguments(node);
    const bool ready = std::all_of(names.begin(), names.end(), [&](auto name) { return bound_.count(name) > 0; });
    if (!ready) continue;  // reads a node that was reported already
    if (auto status = spelling->second->import(*this); !status) report(status.diagnostics());
  }
  if (diagnostics_.size() > max_diagnostics) diagnostics_.resize(max_diagnostics);
}

Status Import::bind_outputs(bool framework_layout) {
  const SourceNode door{"", {}, {}, {source_.name, "output", "", "", ""}};
  node_ = &door;
  for (const auto& name : source_.outputs) {
    const auto found = bound_.find(name);
    if (found == bound_.end()) return corten::error(fmt::format("output '{}' is made by no node", name), {source_.name, name, "", "", ""});
    const auto& operand = found->second;
    const bool image = !framework_layout && operand.order.size() >= 3 && operand.order == channels_last_order(operand.order.size());
    graph_.output_orders.push_back(image ? operand.order : std::vector<int>{});
    graph_.outputs.push_back(image ? operand.value : in_framework_order(operand));
  }
  node_ = nullptr;
  return {};
}

Result<Graph> import_graph(const SourceGraph& source, const ImportOptions& options) {
  Import import(source);
  import.bind_inputs(options.framework_layout);
  import.bind_constants();
  import.import_nodes();
  if (!import.diagnostics_.empty()) return import.diagnostics_;
  CORTEN_CHECK(import.bind_outputs(options.framework_layout));
  remove_dead(import.graph_);
  return std::move(import.graph_);
}

Status import_elementwise(Import& import, std::string_view argument, const Operator& op, ParametersPtr parameters) {
  const auto operand = import.operand(argument);
  import.result({import.add(op, std::move(parameters), {operand.value}), operand.order});
  return {};
}

namespace {
/// The operand with leading axes of extent 1 up to `rank`.
Operand padded(Import& import, const Operand& operand, std::size_t rank) {
  if (operand.order.size() == rank) return operand;
  const auto value = import.in_framework_order(operand);
  Shape shape(rank - operand.order.size(), 1);
  const auto& tail = import.shape(value);
  shape.insert(shape.end(), tail.begin(), tail.end());
  return {import.reshape(value, shape), framework_order(rank)};
}
}  // namespace

Status import_binary(Import& import, std::string_view first, std::string_view second, const Operator& op, ParametersPtr parameters) {
  auto a = import.operand_or_scalar(first), b = import.operand_or_scalar(second);
  const auto rank = std::max(a.order.size(), b.order.size());
  a = padded(import, a, rank);
  b = padded(import, b, rank);
  const auto is_constant = [&](const Operand& operand) { return import.constant(operand.value) != nullptr; };
  const bool follow_second = is_constant(a) || (!is_constant(b) && a.in_framework_order() && !b.in_framework_order());
  const auto order = follow_second ? b.order : a.order;
  const auto x = import.in_order(a, order), y = import.in_order(b, order);
  import.result({import.add(op, std::move(parameters), {x, y}), order});
  return {};
}

}  // namespace corten
