// SPDX-License-Identifier: Apache-2.0
// The transpose operator's parameters, and transposing a tensor at compile time.
#pragma once
#include <span>

#include "compiler/ir/tensor.h"

namespace corten {

/// Axis i of the output is axis permutation[i] of the input.
struct TransposeParameters {
  std::vector<std::int64_t> permutation;
  template <class F>
  void fields(F&& f) {
    f("permutation", permutation);
  }
};

Tensor transpose(const Tensor& tensor, std::span<const std::int64_t> permutation);

}  // namespace corten
