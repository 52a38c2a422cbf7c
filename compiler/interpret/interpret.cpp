// SPDX-License-Identifier: Apache-2.0
// Node by node, value by value.
#include "compiler/interpret/interpret.h"

#include <fmt/format.h>

#include "compiler/ops/operator.h"

namespace corten {
namespace {

/// Index along the quantization's axis for each element in turn.
class Channels {
 public:
  Channels(const Shape& shape, const Quantization& q) : per_channel_(q.per_channel()) {
    if (!per_channel_) return;
    count_ = shape[static_cast<std::size_t>(q.axis)];
    for (std::size_t i = static_cast<std::size_t>(q.axis) + 1; i < shape.size(); ++i) inner_ *= shape[i];
  }
  std::size_t operator()(std::size_t position) const {
    return per_channel_ ? position / static_cast<std::size_t>(inner_) % static_cast<std::size_t>(count_) : 0;
  }

 private:
  bool per_channel_;
  std::int64_t count_ = 1, inner_ = 1;
};

std::int32_t code_at(const Tensor& tensor, std::size_t i) {
  switch (tensor.element) {
    case Element::I8: return tensor.as<std::int8_t>()[i];
    case Element::U8: return tensor.as<std::uint8_t>()[i];
    case Element::I16: return tensor.as<std::int16_t>()[i];
    default: return tensor.as<std::int32_t>()[i];
  }
}

void store_code(Tensor& tensor, std::size_t i, std::int32_t code) {
  switch (tensor.element) {
    case Element::I8: tensor.as<std::int8_t>()[i] = static_cast<std::int8_t>(code); break;
    case Element::U8: tensor.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(code); break;
    case Element::I16: tensor.as<std::int16_t>()[i] = static_cast<std::int16_t>(code); break;
    default: tensor.as<std::int32_t>()[i] = code; break;
  }
}

Status check_inputs(const Graph& graph, const std::vector<Tensor>& inputs) {
  if (inputs.size() != graph.inputs.size())
    return error(fmt::format("{} takes {} inputs, {} were given", graph.name, graph.inputs.size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& value = graph.value(graph.inputs[i]);
    if (inputs[i].element != value.type.element || inputs[i].shape != value.type.shape)
      return error(fmt::format("input {} is {}{}, expected {}{}", value.name, to_string(inputs[i].element), to_string(inputs[i].shape),
                               to_string(value.type.element), to_string(value.type.shape)));
  }
  return {};
}

}  // namespace

Tensor dequantized(const Tensor& codes, const Quantization& quantization) {
  Tensor result(Element::F32, codes.shape);
  const auto reals = result.as<float>();
  const Channels channel(codes.shape, quantization);
  for (std::size_t i = 0; i < reals.size(); ++i)
    reals[i] = dequantize_value(code_at(codes, i), quantization.scale(channel(i)), quantization.zero_point(channel(i)));
  return result;
}

Tensor quantized(const Tensor& reals, Element element, const Quantization& quantization) {
  Tensor result(element, reals.shape);
  const auto from = reals.as<float>();
  const Channels channel(reals.shape, quantization);
  for (std::size_t i = 0; i < from.size(); ++i)
    store_code(result, i, quantize_value(from[i], quantization.scale(channel(i)), quantization.zero_point(channel(i)), quantization.low, quantization.high));
  return result;
}

std::vector<Tensor> interpret_node(const Call& call, std::span<const Tensor* const> inputs) {
  if (call.node().op->integer()) return call.node().op->evaluate(call, inputs);
  std::vector<Tensor> reals(inputs.size());
  std::vector<const Tensor*> arguments(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i] || !call.input(i).quantization) continue;
    reals[i] = dequantized(*inputs[i], *call.input(i).quantization);
    arguments[i] = &reals[i];
  }
  auto outputs = call.node().op->evaluate(call, arguments);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (const auto& type = call.output(i); type.quantization) outputs[i] = quantized(outputs[i], type.element, *type.quantization);
  return outputs;
}

Result<std::vector<Tensor>> interpret(const Graph& graph, const std::vector<Tensor>& inputs, const ValueWatcher& watcher) {
  CORTEN_CHECK(check_inputs(graph, inputs));
  std::vector<std::shared_ptr<const Tensor>> known(graph.values.size());
  for (std::size_t v = 0; v < graph.values.size(); ++v) known[v] = graph.values[v].constant;
  const auto learn = [&](ValueId id, Tensor tensor) {
    auto& slot = known[static_cast<std::size_t>(id)];
    slot = std::make_shared<const Tensor>(std::move(tensor));
    if (watcher) watcher(id, *slot);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) learn(graph.inputs[i], inputs[i]);
  for (const auto& node : graph.nodes) {
    std::vector<const Tensor*> arguments;
    for (auto id : node.inputs) arguments.push_back(id == no_value ? nullptr : known[static_cast<std::size_t>(id)].get());
    auto outputs = interpret_node(Call(graph, node), arguments);
    for (std::size_t i = 0; i < outputs.size(); ++i) learn(node.outputs[i], std::move(outputs[i]));
  }
  std::vector<Tensor> results;
  for (auto id : graph.outputs) results.push_back(*known[static_cast<std::size_t>(id)]);
  return results;
}

}  // namespace corten
