// SPDX-License-Identifier: Apache-2.0
// A real-valued range that an operator keeps its output in, and what it means in integers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "compiler/ir/type.h"

namespace corten {

struct ClampRange {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  template <class F>
  void fields(F&& f) {
    f("low", low);
    f("high", high);
  }
  float operator()(float value) const { return std::min(std::max(value, low), high); }
  bool binds() const { return std::isfinite(low) || std::isfinite(high); }
  /// This range within another.
  ClampRange within(const ClampRange& other) const {
    return {std::min(std::max(low, other.low), other.high), std::max(std::min(high, other.high), other.low)};
  }
  friend bool operator==(const ClampRange&, const ClampRange&) = default;
};

/// Lowest and highest code of a quantized output kept in `range`: bounds go to the nearest code, ties to even, as PyTorch quantizes them.
struct CodeRange {
  std::int32_t low, high;
};
CodeRange code_range(const ClampRange& range, const Quantization& quantization);

}  // namespace corten
