// SPDX-License-Identifier: Apache-2.0
// Imported graphs put on grids by hand and lowered, and inputs that can be written down once more elsewhere.
#pragma once
#include <algorithm>
#include <vector>

#include "tests/support/source_builder.h"

namespace corten::test {

/// ((37 i + 11) mod 64 − 32) / 8: exact in floats.
inline std::vector<float> ramp(std::size_t count) {
  std::vector<float> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back((static_cast<float>((i * 37 + 11) % 64) - 32) / 8);
  return result;
}

/// Every value on the grid `values` but the outputs, which are on `outputs`; each node lowered.
inline Result<Graph> lowered(Result<Graph> imported, const Quantization& values, const Quantization& outputs) {
  if (!imported) return imported;
  auto& graph = *imported;
  for (auto& value : graph.values) {
    if (value.constant) value.constant = std::make_shared<const Tensor>(quantized(*value.constant, Element::I8, values));
    value.type.element = Element::I8;
    value.type.quantization = values;
  }
  for (auto id : graph.outputs) graph.value(id).type.quantization = outputs;
  graph.stage = Stage::Folded;
  Patch patch(graph, "lower");
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto node = graph.nodes[n];
    patch.at(static_cast<int>(n));
    CORTEN_CHECK(node.op->lower(Call(graph, node), patch));
  }
  patch.apply();
  graph.stage = Stage::Integer;
  return graph;
}

inline Result<Graph> lowered(const SourceBuilder& builder, const Quantization& grid) { return lowered(builder.import(), grid, grid); }

inline std::vector<std::int64_t> list(std::initializer_list<std::int64_t> items) { return items; }

/// The layer that the last node of a lowered graph asks for.
inline Layer layer_of(const Result<Graph>& graph) {
  const auto& node = graph->nodes.back();
  auto layer = node.op->emit(Call(*graph, node), Isa::Portable);
  EXPECT_TRUE(layer.ok());
  return layer.ok() ? *layer : Layer{};
}

/// The text of one field of a layer's first struct.
inline std::string field_of(const Layer& layer, std::string_view name) {
  for (const auto& [key, text] : layer.structs.at(0).fields)
    if (key == name) return text;
  return "";
}

/// sum / divisor, halves away from zero, by remainders.
inline std::int64_t half_away(std::int64_t sum, std::int64_t divisor) {
  const auto quotient = sum / divisor, remainder = sum % divisor;
  if (2 * std::abs(remainder) < divisor) return quotient;
  return quotient + (sum < 0 ? -1 : 1);
}

}  // namespace corten::test
