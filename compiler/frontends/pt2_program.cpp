// SPDX-License-Identifier: Apache-2.0
// Walks the serialized graph of an exported program.
#include "compiler/frontends/pt2_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "compiler/frontends/pt2_origin.h"
#include "compiler/frontends/pt2_scope.h"
#include "compiler/frontends/pt2_symbols.h"

namespace corten::pt2 {
namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 16;
constexpr int most_inlined_depth = 8;
constexpr std::int64_t strided_layout = 7;
constexpr std::string_view higher_order = "higher_order.";

struct Names {
  std::unordered_map<std::string_view, const Json*> entries;

  explicit Names(const Json* object) {
    if (!object || !object->IsObject()) return;
    for (const auto& member : object->GetObject())
      entries.emplace(std::string_view(member.name.GetString(), member.name.GetStringLength()), &member.value);
  }
  const Json* find(std::string_view name) const {
    const auto found = entries.find(name);
    return found == entries.end() ? nullptr : found->second;
  }
};

// One serialized graph with what it says about its values.
struct GraphJson {
  const Json& json;
  Names tensors;
  Names integers;

  explicit GraphJson(const Json& graph)
      : json(graph), tensors(json::field(graph, "tensor_values")), integers(json::field(graph, "sym_int_values")) {}
};

bool is_scalar_kind(std::string_view kind) {
  constexpr std::array kinds = {"as_sym_int", "as_sym_float", "as_sym_bool", "as_int", "as_float", "as_bool"};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool is_assertion(std::string_view target) {
  const auto name = operator_name(target);
  return name.starts_with("_assert_") || name.starts_with("sym_constrain_");
}

std::string without_prefix(std::string target) {
  constexpr std::string_view prefix = "torch.ops.";
  return target.starts_with(prefix) ? target.substr(prefix.size()) : target;
}

class ProgramReader {
 public:
  ProgramReader(const Json& exported, const Origin& file) : exported_(exported), file_(file) {}

  Result<Program> run() {
    CORTEN_CHECK(check_schema());
    const auto* module = json::field(exported_, "graph_module");
    const auto* graph_json = module ? json::field(*module, "graph") : nullptr;
    const auto* signature = module ? json::field(*module, "signature") : nullptr;
    if (!graph_json || !signature) return error("found a program without graph or signature", file_);
    const GraphJson graph(*graph_json);
    learn_symbols(graph, *signature);
    Scope scope;
    CORTEN_CHECK(read_inputs(graph, *signature, scope));
    CORTEN_CHECK(read_nodes(graph, scope, 0));
    CORTEN_CHECK(read_outputs(graph, *signature, scope));
    return std::move(program_);
  }

 private:
  Status check_schema() {
    const auto* version = json::field(exported_, "schema_version");
    const auto major = version ? json::integer(json::field(*version, "major")) : std::nullopt;
    if (!major) return error("found JSON without a schema version, expected an exported program", file_);
    if (*major == 8) return {};
    if (*major != 7)
      return error(fmt::format("found schema version {}, expected 8", *major), file_, "export the model with PyTorch 2.6 or later");
    program_.warnings.push_back({"found schema version 7, reading it as version 8", file_, {}, Severity::Warning});
    return {};
  }

  // Any symbol that is the outermost extent of a user input counts as batch, of which a microcontroller has one.
  void learn_symbols(const GraphJson& graph, const Json& signature) {
    for (const auto* specification : json::elements(json::field(signature, "input_specs"))) {
      const auto* user = json::field(*specification, "user_input");
      const auto* argument = user ? json::field(*user, "arg") : nullptr;
      const auto* tensor = argument ? json::field(*argument, "as_tensor") : nullptr;
      const auto name = tensor ? name_of(*tensor) : std::nullopt;
      const auto* meta = name ? graph.tensors.find(*name) : nullptr;
      const auto* sizes = meta ? json::field(*meta, "sizes") : nullptr;
      if (!sizes || !sizes->IsArray() || sizes->Empty()) continue;
      if (const auto symbol = lone_symbol((*sizes)[0])) symbols_.set(*symbol, 1);
      warn_of_dynamic_sizes(*name, *sizes);
    }
    for (const auto& [name, integer] : graph.integers.entries) symbols_.note_hint(*integer);
    for (const auto& [name, meta] : graph.tensors.entries) {
      const auto* sizes = json::field(*meta, "sizes");
      if (!sizes || !sizes->IsArray()) continue;
      for (const auto& size : sizes->GetArray()) symbols_.note_hint(size);
    }
  }

  void warn_of_dynamic_sizes(std::string_view input, const Json& sizes) {
    for (rapidjson::SizeType axis = 1; axis < sizes.Size(); ++axis)
      if (lone_symbol(sizes[axis]))
        program_.warnings.push_back({fmt::format("dimension {} of input '{}' is dynamic, taken as in the example input", axis, shown(input)), file_,
                                     "export with dynamic_shapes for the batch alone", Severity::Warning});
  }

  // Inputs

  Status read_inputs(const GraphJson& graph, const Json& signature, Scope& scope) {
    const auto* inputs = json::field(graph.json, "inputs");
    const auto* specifications = json::field(signature, "input_specs");
    if (!inputs || !specifications || !inputs->IsArray() || !specifications->IsArray() || inputs->Size() != specifications->Size())
      return error("found graph inputs that don't match the signature", file_);
    if (inputs->Size() > most_nodes) return error(fmt::format("found {} graph inputs, expected at most {}", inputs->Size(), most_nodes), file_);
    Diagnostics problems;
    for (rapidjson::SizeType i = 0; i < inputs->Size(); ++i) collect(read_input(graph, (*inputs)[i], (*specifications)[i], scope), problems);
    return problems.empty() ? Status() : Status(problems);
  }

  Status read_input(const GraphJson& graph, const Json& argument, const Json& specification, Scope& scope) {
    const auto given = json::union_case(specification);
    if (!given || !given->value->IsObject()) return error("found a damaged input specification", file_);
    const auto& [kind, content] = *given;
    if (kind == "user_input") return read_user_input(graph, argument, scope);
    if (kind == "constant_input") return bind_constant(*content, scope);
    if (kind == "parameter") return read_state(graph, *content, "parameter_name", scope);
    if (kind == "buffer") return read_state(graph, *content, "buffer_name", scope);
    if (kind == "tensor_constant") return read_state(graph, *content, "tensor_constant_name", scope);
    if (kind == "token") return {};
    const auto* custom = json::field(*content, "arg");
    return error(fmt::format("model input '{}' is of kind '{}', which Corten doesn't support",
                             custom ? shown(name_of(*custom).value_or("")) : "", shown(kind)),
                 file_);
  }

  Status read_user_input(const GraphJson& graph, const Json& argument, Scope& scope) {
    const auto given = json::union_case(argument);
    if (!given) return error("found a damaged input", file_);
    if (given->kind == "as_none") return {};
    const auto name = given->kind == "as_tensor" ? name_of(*given->value) : std::nullopt;
    if (!name) {
      const auto* symbol = given->value->IsObject() ? json::field(*given->value, "as_name") : nullptr;
      return error(fmt::format("input '{}' is of kind '{}', expected a tensor", symbol ? shown(json::text(symbol).value_or("")) : "",
                               shown(given->kind)),
                   file_, "export the model with this argument fixed, for instance through functools.partial or a wrapping module");
    }
    CORTEN_CHECK(define(graph, *name, *name, scope, file_));
    const auto& facts = program_.facts[*name];
    auto origin = file_;
    origin.node = *name;
    if (!facts.problem.empty()) return error(fmt::format("input '{}' {}", shown(*name), facts.problem), origin);
    program_.inputs.push_back({*name, *facts.scalar->element, facts.shape});
    return {};
  }

  Status read_state(const GraphJson& graph, const Json& content, const char* name_field, Scope& scope) {
    const auto* argument = json::field(content, "arg");
    const auto value = argument ? name_of(*argument) : std::nullopt;
    const auto name = json::text(json::field(content, name_field));
    if (!value || !name) return error("found a damaged parameter or buffer specification", file_);
    CORTEN_CHECK(define(graph, *value, *value, scope, file_));
    const bool lifted = name_field == std::string_view("tensor_constant_name");
    auto origin = file_;
    origin.node = *name;
    program_.state.push_back({*value, {*name, lifted || !json::boolean(json::field(content, "persistent")).value_or(true), origin}});
    return {};
  }

  Status bind_constant(const Json& content, Scope& scope) {
    const auto name = json::text(json::field(content, "name"));
    if (!name) return error("found a damaged constant input", file_);
    const auto* value = json::field(content, "value");
    const auto scalar = value ? scalar_operand(*value, scope) : std::nullopt;
    if (scalar) scope.emplace(*name, *scalar);
    else scope.emplace(*name, std::monostate());
    return {};
  }

  // Values

  Status define(const GraphJson& graph, const std::string& name, const std::string& value, Scope& scope, const Origin& origin) {
    if (name.empty() || !scope.emplace(name, SourceRef{value}).second || !defined_.insert(value).second)
      return error(fmt::format("defines '{}' a second time", shown(name)), origin);
    program_.facts.emplace(value, read_facts(graph.tensors.find(name)));
    return {};
  }

  ValueFacts read_facts(const Json* meta) const {
    ValueFacts facts;
    const auto code = meta ? json::integer(json::field(*meta, "dtype")) : std::nullopt;
    if (!code) return facts;
    facts.scalar = torch_scalar(*code);
    if (json::integer(json::field(*meta, "layout")).value_or(strided_layout) != strided_layout) facts.problem = "is sparse, expected a dense tensor";
    else if (!facts.scalar) facts.problem = fmt::format("has scalar type {}, which is unknown", *code);
    else if (!facts.scalar->element) facts.problem = fmt::format("holds {}, which Corten doesn't support", facts.scalar->name);
    else if (!read_sizes(json::field(*meta, "sizes"), facts.shape) || !shape_plausible(facts.shape)) facts.problem = "has a size that isn't known or possible";
    else facts.problem.clear();
    if (!read_sizes(json::field(*meta, "strides"), facts.strides) || facts.strides.size() != facts.shape.size()) facts.strides.clear();
    return facts;
  }

  bool read_sizes(const Json* list, std::vector<std::int64_t>& into) const {
    if (!list || !list->IsArray() || list->Size() > most_dimensions) return false;
    for (const auto& size : list->GetArray()) {
      const auto value = symbols_.value(size);
      if (!value) return false;
      into.push_back(*value);
    }
    return true;
  }

  // An inlined region has names of its own, which may repeat those around it.
  std::string fresh(const std::string& name, int depth) {
    if (depth == 0) return name;
    auto candidate = name;
    for (int i = 1; defined_.contains(candidate); ++i) candidate = fmt::format("{}_inlined_{}", name, i + ++inlined_names_);
    return candidate;
  }

  // Nodes

  Status read_nodes(const GraphJson& graph, Scope& scope, int depth) {
    const auto* nodes = json::field(graph.json, "nodes");
    if (!nodes || !nodes->IsArray()) return error("found a graph without nodes", file_);
    Diagnostics problems;
    for (const auto& node : nodes->GetArray()) {
      if (++nodes_ > most_nodes) return error(fmt::format("found more than {} nodes", most_nodes), file_);
      collect(read_node(graph, node, scope, depth), problems);
      if (problems.size() >= max_diagnostics) break;
    }
    return problems.empty() ? Status() : Status(problems);
  }

  Status read_node(const GraphJson& graph, const Json& node, Scope& scope, int depth) {
    const auto target = json::text(json::field(node, "target"));
    const auto* inputs = json::field(node, "inputs");
    const auto* outputs = json::field(node, "outputs");
    if (!target || !inputs || !inputs->IsArray() || !outputs || !outputs->IsArray()) return error("found a damaged node", file_);
    const auto name = without_prefix(*target);
    const auto origin = origin_of(node, name, *outputs);
    if (is_assertion(name)) return {};
    if (name.starts_with(higher_order)) return read_region(name, *inputs, *outputs, origin, scope, depth);
    if (is_scalar_node(*outputs)) return fold_node(graph, name, *inputs, *outputs, scope, origin);
    SourceNode result{name, {}, {}, origin};
    for (const auto& input : inputs->GetArray()) CORTEN_CHECK(read_argument(input, scope, result));
    for (const auto& output : outputs->GetArray()) CORTEN_CHECK(read_results(graph, output, scope, depth, result));
    program_.nodes.push_back(std::move(result));
    return {};
  }

  Origin origin_of(const Json& node, const std::string& target, const Json& outputs) const {
    Origin origin = file_;
    origin.target = target;
    origin.node = shown(json::text(json::field(node, "name")).value_or(""));
    for (const auto& output : outputs.GetArray()) {  // archives up to PyTorch 2.8 name results only
      const auto given = json::union_case(output);
      if (!given || !origin.node.empty()) break;
      const auto* first = given->value->IsArray() && !given->value->Empty() ? &(*given->value)[0] : given->value;
      origin.node = shown(name_of(*first).value_or(""));
    }
    const auto* metadata = json::field(node, "metadata");
    if (!metadata) return origin;
    const auto modules = json::text(json::field(*metadata, "nn_module_stack")).value_or("");
    origin.module = shown(module_path(modules));
    origin.module_type = shown(module_type(modules));
    origin.source = source_line(json::text(json::field(*metadata, "stack_trace")).value_or(""));
    return origin;
  }

  Status read_argument(const Json& input, const Scope& scope, SourceNode& node) const {
    const auto name = json::text(json::field(input, "name"));
    const auto* argument = json::field(input, "arg");
    if (!name || !argument) return error("found a damaged argument", node.origin);
    auto resolved = resolve_argument(*argument, scope, node.origin);
    if (!resolved) {
      auto diagnostics = resolved.diagnostics();
      for (auto& diagnostic : diagnostics) diagnostic.message = fmt::format("argument '{}': {}", shown(*name), diagnostic.message);
      return diagnostics;
    }
    if (*resolved) node.arguments.emplace_back(*name, std::move(**resolved));
    return {};
  }

  Status read_results(const GraphJson& graph, const Json& output, Scope& scope, int depth, SourceNode& node) {
    const auto given = json::union_case(output);
    if (!given) return error("found a damaged result", node.origin);
    const auto& [kind, value] = *given;
    if (kind == "as_none") {
      node.outputs.emplace_back();
      return {};
    }
    if (kind == "as_tensor") return read_result(graph, *value, scope, depth, node);
    if (kind != "as_tensors" || !value->IsArray())
      return error(fmt::format("found a result of kind '{}', which Corten doesn't support", shown(kind)), node.origin);
    for (const auto& one : value->GetArray()) CORTEN_CHECK(read_result(graph, one, scope, depth, node));
    return {};
  }

  Status read_result(const GraphJson& graph, const Json& tensor, Scope& scope, int depth, SourceNode& node) {
    const auto name = name_of(tensor);
    if (!name) return error("found a result without a name", node.origin);
    const auto value = fresh(*name, depth);
    CORTEN_CHECK(define(graph, *name, value, scope, node.origin));
    node.outputs.push_back(value);
    return {};
  }

  // Scalars

  static bool is_scalar_node(const Json& outputs) {
    if (outputs.Empty()) return false;
    for (const auto& output : outputs.GetArray()) {
      const auto given = json::union_case(output);
      if (!given || !is_scalar_kind(given->kind)) return false;
    }
    return true;
  }

  Status fold_node(const GraphJson& graph, const std::string& target, const Json& inputs, const Json& outputs, Scope& scope,
                   const Origin& origin) {
    Scalar value = operator_name(target) == "sym_size" ? fold_size(inputs, scope) : fold(target, operands(inputs, scope));
    for (const auto& output : outputs.GetArray()) {
      const auto name = json::text(json::field(*json::union_case(output)->value, "as_name"));
      if (!name) continue;
      if (std::holds_alternative<std::monostate>(value)) value = listed_value(graph, *name);
      if (!scope.emplace(*name, value).second) return error(fmt::format("defines '{}' a second time", shown(*name)), origin);
    }
    return {};
  }

  Scalar listed_value(const GraphJson& graph, const std::string& name) const {
    const auto* listed = graph.integers.find(name);
    const auto value = listed ? symbols_.value(*listed) : std::nullopt;
    return value ? Scalar(*value) : Scalar();
  }

  std::vector<Scalar> operands(const Json& inputs, const Scope& scope) const {
    std::vector<Scalar> result;
    for (const auto& input : inputs.GetArray()) {
      const auto* argument = json::field(input, "arg");
      const auto operand = argument ? scalar_operand(*argument, scope) : std::nullopt;
      result.push_back(operand.value_or(Scalar()));
    }
    return result;
  }

  Scalar fold_size(const Json& inputs, const Scope& scope) const {
    if (inputs.Size() != 2) return {};
    const auto* tensor = json::field(inputs[0], "arg");
    const auto* axis_json = json::field(inputs[1], "arg");
    if (!tensor || !axis_json) return {};
    const auto resolved = resolve_argument(*tensor, scope, {});
    const auto axis = scalar_operand(*axis_json, scope);
    if (!resolved || !*resolved || !axis) return {};
    const auto* value = std::get_if<SourceRef>(&**resolved);
    const auto* index = std::get_if<std::int64_t>(&*axis);
    const auto facts = value ? program_.facts.find(value->name) : program_.facts.end();
    if (facts == program_.facts.end() || !index || !facts->second.problem.empty()) return {};
    const auto rank = static_cast<std::int64_t>(facts->second.shape.size());
    if (*index < -rank || *index >= rank) return {};
    return facts->second.shape[static_cast<std::size_t>(*index < 0 ? *index + rank : *index)];
  }

  // Regions: sub-graphs that run once, in place

  Status read_region(const std::string& target, const Json& inputs, const Json& outputs, const Origin& origin, Scope& scope, int depth) {
    const bool autocast = operator_name(target).starts_with("wrap_with_autocast");
    if (!autocast && !operator_name(target).starts_with("wrap_with_set_grad_enabled"))
      return error(fmt::format("found '{}', which Corten doesn't support", shown(target)), origin, "export a model without control flow");
    if (depth >= most_inlined_depth) return error(fmt::format("found regions nested deeper than {}", most_inlined_depth), origin);
    if (autocast) program_.warnings.push_back({"autocast is ignored, the region is read as float32", origin, {}, Severity::Warning});
    rapidjson::SizeType at = 0;
    const Json* inner_json = nullptr;
    for (; at < inputs.Size() && !inner_json; ++at) {
      const auto* argument = json::field(inputs[at], "arg");
      const auto* region = argument ? json::field(*argument, "as_graph") : nullptr;
      inner_json = region ? json::field(*region, "graph") : nullptr;
    }
    if (!inner_json) return error("found a region without a graph", origin);
    const GraphJson inner(*inner_json);
    Scope inner_scope;
    CORTEN_CHECK(bind_operands(inner, inputs, at, origin, scope, inner_scope));
    CORTEN_CHECK(read_nodes(inner, inner_scope, depth + 1));
    return bind_region_results(inner, outputs, origin, inner_scope, scope);
  }

  static Status bind_operands(const GraphJson& inner, const Json& inputs, rapidjson::SizeType first, const Origin& origin,
                              const Scope& scope, Scope& inner_scope) {
    const auto formal = json::elements(json::field(inner.json, "inputs"));
    if (formal.size() != inputs.Size() - first) return error("found a region with another number of operands than inputs", origin);
    for (std::size_t i = 0; i < formal.size(); ++i) {
      const auto given = json::union_case(*formal[i]);
      const auto* actual = json::field(inputs[first + static_cast<rapidjson::SizeType>(i)], "arg");
      if (!given || !actual) return error("found a damaged region operand", origin);
      if (given->kind == "as_none") continue;
      const auto name = given->kind == "as_tensor" ? name_of(*given->value) : json::text(json::field(*given->value, "as_name"));
      if (!name) continue;
      if (const auto scalar = scalar_operand(*actual, scope)) {
        inner_scope.emplace(*name, *scalar);
        continue;
      }
      CORTEN_TRY(const auto resolved, resolve_argument(*actual, scope, origin));
      const auto* value = resolved ? std::get_if<SourceRef>(&*resolved) : nullptr;
      if (!value) return error("found a damaged region operand", origin);
      inner_scope.emplace(*name, *value);
    }
    return {};
  }

  static Status bind_region_results(const GraphJson& inner, const Json& outputs, const Origin& origin, const Scope& inner_scope,
                                    Scope& scope) {
    std::vector<std::string> names;
    for (const auto& output : outputs.GetArray()) {
      const auto given = json::union_case(output);
      if (!given) return error("found a damaged result", origin);
      for (const auto* one : given->kind == "as_tensors" ? json::elements(given->value) : std::vector<const Json*>{given->value})
        names.push_back(name_of(*one).value_or(""));
    }
    std::vector<const Json*> results;
    for (const auto* output : json::elements(json::field(inner.json, "outputs"))) results.push_back(output);
    if (names.size() != results.size()) return error("found a region with another number of outputs than results", origin);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) continue;
      CORTEN_TRY(const auto resolved, resolve_argument(*results[i], inner_scope, origin));
      const auto* value = resolved ? std::get_if<SourceRef>(&*resolved) : nullptr;
      if (!value) return error("found a region result that isn't a tensor", origin);
      if (!scope.emplace(names[i], *value).second) return error(fmt::format("defines '{}' a second time", shown(names[i])), origin);
    }
    return {};
  }

  // Outputs

  Status read_outputs(const GraphJson& graph, const Json& signature, const Scope& scope) {
    const auto* outputs = json::field(graph.json, "outputs");
    const auto* specifications = json::field(signature, "output_specs");
    if (!outputs || !specifications || !outputs->IsArray() || !specifications->IsArray() || outputs->Size() != specifications->Size())
      return error("found graph outputs that don't match the signature", file_);
    Diagnostics problems;
    for (rapidjson::SizeType i = 0; i < outputs->Size(); ++i) collect(read_output((*outputs)[i], (*specifications)[i], i, scope), problems);
    return problems.empty() ? Status() : Status(problems);
  }

  Status read_output(const Json& argument, const Json& specification, std::size_t index, const Scope& scope) {
    const auto given = json::union_case(specification);
    const auto result = json::union_case(argument);
    if (!given || !result || !given->value->IsObject()) return error("found a damaged output specification", file_);
    const auto& [kind, content] = *given;
    if (kind == "token") return {};
    if (kind == "user_output" && result->kind == "as_none") {
      warn(fmt::format("output {} is None and left out", index));
      return {};
    }
    if (result->kind != "as_tensor")
      return error(fmt::format("output {} is of kind '{}', expected a tensor", index, shown(result->kind)), file_,
                   "return tensors only from forward");
    CORTEN_TRY(const auto resolved, resolve_argument(argument, scope, file_));
    const auto* value = resolved ? std::get_if<SourceRef>(&*resolved) : nullptr;
    if (!value) return error(fmt::format("output {} is None, expected a tensor", index), file_);
    if (kind == "user_output") program_.outputs.push_back(value->name);
    else if (kind == "buffer_mutation") program_.updates.push_back({value->name, json::text(json::field(*content, "buffer_name")).value_or(""), {}});
    else if (kind == "parameter_mutation") program_.updates.push_back({value->name, json::text(json::field(*content, "parameter_name")).value_or(""), {}});
    else if (kind == "user_input_mutation") warn(fmt::format("input '{}' is changed in place; the change isn't handed back", shown(json::text(json::field(*content, "user_input_name")).value_or(""))));
    else return error(fmt::format("output {} is of kind '{}', expected a model for inference", index, shown(kind)), file_);
    return {};
  }

  void warn(std::string message) { program_.warnings.push_back({std::move(message), file_, {}, Severity::Warning}); }

  static void collect(const Status& status, Diagnostics& problems) {
    for (const auto& problem : status.diagnostics())
      if (problems.size() < max_diagnostics) problems.push_back(problem);
  }

  const Json& exported_;
  const Origin& file_;
  Program program_;
  Symbols symbols_;
  std::unordered_set<std::string> defined_;
  std::size_t nodes_ = 0;
  int inlined_names_ = 0;
};

}  // namespace

std::string_view operator_name(std::string_view target) {
  const auto last = target.rfind('.');
  if (last == std::string_view::npos) return target;
  const auto before = target.substr(0, last).rfind('.');
  if (before == std::string_view::npos) return target.substr(last + 1);
  return target.substr(before + 1, last - before - 1);
}

Result<Program> read_program(const Json& exported, const Origin& origin) { return ProgramReader(exported, origin).run(); }

}  // namespace corten::pt2
