// SPDX-License-Identifier: Apache-2.0
// The parameters of a product.
#pragma once
#include "compiler/ops/clamp_range.h"

namespace corten {

/// clamp(a · b), or clamp(a / b).
struct MulParameters {
  bool divide = false;  // a / b; b is constant
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    f("divide", divide);
    clamp.fields(f);
  }
};

}  // namespace corten
