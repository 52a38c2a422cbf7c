// SPDX-License-Identifier: Apache-2.0
// Random graphs over operators that alias, work in place or do neither, with random scratch, from a seed.
#pragma once
#include <random>

#include "compiler/ir/graph.h"
#include "compiler/ops/layer.h"
#include "compiler/ops/operator.h"

namespace corten::test {

struct RandomProgram {
  Graph graph;
  std::vector<Layer> layers;
};

class RandomProgramMaker {
 public:
  RandomProgramMaker(std::uint64_t seed, int most_nodes) : random_(seed), most_nodes_(most_nodes) {}

  RandomProgram make() {
    for (int i = 1 + pick(3); i > 0; --i) program_.graph.inputs.push_back(add_value(shape()));
    for (int i = pick(3); i > 0; --i) add_constant();
    for (int i = 1 + pick(most_nodes_); i > 0; --i) add_node();
    for (int i = 1 + pick(3); i > 0; --i) add_output();
    return std::move(program_);
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  Shape shape() {
    static constexpr int extents[] = {1, 3, 16, 17, 64, 100};
    return {1, extents[pick(6)], 1 + pick(4)};
  }

  ValueId add_value(Shape shape) {
    auto& values = program_.graph.values;
    values.push_back({"v" + std::to_string(values.size()), {Element::I8, std::move(shape), per_tensor(0.5f, 0)}});
    return static_cast<ValueId>(values.size() - 1);
  }

  void add_constant() {
    const auto id = add_value(shape());
    program_.graph.value(id).constant = std::make_shared<const Tensor>(Element::I8, program_.graph.type(id).shape);
  }

  ValueId any_value() {
    const auto count = static_cast<int>(program_.graph.values.size());
    return pick(3) ? pick(count) : count - 1;
  }

  /// The planner asks an operator for what may share memory, never for what it computes.
  void add_node() {
    const auto x = any_value();
    const Shape from = program_.graph.type(x).shape;
    switch (pick(5)) {
      case 0: return finish("cortex_m.reshape", {x}, {element_count(from)});
      case 1: return finish("cortex_m.clamp", {x}, from);
      case 2: return finish("cortex_m.quantized_add", {x, operand(x)}, from);
      case 3: return finish("cortex_m.transpose", {x}, Shape(from.rbegin(), from.rend()));
      default: return finish("cortex_m.cat", {x, any_value(), any_value()}, shape());
    }
  }

  /// A value of x's shape, or x itself.
  ValueId operand(ValueId x) {
    for (int attempt = 0; attempt < 8; ++attempt)
      if (const auto y = any_value(); program_.graph.type(y).shape == program_.graph.type(x).shape) return y;
    return x;
  }

  void finish(std::string_view name, std::vector<ValueId> inputs, Shape shape) {
    FieldReader defaults({});
    const auto& op = corten::op(name);
    const auto output = add_value(std::move(shape));
    program_.graph.nodes.push_back({"n" + std::to_string(program_.layers.size()), &op, op.parse_parameters(defaults), std::move(inputs), {output}, {}});
    program_.layers.push_back({});
    if (!op.alias() && pick(3) == 0) program_.layers.back().scratch_bytes = 1 + pick(80);
  }

  void add_output() {
    const auto id = any_value();
    if (!program_.graph.value(id).constant) program_.graph.outputs.push_back(id);
  }

  std::mt19937_64 random_;
  int most_nodes_;
  RandomProgram program_;
};

inline RandomProgram random_program(std::uint64_t seed, int most_nodes) { return RandomProgramMaker(seed, most_nodes).make(); }

}  // namespace corten::test
