// SPDX-License-Identifier: Apache-2.0
// Facts about each instruction set that the compiler and the kernels must agree on; needs no intrinsics.
#pragma once
#include <cstddef>

namespace corten::rt {

/// Facts of an instruction set:
///   lane_bytes  bytes one gathered activation takes in scratch
///   rows, cols  output channels and pixels of a matrix-multiply tile
///   depth       a gathered patch is padded to a multiple of this many elements
///   elements    codes an elementwise step computes together
struct PortableTile {
  static constexpr int lane_bytes = 1, rows = 2, cols = 2, depth = 1, elements = 1;
};
struct DspTile {
  static constexpr int lane_bytes = 2, rows = 2, cols = 2, depth = 4, elements = 1;
};
struct MveTile {
  static constexpr int lane_bytes = 1, rows = 4, cols = 2, depth = 1, elements = 4;
};

/// value rounded up to a multiple of step.
constexpr std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

}  // namespace corten::rt
