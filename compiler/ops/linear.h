// SPDX-License-Identifier: Apache-2.0
// The parameters of a fully connected layer.
#pragma once
#include "compiler/ops/clamp_range.h"

namespace corten {

/// y[…][o] = clamp(Σ x[…][i] · w[o][i] + b[o]); inputs are x, w: [out][in], and b: [out] or nothing.
struct LinearParameters {
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    clamp.fields(f);
  }
};

}  // namespace corten
