// SPDX-License-Identifier: Apache-2.0
// The loops of operators on two int8 operands.
#pragma once
#include <cstdint>

#include "corten/rt/axes.h"

namespace corten::rt {

/// Element strides of both operands in the output's index space: 0 where an operand is broadcast. The output is contiguous.
struct Elementwise {
  std::int32_t rank;  // ≤ 6
  std::int32_t shape[6];
  std::int32_t stride0[6], stride1[6];
};

/// output[i] = apply(a[i], b[i]). The output may be either operand's own memory.
template <class Apply>
inline void apply_contiguous(std::int32_t count, const std::int8_t* a, const std::int8_t* b, std::int8_t* output, Apply apply) {
  for (std::int32_t i = 0; i < count; ++i) output[i] = apply(a[i], b[i]);
}

/// The same with broadcasting. The output may be the memory of an operand that is not broadcast and contiguous.
template <class Apply>
inline void apply_broadcast(const Elementwise& axes, const std::int8_t* a, const std::int8_t* b, std::int8_t* output, Apply apply) {
  for_each_index(axes.rank, axes.shape, axes.stride0, axes.stride1,
                 [&](std::int32_t offset0, std::int32_t offset1) { *output++ = apply(a[offset0], b[offset1]); });
}

}  // namespace corten::rt
