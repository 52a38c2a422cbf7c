// SPDX-License-Identifier: Apache-2.0
// Walks multi-dimensional indices in row-major order, for interpreting operators.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/type.h"

namespace corten {

using Index = std::vector<std::int64_t>;

/// Calls f(index, position) for each index of `shape`, position counting up from 0. A scalar has one, empty index.
template <class F>
void for_each_index(const Shape& shape, F&& f) {
  Index index(shape.size(), 0);
  const auto count = element_count(shape);
  for (std::int64_t position = 0; position < count; ++position) {
    f(static_cast<const Index&>(index), position);
    for (auto axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

/// Position of `index` in a tensor of `shape`, right-aligned and broadcast: extents of 1 stay at 0.
inline std::int64_t broadcast_position(const Index& index, const Shape& shape) {
  std::int64_t position = 0;
  const auto skip = index.size() - shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    position = position * shape[axis] + (shape[axis] == 1 ? 0 : index[skip + axis]);
  return position;
}

}  // namespace corten
