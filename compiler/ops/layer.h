// SPDX-License-Identifier: Apache-2.0
// What an integer operator asks the emitter for: one kernel call with its constants.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/tensor.h"

namespace corten {

/// Parameter structs are aggregates; fields come in declaration order. A field's text is a C++ expression:
/// a literal, or {array} for the address of one of the layer's arrays.
struct StructLiteral {
  std::string type;  // "Conv2d"
  std::string name;  // "geometry"
  std::vector<std::pair<std::string, std::string>> fields;
};

/// A constant in flash; `name` is local to the layer ("weights") and unique in it.
struct LayerArray {
  std::string name;
  Tensor tensor;
};

/// `kernel(arguments…);` where an argument is the name of a struct or an array of this layer, "input0", "input1" …,
/// "output0" …, "scratch", or any other C++ expression.
struct KernelCall {
  std::string kernel;  // "conv2d"
  std::vector<std::string> arguments;
};

/// A C++ literal.
inline std::string number(std::int64_t value) { return std::to_string(value); }
/// "{1, 2, 0, 0, 0, 0}": a C++ array initializer of N items, filled up with zeros. Precondition: at most N items.
template <std::size_t N>
std::string array(const std::vector<std::int64_t>& items) {
  std::string text = "{";
  for (std::size_t i = 0; i < N; ++i) text += (i ? ", " : "") + std::to_string(i < items.size() ? items[i] : 0);
  return text + "}";
}

struct Layer {
  std::string header = {};  // runtime header: "conv2d.h"
  std::vector<StructLiteral> structs = {};
  std::vector<LayerArray> arrays = {};
  std::vector<KernelCall> calls = {};
  std::int64_t scratch_bytes = 0;
  std::int64_t macs = 0;
};

}  // namespace corten
