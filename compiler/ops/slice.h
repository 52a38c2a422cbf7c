// SPDX-License-Identifier: Apache-2.0
// The slice operator's parameters.
#pragma once
#include <cstdint>

namespace corten {

/// Elements start, start + step … below end along one axis: 0 ≤ start < end ≤ extent, step ≥ 1.
struct SliceParameters {
  std::int64_t axis = 0;
  std::int64_t start = 0, end = 1, step = 1;
  template <class F>
  void fields(F&& f) {
    f("axis", axis), f("start", start), f("end", end), f("step", step);
  }
  std::int64_t count() const { return (end - start + step - 1) / step; }
};

}  // namespace corten
