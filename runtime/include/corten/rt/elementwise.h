// SPDX-License-Identifier: Apache-2.0
// The loops of operators on two int8 operands.
#pragma once
#include <cstdint>

#include "corten/rt/axes.h"
#include "corten/rt/isa_native.h"

namespace corten::rt {

/// Element strides of both operands in the output's index space: 0 where an operand is broadcast. The output is contiguous.
struct Elementwise {
  std::int32_t rank;  // ≤ 6
  std::int32_t shape[6];
  std::int32_t stride0[6], stride1[6];
};

/// output[i] = apply(a[i], b[i]), where apply takes and gives one code or Isa::elements of them. The output may be either
/// operand's own memory.
template <class Isa, class Apply>
inline void apply_contiguous(std::int32_t count, const std::int8_t* a, const std::int8_t* b, std::int8_t* output, Apply apply) {
  std::int32_t i = 0;
  if constexpr (Isa::elements > 1)
    for (; i + Isa::elements <= count; i += Isa::elements) Isa::store_elements(output + i, apply(Isa::load_elements(a + i), Isa::load_elements(b + i)));
  for (; i < count; ++i) output[i] = static_cast<std::int8_t>(apply(std::int32_t{a[i]}, std::int32_t{b[i]}));
}

/// The same with broadcasting. The output may be the memory of an operand that is not broadcast and contiguous.
template <class Apply>
inline void apply_broadcast(const Elementwise& axes, const std::int8_t* a, const std::int8_t* b, std::int8_t* output, Apply apply) {
  for_each_index(axes.rank, axes.shape, axes.stride0, axes.stride1,
                 [&](std::int32_t offset0, std::int32_t offset1) { *output++ = static_cast<std::int8_t>(apply(std::int32_t{a[offset0]}, std::int32_t{b[offset1]})); });
}

}  // namespace corten::rt
