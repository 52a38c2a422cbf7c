// SPDX-License-Identifier: Apache-2.0
// Batch norm with the statistics of training; passes fold it into the layer before it or expand it.
#include "compiler/ops/batch_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/ops/conv2d.h"
#include "compiler/ops/import.h"
#include "compiler/ops/reshape.h"
#include "compiler/quantize/batch_norm_folding.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

Status import_batch_norm(Import& import) {
  if (import.boolean("training", false)) return import.error("batch norm is in training mode", "call model.eval() before torch.export");
  if (!import.has("running_mean") || !import.has("running_var"))
    return import.error("batch norm has no running statistics", "build it with track_running_stats=True");
  const auto rank = import.rank("input");
  if (rank < 2 || rank > 4) return import.error(fmt::format("input has {} dimensions, expected 2 to 4", rank));
  const auto optional = [&](std::string_view name) { return import.has(name) ? import.in_framework_order(name) : no_value; };
  const auto y = import.add(op("batch_norm"), parameters(BatchNormParameters{static_cast<float>(import.number("eps", 1e-5))}),
                            {import.channels_last("input"), optional("weight"), optional("bias"), optional("running_mean"), optional("running_var")});
  if (y != no_value) import.result_channels_last(y);
  return {};
}

constexpr Spelling batch_norm_spellings[] = {
    {"aten.batch_norm.default", import_batch_norm},
    {"aten.native_batch_norm.default", import_batch_norm},
    {"aten._native_batch_norm_legit_no_training.default", import_batch_norm},
};

// ---- meaning --------------------------------------------------------------------------------------------------------

class BatchNorm final : public OperatorWith<BatchNormParameters> {
 public:
  std::string_view name() const override { return "batch_norm"; }
  std::string_view inputs() const override { return "x, gamma?, beta?, mean, variance"; }
  std::span<const Spelling> spellings() const override { return batch_norm_spellings; }
  std::string_view limits() const override { return "inference only, input of rank 2 to 4"; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto& x = call.shape(0);
    if (x.size() < 2) return call.error(fmt::format("input has {} dimensions, expected 2 or more", x.size()));
    for (std::size_t i = 1; i < 5; ++i)
      if (call.has_input(i) && call.shape(i) != Shape{x.back()})
        return call.error(fmt::format("statistics are {}, expected {}", to_string(call.shape(i)), to_string(Shape{x.back()})));
    return std::vector{Type{call.input(0).element, x}};
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const double epsilon = call.parameters<BatchNormParameters>().epsilon;
    const auto mean = inputs[3]->as<float>(), variance = inputs[4]->as<float>();
    auto result = *inputs[0];
    const auto y = result.as<float>();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto c = i % mean.size();
      const double gamma = inputs[1] ? inputs[1]->as<float>()[c] : 1.0f, beta = inputs[2] ? inputs[2]->as<float>()[c] : 0.0f;
      y[i] = static_cast<float>((double{y[i]} - double{mean[c]}) / std::sqrt(double{variance[c]} + epsilon) * gamma + beta);
    }
    return {result};
  }
};

// ---- expansion ------------------------------------------------------------------------------------------------------

std::span<const float> floats(const Tensor* tensor) { return tensor ? tensor->as<float>() : std::span<const float>{}; }

/// The batch norm folded into a layer whose weights are 1.
FoldedWeights weights_of(const Call& call) {
  const std::vector<float> ones(static_cast<std::size_t>(call.shape(0).back()), 1.0f);
  return fold_batch_norm_weights({.weights = ones,
                                  .gamma = floats(call.constant(1)),
                                  .beta = floats(call.constant(2)),
                                  .mean = floats(call.constant(3)),
                                  .variance = floats(call.constant(4)),
                                  .epsilon = call.parameters<BatchNormParameters>().epsilon});
}

/// [N][C], [N][L][C] and [N][H][W][C] as an image.
Shape image_shape(const Shape& shape) {
  auto result = shape;
  if (shape.size() == 2) result.insert(result.begin() + 1, 2, 1);
  if (shape.size() == 3) result.insert(result.begin() + 2, 1);
  return result;
}

Result<ValueId> reshaped(const Call& call, Patch& patch, ValueId value, Shape shape, const std::string& suffix) {
  if (patch.graph().type(value).shape == shape) return value;
  return patch.value(op("reshape"), parameters(ReshapeParameters{std::move(shape)}), {value}, call.node().name + suffix, call.node().origins);
}

}  // namespace

Status expand_batch_norm(const Call& call, Patch& patch) {
  for (std::size_t i = 1; i < 5; ++i)
    if (call.has_input(i) && !call.constant(i)) return call.error("weight, bias and statistics must be constant");
  const auto shape = call.shape(0);
  const auto channels = shape.back();
  const auto values = weights_of(call);
  const auto& name = call.node().name;
  const auto w = patch.constant(name + "_weight", Tensor::of<float>(Element::F32, {channels, 1, 1, 1}, values.weights), {}, call.node().origins);
  const auto b = patch.constant(name + "_bias", Tensor::of<float>(Element::F32, {channels}, values.bias), {}, call.node().origins);
  CORTEN_TRY(const auto x, reshaped(call, patch, call.node().inputs[0], image_shape(shape), "_image"));
  CORTEN_TRY(const auto y, patch.value(op("conv2d"), parameters(Conv2dParameters{.groups = channels}), {x, w, b}, name, call.node().origins));
  CORTEN_TRY(const auto result, reshaped(call, patch, y, shape, "_shape"));
  patch.replace(call.node().outputs[0], result);
  return {};
}

namespace {
const Register<BatchNorm> batch_norm;
}  // namespace

}  // namespace corten
