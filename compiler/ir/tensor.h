// SPDX-License-Identifier: Apache-2.0
// A block of elements in memory with its shape: constants, and values while a graph is interpreted.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "compiler/ir/type.h"

namespace corten {

struct Tensor {
  Element element = Element::F32;
  Shape shape = {};
  std::vector<std::byte> bytes = {};  // row-major, little endian, element_count(shape) · element_bytes(element)

  Tensor() = default;
  /// Zero-filled.
  Tensor(Element element, Shape shape);

  template <class T>
  static Tensor of(Element element, Shape shape, const std::vector<T>& values);

  std::int64_t elements() const { return element_count(shape); }
  template <class T>
  std::span<T> as() { return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)}; }
  template <class T>
  std::span<const T> as() const { return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)}; }

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

template <class T>
Tensor Tensor::of(Element element, Shape shape, const std::vector<T>& values) {
  Tensor tensor(element, std::move(shape));
  auto into = tensor.as<T>();
  for (std::size_t i = 0; i < values.size() && i < into.size(); ++i) into[i] = values[i];
  return tensor;
}

}  // namespace corten
