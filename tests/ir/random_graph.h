// SPDX-License-Identifier: Apache-2.0
// Random valid graphs over real operators, from a seed, for properties of the text form.
#pragma once
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "compiler/ir/graph.h"
#include "compiler/ir/verify.h"
#include "compiler/ops/clamp_range.h"
#include "compiler/ops/operator.h"
#include "compiler/ops/reshape.h"
#include "compiler/ops/transpose.h"

namespace corten::test {

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {}

  Graph make() {
    graph_ = Graph{};
    graph_.name = "g_" + std::to_string(pick(100));
    graph_.stage = pick(2) ? Stage::Imported : Stage::Annotated;  // later stages have rules that random types break
    graph_.rounding = pick(2) ? Rounding::Single : Rounding::Double;
    for (int i = 0; i < 1 + pick(3); ++i) add_input();
    for (int i = 0; i < pick(5); ++i) add_constant();
    for (int i = 0; i < pick(12); ++i) add_node();
    for (int i = 0; i < 1 + pick(3); ++i) add_output();
    return std::move(graph_);
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }

  std::string text() {
    static constexpr const char* words[] = {"", "net.py:3 in forward: return \"x\"", "two\nlines", "back\\slash", "ends in \\", "\\n is no newline", "a, b} at {node \"c\"", "größe", "conv\t1", "\r"};
    return words[pick(10)];
  }

  Origin origin() { return {text(), text(), text(), text(), text(), text()}; }
  std::vector<Origin> origins() {
    std::vector<Origin> result;
    for (int i = pick(3); i > 0; --i) result.push_back(origin());
    return result;
  }

  Shape shape() {
    Shape result;
    for (int i = pick(5); i > 0; --i) result.push_back(pick(20) ? 1 + pick(4) : 0);
    return result;
  }

  float number() {
    static constexpr float special[] = {0.0f, -0.0f, 1.0f, -1.5f, 0.1f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                                        std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};
    if (pick(2)) return special[pick(10)];
    for (;;) {
      float value;
      const auto bits = static_cast<std::uint32_t>(random_());
      std::memcpy(&value, &bits, sizeof value);
      if (value == value) return value;
    }
  }

  float scale() {
    for (;;)
      if (const float value = number(); value > 0 && value < std::numeric_limits<float>::infinity()) return value;
  }
  std::int32_t any_int() { return pick(4) ? pick(256) - 128 : static_cast<std::int32_t>(random_()); }

  Quantization quantization(const Shape& shape) {
    Quantization q{{scale()}, {any_int()}, -1, -128, 127};
    if (pick(2)) q.low = any_int(), q.high = any_int();
    if (shape.empty() || pick(2)) return q;
    q.axis = pick(static_cast<int>(shape.size()));
    const auto count = static_cast<std::size_t>(shape[static_cast<std::size_t>(q.axis)]);
    if (count == 0) return q.axis = -1, q;
    q.scales.clear(), q.zero_points.clear();
    for (std::size_t i = 0; i < count; ++i) q.scales.push_back(scale()), q.zero_points.push_back(any_int());
    return q;
  }

  Type type() {
    Type result{static_cast<Element>(pick(7)), shape(), {}};
    if (result.element == Element::I8 && pick(2)) result.quantization = quantization(result.shape);
    return result;
  }

  std::string name() { return "v" + std::to_string(graph_.values.size()) + (pick(4) ? "" : "_x"); }

  ValueId add_value(Type type) {
    graph_.values.push_back({name(), std::move(type)});
    return static_cast<ValueId>(graph_.values.size() - 1);
  }

  void add_input() {
    const auto id = add_value(type());
    graph_.inputs.push_back(id);
    graph_.input_orders.push_back(order(graph_.type(id).shape));
  }

  void add_output() {
    const auto id = any_value();
    graph_.outputs.push_back(id);
    graph_.output_orders.push_back(order(graph_.type(id).shape));
  }

  std::vector<int> order(const Shape& shape) {
    std::vector<int> result;
    if (pick(2)) return result;
    for (std::size_t i = 0; i < shape.size(); ++i) result.push_back(static_cast<int>(i));
    std::shuffle(result.begin(), result.end(), random_);
    return result;
  }

  void add_constant() {
    auto constant_type = type();
    Tensor tensor(constant_type.element, constant_type.shape);
    if (tensor.element == Element::F32) {
      for (auto& value : tensor.as<float>()) value = pick(8) ? number() : std::numeric_limits<float>::quiet_NaN();
    } else {
      for (auto& byte : tensor.bytes) byte = static_cast<std::byte>(tensor.element == Element::Bool ? pick(2) : pick(256));
    }
    const auto id = add_value(std::move(constant_type));
    graph_.value(id).constant = std::make_shared<const Tensor>(std::move(tensor));
    graph_.value(id).origins = origins();
  }

  ValueId any_value() { return static_cast<ValueId>(pick(static_cast<int>(graph_.values.size()))); }

  /// A node that its operator accepts, or none after a few tries.
  void add_node() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      Node node{"n" + std::to_string(graph_.nodes.size()), nullptr, {}, {any_value()}, {}, origins()};
      choose(node);
      const auto types = node.op->infer(Call(graph_, node));
      if (!types) continue;
      for (auto output : *types) {
        if (output.element == Element::I8 && pick(2)) output.quantization = quantization(output.shape);
        node.outputs.push_back(add_value(std::move(output)));
      }
      graph_.nodes.push_back(std::move(node));
      return;
    }
  }

  void choose(Node& node) {
    const auto& shape = graph_.type(node.inputs[0]).shape;
    switch (pick(5)) {
      case 0:
        use_clamp(node);
        break;
      case 1:
        node.op = &op("reshape"), node.parameters = parameters(ReshapeParameters{{element_count(shape)}});
        break;
      case 2: {
        std::vector<std::int64_t> permutation;
        for (std::size_t i = 0; i < shape.size(); ++i) permutation.push_back(static_cast<std::int64_t>(i));
        std::shuffle(permutation.begin(), permutation.end(), random_);
        node.op = &op("transpose"), node.parameters = parameters(TransposeParameters{permutation});
        break;
      }
      default: {
        static constexpr const char* names[] = {"add", "sub", "mul", "maximum", "conv2d", "linear", "batch_norm", "max_pool2d"};
        node.op = &op(names[pick(8)]);
        FieldReader defaults({});
        node.parameters = node.op->parse_parameters(defaults);
        for (int i = node.op->name() == "batch_norm" ? 4 : 1; i > 0 && node.op->name() != "max_pool2d"; --i) node.inputs.push_back(any_value());
        if (node.op->name() == "conv2d" || node.op->name() == "linear") add_weights(node);
      }
    }
  }

  /// Weights of the rank that the operator wants, and a bias or none.
  void add_weights(Node& node) {
    const bool linear = node.op->name() == "linear";
    const auto& x = graph_.type(node.inputs[0]).shape;
    if (x.empty()) return use_clamp(node);
    Shape weights(linear ? 2 : 4, 1);
    weights.front() = 1 + pick(4), weights.back() = x.back();
    node.inputs[1] = constant(weights);
    node.inputs.push_back(pick(2) ? constant({weights.front()}) : no_value);
  }

  void use_clamp(Node& node) {
    node.op = &op("clamp"), node.parameters = parameters(ClampRange{number(), number()});
    node.inputs.resize(1);
  }

  ValueId constant(Shape shape) {
    const auto id = add_value({Element::F32, shape, {}});
    graph_.value(id).constant = std::make_shared<const Tensor>(Element::F32, std::move(shape));
    return id;
  }

  std::mt19937_64 random_;
  Graph graph_;
};

}  // namespace corten::test
