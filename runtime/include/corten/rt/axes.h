// SPDX-License-Identifier: Apache-2.0
// Walking the elements of up to six axes.
#pragma once
#include <cstdint>

namespace corten::rt {

inline constexpr std::int32_t max_rank = 6;

/// Calls visit(offset0, offset1) for each index of shape[0 … rank), last axis fastest. offset_i = Σ index · stride_i.
/// Rank 0 is one element. Precondition: rank ≤ 6, extents ≥ 0.
template <class Visit>
inline void for_each_index(std::int32_t rank, const std::int32_t* shape, const std::int32_t* stride0, const std::int32_t* stride1, Visit visit) {
  std::int32_t index[max_rank] = {};
  std::int32_t offset0 = 0, offset1 = 0;
  for (std::int32_t axis = 0; axis < rank; ++axis)
    if (shape[axis] == 0) return;
  const std::int32_t last = rank - 1;
  const std::int32_t run = rank == 0 ? 1 : shape[last], step0 = rank == 0 ? 0 : stride0[last], step1 = rank == 0 ? 0 : stride1[last];
  for (;;) {
    for (std::int32_t i = 0, at0 = offset0, at1 = offset1; i < run; ++i, at0 += step0, at1 += step1) visit(at0, at1);
    std::int32_t axis = last - 1;
    for (; axis >= 0; --axis) {
      offset0 += stride0[axis], offset1 += stride1[axis];
      if (++index[axis] < shape[axis]) break;
      offset0 -= shape[axis] * stride0[axis], offset1 -= shape[axis] * stride1[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace corten::rt
