// SPDX-License-Identifier: Apache-2.0
// The mark for loops over a register tile.
#pragma once

// GCC keeps a tile of accumulators in memory at -O2 unless its loops are unrolled whole.
#define CORTEN_UNROLL _Pragma("GCC unroll 16")
