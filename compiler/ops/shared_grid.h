// SPDX-License-Identifier: Apache-2.0
// The condition under which an operator may compute on raw codes.
#pragma once
#include "compiler/ops/elementwise.h"

namespace corten {

/// Inputs and output must be int8 with one scale and zero point, the same for all.
inline Status check_shared_grid(const Call& call) {
  CORTEN_CHECK(check_per_tensor(call));
  for (std::size_t i = 0; i < call.inputs(); ++i)
    if (!call.input(i).quantization->same_grid(*call.output().quantization)) return call.error("input and output differ in scale or zero point, expected one grid");
  return {};
}

}  // namespace corten
