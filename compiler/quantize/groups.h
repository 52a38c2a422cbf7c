// SPDX-License-Identifier: Apache-2.0
// Which values share a scale and a zero point.
#pragma once
#include <numeric>
#include <optional>
#include <vector>

#include "compiler/ops/operator.h"

namespace corten {

/// Union-find over the values of a graph; a group may have a quantization that is known without looking at data.
class Groups {
 public:
  explicit Groups(std::size_t values) : parent_(values), fixed_(values) { std::iota(parent_.begin(), parent_.end(), 0); }

  int of(ValueId value) const {
    auto v = static_cast<std::size_t>(value);
    while (parent_[v] != static_cast<int>(v)) v = static_cast<std::size_t>(parent_[v]);
    return static_cast<int>(v);
  }
  const std::optional<Quantization>& fixed(ValueId value) const { return fixed_[static_cast<std::size_t>(of(value))]; }
  void fix(ValueId value, Quantization q) { fixed_[static_cast<std::size_t>(of(value))] = std::move(q); }
  /// Makes two groups one, unless one has a fixed quantization and the other not the same.
  bool join(ValueId a, ValueId b) {
    const int x = of(a), y = of(b);
    if (x == y) return true;
    auto &p = fixed_[static_cast<std::size_t>(x)], &q = fixed_[static_cast<std::size_t>(y)];
    if (p != q) return false;
    parent_[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
    return true;
  }
  /// The same for an operator whose only input is `input`: what is fixed at one end is fixed at the other.
  bool follow(ValueId input, ValueId output) {
    if (fixed(input) && !fixed(output)) fix(output, *fixed(input));
    return join(input, output);
  }

 private:
  std::vector<int> parent_;
  std::vector<std::optional<Quantization>> fixed_;
};

}  // namespace corten
