// SPDX-License-Identifier: Apache-2.0
// Moves quantization from quantize and dequantize nodes into the types of the operators between them.
//   %r: f32[4] = dequantize(%q); %c: f32[4] = clamp(%r); %y: i8[4] quantized(…) = quantize(%c)
//   →
//   %y: i8[4] quantized(…) = clamp(%q)
#include "compiler/ops/quantize.h"
#include "compiler/passes/match.h"
#include "compiler/passes/pass.h"

namespace corten {
namespace {

class Fold {
 public:
  explicit Fold(Graph& graph) : graph_(graph), match_(graph), patch_(graph, "fold_quantization"), nodes_(graph.nodes) {}

  Status run() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      patch_.at(static_cast<int>(n));
      const auto& node = nodes_[n];
      if (Match::is(node, "quantize")) {
        CORTEN_CHECK(fold_pair(node));
      } else if (!node.op->integer() && is_between_codes(node)) {
        CORTEN_CHECK(fold_node(node));
      }
    }
    patch_.apply();
    graph_.stage = Stage::Folded;
    return {};
  }

 private:
  /// Every float input comes from a dequantize, every reader of every output is a quantize onto one grid.
  bool is_between_codes(const Node& node) const {
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != no_value && graph_.type(node.inputs[i]).element == Element::F32 && match_.producer(node, i, "dequantize") < 0) return false;
    for (auto output : node.outputs)
      if (!grid_of_readers(output)) return false;
    return !node.inputs.empty();
  }

  std::optional<Quantization> grid_of_readers(ValueId id) const {
    std::optional<Quantization> grid;
    if (graph_.is_output(id)) return std::nullopt;
    for (int reader : match_.consumers(id)) {
      const auto& node = match_.at(reader);
      if (!Match::is(node, "quantize")) return std::nullopt;
      const auto& q = graph_.type(node.outputs[0]).quantization;
      if (grid && !(grid == q)) return std::nullopt;
      grid = q;
    }
    return grid;
  }

  Status fold_node(const Node& node) {
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const int from = match_.producer(node, i, "dequantize");
      inputs.push_back(from < 0 ? node.inputs[i] : codes_behind(match_.at(from)));
    }
    CORTEN_TRY(const auto outputs, patch_.node(*node.op, node.parameters, inputs, node.name, node.origins));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto reader = match_.at(match_.consumers(node.outputs[i]).front());
      patch_.set_type(outputs[i], graph_.type(reader.outputs[0]));
      for (int quantize : match_.consumers(node.outputs[i])) patch_.replace(match_.at(quantize).outputs[0], outputs[i]);
    }
    return {};
  }

  /// What a dequantize reads; constants from a model file get the meaning that the dequantize gives them.
  ValueId codes_behind(const Node& dequantize) {
    const auto codes = dequantize.inputs[0];
    if (!graph_.type(codes).quantization) {
      auto type = graph_.type(codes);
      type.quantization = quantization_of(Call(graph_, dequantize));
      patch_.set_type(codes, type);
    }
    return codes;
  }

  /// quantize(dequantize(codes)): nothing on the same grid, a requantize between two grids.
  Status fold_pair(const Node& quantize) {
    const int from = match_.producer(quantize, 0, "dequantize");
    if (from < 0) return {};
    const auto codes = patch_.now(match_.at(from).inputs[0]);
    const auto type = graph_.type(quantize.outputs[0]);
    if (graph_.type(codes) == type) {
      patch_.replace(quantize.outputs[0], codes);
      return {};
    }
    CORTEN_TRY(const auto value, patch_.value(op("requantize"), parameters(NoParameters{}), {codes}, quantize.name, quantize.origins));
    patch_.set_type(value, type);
    patch_.replace(quantize.outputs[0], value);
    return {};
  }

  Graph& graph_;
  Match match_;
  Patch patch_;
  std::vector<Node> nodes_;
};

}  // namespace

Status fold_quantization(Graph& graph) { return Fold(graph).run(); }

}  // namespace corten
