// SPDX-License-Identifier: Apache-2.0
// A tensor seen along one axis: what lies outside, and the elements inside that move together.
#pragma once
#include <cstdint>
#include <functional>
#include <numeric>

#include "compiler/ir/type.h"

namespace corten {

/// Product of the extents before `axis`.
inline std::int64_t outer_elements(const Shape& shape, std::int64_t axis) {
  return std::accumulate(shape.begin(), shape.begin() + axis, std::int64_t{1}, std::multiplies<>());
}
/// Product of the extents behind `axis`.
inline std::int64_t inner_elements(const Shape& shape, std::int64_t axis) {
  return std::accumulate(shape.begin() + axis + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace corten
