// SPDX-License-Identifier: Apache-2.0
// Elements, shapes and broadcasting.
#include "compiler/ir/type.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "compiler/ir/tensor.h"

namespace corten {
namespace {
struct ElementFacts {
  Element element;
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array element_facts = {
    ElementFacts{Element::F32, "f32", 4}, ElementFacts{Element::I8, "i8", 1},   ElementFacts{Element::U8, "u8", 1},
    ElementFacts{Element::I16, "i16", 2}, ElementFacts{Element::I32, "i32", 4}, ElementFacts{Element::I64, "i64", 8},
    ElementFacts{Element::Bool, "bool", 1},
};
}  // namespace

std::size_t element_bytes(Element element) { return element_facts[static_cast<std::size_t>(element)].bytes; }
std::string_view to_string(Element element) { return element_facts[static_cast<std::size_t>(element)].name; }

std::optional<Element> parse_element(std::string_view text) {
  for (const auto& facts : element_facts)
    if (facts.name == text) return facts.element;
  return std::nullopt;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (auto extent : shape) count *= extent;
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const auto y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Quantization per_tensor(float scale, std::int32_t zero_point, std::int32_t low, std::int32_t high) {
  return {{scale}, {zero_point}, -1, low, high};
}

std::size_t byte_size(const Type& type) {
  return static_cast<std::size_t>(element_count(type.shape)) * element_bytes(type.element);
}

Tensor::Tensor(Element e, Shape s)
    : element(e), shape(std::move(s)), bytes(static_cast<std::size_t>(element_count(shape)) * element_bytes(e)) {}

}  // namespace corten
