// SPDX-License-Identifier: Apache-2.0
// The batch norm operator's parameters, and what becomes of one that no layer can absorb.
#pragma once
#include "compiler/ops/operator.h"

namespace corten {

/// y = (x − mean) / √(variance + epsilon) · gamma + beta per channel, the last axis.
/// Inputs are x, gamma, beta, mean, variance; gamma and beta may be absent.
struct BatchNormParameters {
  float epsilon = 1e-5f;
  template <class F>
  void fields(F&& f) {
    f("epsilon", epsilon);
  }
};

/// Replaces a batch norm by a depthwise 1×1 convolution, between reshapes where the input isn't an image.
/// Weights are gamma · rsqrt(variance + epsilon), the bias beta − mean · weight, in float32 as fold_batch_norm_weights().
/// Errors: parameters that are not constant.
Status expand_batch_norm(const Call& call, Patch& patch);

}  // namespace corten
