// SPDX-License-Identifier: Apache-2.0
// The smaller of two int8 codes, element by element; both operands share one grid.
#pragma once
#include <cstdint>

#include "corten/rt/elementwise.h"

namespace corten::rt {

struct SmallerCode {
  /// Elements: one code in an int32, or a vector of them.
  template <class Elements>
  Elements operator()(Elements a, Elements b) const {
    return a < b ? a : b;
  }
};

/// The output may be either operand's memory.
template <class Isa = Native>
void minimum_contiguous(std::int32_t count, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_contiguous<Isa>(count, a, b, output, SmallerCode{});
}

/// The same with broadcasting; in place only where the operand has the output's own layout.
inline void minimum_broadcast(const Elementwise& axes, const std::int8_t* a, const std::int8_t* b, std::int8_t* output) {
  apply_broadcast(axes, a, b, output, SmallerCode{});
}

}  // namespace corten::rt
