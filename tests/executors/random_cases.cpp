// SPDX-License-Identifier: Apache-2.0
// Networks of a few random nodes: what nobody thought of writing down.
#include <functional>
#include <numeric>

#include "compiler/ops/import.h"
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

/// Grows a network node by node; a node that the import refuses, or that makes too much of it, is left out.
class Growing {
 public:
  explicit Growing(std::uint32_t seed) : random_(seed), network_(seed) {
    network_.input("x", first_shape(), {-one_of({0, 1, 3}), static_cast<float>(one_of({1, 2}))});
    values_.push_back({"x", network_.source().inputs.front().shape});
  }

  Network grown(int nodes) {
    for (int tries = 0; tries < 60 && grown_ < nodes; ++tries) attempt();
    if (values_.size() > 3 && coin()) network_.outputs({values_.back().name, values_[static_cast<std::size_t>(between(1, static_cast<std::int64_t>(values_.size()) - 2))].name});
    return network_;
  }

 private:
  struct Known {
    std::string name;
    Shape shape;
  };

  std::int64_t up_to(std::int64_t most) { return static_cast<std::int64_t>(random_.bits() % static_cast<std::uint32_t>(most + 1)); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + up_to(std::max<std::int64_t>(high - low, 0)); }
  float one_of(std::initializer_list<int> choices) { return static_cast<float>(*(choices.begin() + up_to(static_cast<std::int64_t>(choices.size()) - 1))); }
  bool coin() { return up_to(1) == 1; }

  Shape first_shape() {
    switch (up_to(5)) {
      case 0: return {between(1, 3), between(1, 20)};
      case 1: return {between(1, 2), between(1, 9), between(1, 12)};
      case 2: return {between(1, 19)};
      default: return {coin() ? 1 : between(1, 2), between(1, 17), between(1, 9), between(1, 9)};
    }
  }

  void attempt() {
    const auto before = network_;
    const auto name = "n" + std::to_string(grown_);
    add(name, values_[up_to(3) ? values_.size() - 1 : static_cast<std::size_t>(up_to(static_cast<std::int64_t>(values_.size()) - 1))]);
    const auto graph = import_graph(network_.source());
    const bool added = network_.source().nodes.size() > before.source().nodes.size();
    const auto shape = added && graph ? framework_shape(*graph) : Shape{};
    if (!added || shape.empty() || element_count(shape) > 3000) return void(network_ = before);
    ++grown_;
    values_.push_back({name, shape});
  }

  static Shape framework_shape(const Graph& graph) {
    const auto& shape = graph.type(graph.outputs[0]).shape;
    if (graph.output_orders.empty() || graph.output_orders[0].empty()) return shape;
    Shape result(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) result[static_cast<std::size_t>(graph.output_orders[0][i])] = shape[i];
    return result;
  }

  void add(const std::string& name, const Known& from) {
    const auto kind = up_to(15);
    const bool image = from.shape.size() == 4, sequence = from.shape.size() == 3;
    if (kind < 4 && (image || sequence)) return convolution(name, from, image ? 2 : 1);
    if (kind < 6 && (image || sequence)) return pool(name, from, image ? 2 : 1);
    if (kind < 6) return linear(name, from);
    if (kind < 8) return activation(name, from);
    if (kind < 10) return binary(name, from);
    if (kind == 10) return reduction(name, from);
    if (kind == 11) return shape(name, from);
    if (kind == 12) return cat(name, from);
    if (kind == 13) return slice(name, from);
    if (kind == 14) return pad(name, from);
    batch_norm(name, from);
  }

  Integers several(std::int64_t count, std::int64_t low, std::int64_t high) {
    Integers result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(between(low, high));
    return result;
  }

  void convolution(const std::string& name, const Known& from, std::int64_t axes) {
    const auto channels = from.shape[1];
    const auto groups = coin() ? 1 : coin() ? channels : std::gcd(channels, between(2, 4));
    Shape weights = {groups * between(1, groups == 1 ? 18 : 3), channels / groups};
    for (auto extent : several(axes, 1, 4)) weights.push_back(extent);
    Arguments arguments = {list("stride", several(axes, 1, 3)), list("padding", several(axes, 0, 2)), list("dilation", several(axes, 1, coin() ? 1 : 2)), argument("groups", groups)};
    network_.layer(name, axes == 2 ? "conv2d.default" : "conv1d.default", from.name, weights, std::move(arguments), up_to(2) > 0);
  }

  void pool(const std::string& name, const Known& from, std::int64_t axes) {
    const std::string suffix = axes == 2 ? "2d.default" : "1d.default";
    if (up_to(3) == 0) return void(network_.then(name, "adaptive_avg_pool" + suffix, from.name, {list("output_size", several(axes, 1, 4))}));
    const auto kernel = several(axes, 1, 4);
    Integers padding;
    for (auto extent : kernel) padding.push_back(up_to(extent / 2));
    Arguments arguments = {list("kernel_size", kernel), list("stride", several(axes, 1, 3)), list("padding", padding), {"ceil_mode", coin()}};
    if (coin()) return void(network_.then(name, "max_pool" + suffix, from.name, std::move(arguments)));
    arguments.emplace_back("count_include_pad", coin());
    if (axes == 2 && up_to(3) == 0) arguments.push_back(argument("divisor_override", between(1, 9)));
    network_.then(name, "avg_pool" + suffix, from.name, std::move(arguments));
  }

  void linear(const std::string& name, const Known& from) {
    network_.layer(name, "linear.default", from.name, {between(1, 20), from.shape.back()}, {}, coin());
  }

  void activation(const std::string& name, const Known& from) {
    static constexpr const char* targets[] = {"relu.default", "relu.default", "relu6.default", "hardtanh.default", "sigmoid.default", "tanh.default",
                                              "silu.default", "hardsigmoid.default", "hardswish.default", "gelu.default", "leaky_relu.default", "elu.default"};
    if (up_to(6) == 0) return void(network_.then(name, "softmax.int", from.name, {argument("dim", up_to(static_cast<std::int64_t>(from.shape.size()) - 1))}));
    network_.then(name, targets[up_to(11)], from.name);
  }

  void binary(const std::string& name, const Known& from) {
    static constexpr const char* targets[] = {"add.Tensor", "sub.Tensor", "mul.Tensor", "maximum.default", "minimum.default"};
    auto other = values_[static_cast<std::size_t>(up_to(static_cast<std::int64_t>(values_.size()) - 1))].name;
    if (coin()) {
      auto shape = from.shape;
      for (auto& extent : shape) extent = coin() ? 1 : extent;
      shape.erase(shape.begin(), shape.begin() + up_to(static_cast<std::int64_t>(shape.size()) - 1));
      other = name + "_other";
      network_.random(other, shape, {-1, 2});
    }
    network_.then(name, targets[up_to(4)], from.name, {{"other", to(other)}});
  }

  void reduction(const std::string& name, const Known& from) {
    Integers axes;
    for (std::size_t axis = 0; axis < from.shape.size(); ++axis)
      if (coin()) axes.push_back(static_cast<std::int64_t>(axis));
    if (axes.empty()) axes = {-1};
    network_.then(name, coin() ? "mean.dim" : "sum.dim_IntList", from.name, {list("dim", axes), {"keepdim", coin()}});
  }

  void shape(const std::string& name, const Known& from) {
    const auto rank = static_cast<std::int64_t>(from.shape.size());
    if (coin()) {
      Integers dims(from.shape.size());
      std::iota(dims.begin(), dims.end(), 0);
      for (std::size_t i = dims.size(); i > 1; --i) std::swap(dims[i - 1], dims[static_cast<std::size_t>(up_to(static_cast<std::int64_t>(i) - 1))]);
      return void(network_.then(name, "permute.default", from.name, {list("dims", dims)}));
    }
    if (coin() && rank > 1) return void(network_.then(name, "flatten.using_ints", from.name, {argument("start_dim", up_to(rank - 1)), argument("end_dim", -1)}));
    Integers size;
    auto rest = element_count(from.shape);
    for (int i = 0; i < 3; ++i) {
      size.push_back(std::gcd(rest, between(1, 12)));
      rest /= size.back();
    }
    size.push_back(rest);
    network_.then(name, "reshape.default", from.name, {list("shape", size)});
  }

  void cat(const std::string& name, const Known& from) {
    std::vector<SourceRef> tensors = {to(from.name)};
    for (const auto& known : values_)
      if (known.shape.size() == from.shape.size() && coin()) tensors.push_back(to(known.name));
    if (tensors.size() == 1) tensors.push_back(to(from.name));
    network_.node(name, "aten.cat.default", {{"tensors", tensors}, argument("dim", up_to(static_cast<std::int64_t>(from.shape.size()) - 1))});
  }

  void slice(const std::string& name, const Known& from) {
    const auto axis = up_to(static_cast<std::int64_t>(from.shape.size()) - 1), extent = from.shape[static_cast<std::size_t>(axis)], start = up_to(extent - 1);
    if (up_to(3) == 0 && from.shape.size() > 1) return void(network_.then(name, "select.int", from.name, {argument("dim", axis), argument("index", start)}));
    network_.then(name, "slice.Tensor", from.name, {argument("dim", axis), argument("start", start), argument("end", between(start + 1, extent)), argument("step", between(1, 3))});
  }

  void pad(const std::string& name, const Known& from) {
    const auto pairs = between(1, static_cast<std::int64_t>(from.shape.size()));
    network_.then(name, "constant_pad_nd.default", from.name, {list("pad", several(2 * pairs, coin() ? -1 : 0, 2)), {"value", coin() ? 0.0 : 0.5}});
  }

  void batch_norm(const std::string& name, const Known& from) {
    if (from.shape.size() > 1 && from.shape.size() < 5) network_.batch_norm(name, from.name, from.shape[1]);
  }

  Random random_;
  Network network_;
  std::vector<Known> values_;
  int grown_ = 0;
};

}  // namespace

std::vector<Case> random_cases(std::uint32_t first_seed, int count) {
  std::vector<Case> all;
  for (int i = 0; i < count; ++i) {
    const auto seed = first_seed + static_cast<std::uint32_t>(i);
    // Differences grow from layer to layer, by how much depends on the weights: exactness is what these cases are for.
    all.push_back({"random_" + std::to_string(seed), Growing(seed).grown(1 + i % 5), 255});
  }
  return all;
}

}  // namespace corten::test
