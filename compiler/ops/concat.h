// SPDX-License-Identifier: Apache-2.0
// The concatenation operator's parameters.
#pragma once
#include <cstdint>

namespace corten {

struct CatParameters {
  std::int64_t axis = 0;
  template <class F>
  void fields(F&& f) {
    f("axis", axis);
  }
};

}  // namespace corten
