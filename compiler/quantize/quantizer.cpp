// SPDX-License-Identifier: Apache-2.0
// Rules of the operators → groups of values → observers → quantize and dequantize nodes.
#include "compiler/quantize/quantizer.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "compiler/interpret/interpret.h"
#include "compiler/ops/quantize.h"
#include "compiler/quantize/groups.h"
#include "compiler/quantize/observer.h"

namespace corten {
namespace {

NodeKey key_of(const Node& node) {
  const auto origin = leading_origin(node);
  return {origin.node, origin.target, origin.module, origin.module_type};
}

ParametersPtr grid_parameters(Element element, const Quantization& q) {
  QuantizeParameters p{.axis = q.axis, .low = q.low, .high = q.high, .bits = static_cast<std::int32_t>(8 * element_bytes(element))};
  if (!q.per_channel()) {
    p.scale = q.scale();
    p.zero_point = q.zero_point();
  }
  return parameters(p);
}

class Quantizer {
 public:
  Quantizer(Graph graph, const QuantizeOptions& options)
      : graph_(std::move(graph)), options_(options), groups_(graph_.values.size()), configs_(graph_.nodes.size()) {}

  Result<Graph> run(const std::vector<std::vector<Tensor>>& samples) {
    if (samples.empty()) return error("no calibration samples", {}, "give some with --calibrate");
    CORTEN_CHECK(configure());
    CORTEN_CHECK(fix_ends(graph_.inputs, options_.config.io().inputs));
    CORTEN_CHECK(fix_ends(graph_.outputs, options_.config.io().outputs));
    group();
    CORTEN_CHECK(observe(samples));
    CORTEN_CHECK(annotate());
    graph_.stage = Stage::Annotated;
    return std::move(graph_);
  }

 private:
  Call call(const Node& node) const { return Call(graph_, node); }
  bool in_float(std::size_t n) const { return !configs_[n]; }

  /// Activations are the inputs that are neither weight nor bias.
  static bool is_activation(const QuantizationRule& rule, std::size_t input) {
    return static_cast<int>(input) != rule.weight && static_cast<int>(input) != rule.bias;
  }

  template <class F>
  void for_each_activation(const Node& node, F&& f) const {
    const auto rule = node.op->quantization(call(node));
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != no_value && is_activation(rule, i) && graph_.type(node.inputs[i]).element == Element::F32) f(i, node.inputs[i]);
  }

  Status configure() {
    Diagnostics diagnostics;
    std::vector<NodeKey> keys;
    for (const auto& node : graph_.nodes) keys.push_back(key_of(node));
    if (const auto unused = options_.config.unused(keys); !unused.empty() && options_.warn) options_.warn(unused);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto& node = graph_.nodes[n];
      const auto rule = node.op->quantization(call(node));
      configs_[n] = options_.config.config_for(key_of(node), rule.per_channel);
      const bool allowed = options_.allow_float.count(node.name) || options_.allow_float.count(leading_origin(node).node);
      if (allowed) configs_[n].reset();
      if (!configs_[n] && !allowed)
        diagnostics.push_back(error(fmt::format("{}: left in float by the quantizer's configuration", node.name), leading_origin(node),
                                    fmt::format("allow it with --allow-float {}", node.name)));
    }
    for (const auto& name : options_.allow_float)
      if (!names_a_node(name)) diagnostics.push_back(error(fmt::format("no node is called {}", name), {graph_.name, "", "", "", ""}, "--allow-float takes a node's or a layer's name"));
    if (diagnostics.empty()) return {};
    return diagnostics;
  }

  bool names_a_node(const std::string& name) const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& node) { return node.name == name || leading_origin(node).node == name; });
  }

  /// What `set_io` says of the ends; one entry stands for all of them.
  Status fix_ends(const std::vector<ValueId>& ends, const std::vector<EndConfig>& settings) {
    if (settings.size() > 1 && settings.size() != ends.size())
      return error(fmt::format("set_io names {} ends, {} has {}", settings.size(), graph_.name, ends.size()));
    for (std::size_t i = 0; i < ends.size() && !settings.empty(); ++i) {
      const auto& setting = settings[settings.size() == 1 ? 0 : i];
      if (setting.element != Element::I8) return error(fmt::format("set_io asks for {}, only int8 ends are supported yet", to_string(setting.element)));
      if (setting.quantization) groups_.fix(ends[i], *setting.quantization);
    }
    return {};
  }

  void group() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto& node = graph_.nodes[n];
      const auto rule = node.op->quantization(call(node));
      if (!in_float(n) && rule.output == QuantizationRule::Output::Fixed)
        for (auto output : node.outputs) groups_.fix(output, rule.fixed);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (!in_float(n)) share(graph_.nodes[n]);
  }

  /// An input that can't join the output's group is brought onto its grid where the node reads it.
  void share(const Node& node) {
    if (node.op->quantization(call(node)).output != QuantizationRule::Output::Shared) return;
    std::vector<ValueId> activations;
    for_each_activation(node, [&](std::size_t, ValueId id) { activations.push_back(id); });
    for (auto output : node.outputs)
      for (auto input : activations) activations.size() == 1 ? groups_.follow(input, output) : groups_.join(input, output);
  }

  Status observe(const std::vector<std::vector<Tensor>>& samples) {
    std::vector<bool> wanted(graph_.values.size(), false);
    for (auto id : graph_.inputs) wanted[static_cast<std::size_t>(id)] = graph_.type(id).element == Element::F32;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) want(n, wanted);
    for (std::size_t v = 0; v < wanted.size(); ++v)
      if (const auto id = static_cast<ValueId>(v); wanted[v] && !groups_.fixed(id)) observers_.try_emplace(groups_.of(id), nullptr);
    for (auto& [group, observer] : observers_) observer = make_observer(options_.config.activation_observer(), Grid{});
    for (std::size_t s = 0; s < samples.size(); ++s) {
      see_constants(wanted);
      auto outputs = interpret(graph_, samples[s], [&](ValueId id, const Tensor& tensor) { see(id, tensor, wanted); });
      if (!outputs) return outputs.diagnostics();
      if (options_.progress) options_.progress(s + 1, samples.size());
    }
    return choose();
  }

  void want(std::size_t n, std::vector<bool>& wanted) const {
    const auto& node = graph_.nodes[n];
    if (in_float(n)) return;
    for_each_activation(node, [&](std::size_t, ValueId id) { wanted[static_cast<std::size_t>(id)] = true; });
    for (auto id : node.outputs) wanted[static_cast<std::size_t>(id)] = graph_.type(id).element == Element::F32;
  }

  void see(ValueId id, const Tensor& tensor, const std::vector<bool>& wanted) {
    if (!wanted[static_cast<std::size_t>(id)]) return;
    const auto found = observers_.find(groups_.of(id));
    if (found != observers_.end()) found->second->observe(tensor.as<float>());
  }

  void see_constants(const std::vector<bool>& wanted) {
    for (std::size_t v = 0; v < graph_.values.size(); ++v)
      if (graph_.values[v].constant) see(static_cast<ValueId>(v), *graph_.values[v].constant, wanted);
  }

  Status choose() {
    for (const auto& [group, observer] : observers_) {
      auto chosen = observer->quantization();
      if (!chosen) return error(fmt::format("{}: {}", graph_.value(group).name, chosen.diagnostics().front().message));
      chosen_[group] = *chosen;
    }
    return {};
  }

  const Quantization* quantization_of(ValueId id) const {
    if (const auto& fixed = groups_.fixed(id)) return &*fixed;
    const auto found = chosen_.find(groups_.of(id));
    return found == chosen_.end() ? nullptr : &found->second;
  }

  // ---- rewriting -----------------------------------------------------------------------------------------------------

  Status annotate() {
    Patch patch(graph_, "quantize");
    const auto nodes = graph_.nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      patch.at(static_cast<int>(n));
      if (!in_float(n)) CORTEN_CHECK(annotate_node(nodes[n], n, patch));
    }
    patch.at(std::numeric_limits<int>::max());
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const auto output = graph_.outputs[i];
      const auto* q = quantization_of(output);
      if (!q || graph_.value(output).constant || !is_made_quantized(output, nodes)) continue;
      CORTEN_TRY(const auto value, on_grid(output, *q, patch));
      patch.set_graph_output(i, value);
    }
    patch.apply();
    return {};
  }

  bool is_made_quantized(ValueId id, const std::vector<Node>& nodes) const {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (std::find(nodes[n].outputs.begin(), nodes[n].outputs.end(), id) != nodes[n].outputs.end()) return !in_float(n);
    return true;
  }

  Status annotate_node(const Node& node, std::size_t n, Patch& patch) {
    const auto rule = node.op->quantization(call(node));
    Status status;
    const auto* grid = rule.output == QuantizationRule::Output::Shared ? quantization_of(node.outputs[0]) : nullptr;
    for_each_activation(node, [&](std::size_t i, ValueId id) {
      if (!status) return;
      auto value = on_grid(id, *quantization_of(id), patch);
      if (value && grid && !(*grid == *quantization_of(id))) value = regrid(*value, id, *grid, patch);
      if (!value) status = value.diagnostics();
      else patch.set_input(static_cast<int>(n), i, *value);
    });
    CORTEN_CHECK(status);
    return annotate_weights(node, n, rule, patch);
  }

  /// `id` through quantize and dequantize; the pair is made once per value.
  Result<ValueId> on_grid(ValueId id, const Quantization& q, Patch& patch) {
    auto& known = annotated_.try_emplace(id, no_value).first->second;
    if (known != no_value) return known;
    CORTEN_TRY(known, regrid(id, id, q, patch));
    return known;
  }

  /// `value` through a quantize and a dequantize onto grid `q`; a constant is quantized at once.
  Result<ValueId> regrid(ValueId value, ValueId named_after, const Quantization& q, Patch& patch) {
    const auto name = graph_.value(named_after).name;
    if (const auto constant = graph_.value(value).constant)
      return dequantized_constant(value, quantized(*constant, Element::I8, q), q, patch);
    CORTEN_TRY(const auto codes, patch.value(op("quantize"), grid_parameters(Element::I8, q), {value}, name + "_codes", {}));
    return patch.value(op("dequantize"), grid_parameters(Element::I8, q), {codes}, name + "_real", {});
  }

  Status annotate_weights(const Node& node, std::size_t n, const QuantizationRule& rule, Patch& patch) {
    if (rule.weight < 0) return {};
    const auto weight = static_cast<std::size_t>(rule.weight), bias = static_cast<std::size_t>(rule.bias);
    const auto* weights = call(node).constant(weight);
    if (!weights) return call(node).error("the weights are not constant");
    CORTEN_TRY(auto q, weight_quantization(*weights, rule, *configs_[n]));
    const auto* biases = rule.bias >= 0 ? call(node).constant(bias) : nullptr;
    if (biases) make_room_for_biases(q, biases->as<float>(), quantization_of(node.inputs[0])->scale());
    CORTEN_TRY(const auto codes, dequantized_constant(node.inputs[weight], quantized(*weights, Element::I8, q), q, patch));
    patch.set_input(static_cast<int>(n), weight, codes);
    if (rule.bias < 0 || !call(node).has_input(bias)) return {};
    if (!biases) return call(node).error("the bias is not constant");
    CORTEN_TRY(const auto b, bias_on_grid(node.inputs[bias], *biases, *quantization_of(node.inputs[0]), q, patch));
    patch.set_input(static_cast<int>(n), bias, b);
    return {};
  }

  /// A channel of tiny weights (dead after folding a batch norm, say) has a tiny scale, at which its bias would leave
  /// 32 bits together with the sum: its scale grows until the bias takes at most 2^30.
  static void make_room_for_biases(Quantization& weights, std::span<const float> biases, float input_scale) {
    constexpr float largest_bias = 0x1p30f;
    for (std::size_t c = 0; c < biases.size(); ++c) {
      auto& scale = weights.scales[weights.per_channel() ? c : 0];
      scale = std::max(scale, std::abs(biases[c]) / (largest_bias * input_scale));
    }
  }

  static Result<Quantization> weight_quantization(const Tensor& weights, const QuantizationRule& rule, const QuantizationConfig& config) {
    const auto grid = config.weights.grid();
    if (config.weights.per_channel) {
      PerChannelMinMaxObserver observer(weights.shape, rule.weight_axis, grid);
      observer.observe(weights.as<float>());
      return observer.quantization();
    }
    const auto observer = make_observer(config.weights.observer, grid);
    observer->observe(weights.as<float>());
    return observer->quantization();
  }

  /// Codes as a constant, behind the dequantize that says what they mean.
  Result<ValueId> dequantized_constant(ValueId from, Tensor codes, const Quantization& q, Patch& patch) {
    const auto name = graph_.value(from).name;
    const auto origins = graph_.value(from).origins;
    const auto element = codes.element;
    std::vector<ValueId> inputs = {patch.constant(name + "_codes", std::move(codes), q, origins)};
    if (q.per_channel()) {
      const Shape channels = {static_cast<std::int64_t>(q.scales.size())};
      inputs.push_back(patch.constant(name + "_scales", Tensor::of<float>(Element::F32, channels, q.scales)));
      inputs.push_back(patch.constant(name + "_zero_points", Tensor::of<std::int32_t>(Element::I32, channels, q.zero_points)));
    }
    return patch.value(op("dequantize"), grid_parameters(element, q), std::move(inputs), name + "_real", origins);
  }

  Result<ValueId> bias_on_grid(ValueId from, const Tensor& bias, const Quantization& input, const Quantization& weights, Patch& patch) {
    Quantization q{{}, {}, weights.per_channel() ? 0 : -1, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max() - 1};
    for (auto scale : weights.scales) q.scales.push_back(input.scale() * scale);
    q.zero_points.assign(q.scales.size(), 0);
    Tensor codes(Element::I32, bias.shape);
    for (std::size_t c = 0; c < bias.as<float>().size(); ++c)
      codes.as<std::int32_t>()[c] = quantize_bias(bias.as<float>()[c], input.scale(), weights.scale(c));
    return dequantized_constant(from, std::move(codes), q, patch);
  }

  Graph graph_;
  const QuantizeOptions& options_;
  Groups groups_;
  std::vector<std::optional<QuantizationConfig>> configs_;
  std::map<int, std::unique_ptr<Observer>> observers_;
  std::map<int, Quantization> chosen_;
  std::map<ValueId, ValueId> annotated_;
};

}  // namespace

Result<Graph> quantize(Graph graph, const std::vector<std::vector<Tensor>>& samples, const QuantizeOptions& options) {
  return Quantizer(std::move(graph), options).run(samples);
}

}  // namespace corten
