// SPDX-License-Identifier: Apache-2.0
// The constant padding operator's parameters.
#pragma once
#include <cstdint>
#include <vector>

namespace corten {

/// before[i] and after[i] elements of `value` around axis i, none negative; as many as the input has axes.
struct PadParameters {
  std::vector<std::int64_t> before, after;
  float value = 0;
  template <class F>
  void fields(F&& f) {
    f("before", before), f("after", after), f("value", value);
  }
};

}  // namespace corten
