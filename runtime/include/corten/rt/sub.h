// SPDX-License-Identifier: Apache-2.0
// int8 subtraction with scales of its own for each operand.
#pragma once
#include <cstdint>

#include "corten/rt/elementwise.h"
#include "corten/rt/sum.h"

namespace corten::rt {

using Sub = Sum;

/// output = a − b. The output may be either operand's memory.
template <Rounding R, class Isa = Native>
void sub_contiguous(const Sub& sub, std::int32_t count, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_contiguous<Isa>(count, a, b, output, ScaledSum<R, -1>{sub});
}

/// The same with broadcasting; in place only where the operand has the output's own layout.
template <Rounding R>
void sub_broadcast(const Sub& sub, const Elementwise& axes, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_broadcast(axes, a, b, output, ScaledSum<R, -1>{sub});
}

}  // namespace corten::rt
