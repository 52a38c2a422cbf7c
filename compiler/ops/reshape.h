// SPDX-License-Identifier: Apache-2.0
// The reshape operator's parameters.
#pragma once
#include "compiler/ir/type.h"

namespace corten {

struct ReshapeParameters {
  std::vector<std::int64_t> shape;
  template <class F>
  void fields(F&& f) {
    f("shape", shape);
  }
};

}  // namespace corten
