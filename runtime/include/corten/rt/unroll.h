// SPDX-License-Identifier: Apache-2.0
// Marks for loops over a register tile and for the functions around them.
#pragma once

// GCC keeps a tile of accumulators in memory at -O2 unless its loops are unrolled whole.
#define CORTEN_UNROLL _Pragma("GCC unroll 16")

// Sums of a tile stay in registers only where the functions that fill and store them are inlined.
#define CORTEN_INLINE [[gnu::always_inline]] inline
