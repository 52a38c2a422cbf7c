// SPDX-License-Identifier: Apache-2.0
// int8 addition with scales of its own for each operand.
#pragma once
#include <cstdint>

#include "corten/rt/elementwise.h"
#include "corten/rt/sum.h"

namespace corten::rt {

using Add = Sum;

/// output = a + b. The output may be either operand's memory.
template <Rounding R, class Isa = Native>
void add_contiguous(const Add& add, std::int32_t count, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_contiguous<Isa>(count, a, b, output, ScaledSum<R, +1>{add});
}

/// The same with broadcasting; in place only where the operand has the output's own layout.
template <Rounding R>
void add_broadcast(const Add& add, const Elementwise& axes, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_broadcast(axes, a, b, output, ScaledSum<R, +1>{add});
}

}  // namespace corten::rt
