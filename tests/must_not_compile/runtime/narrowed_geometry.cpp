// SPDX-License-Identifier: Apache-2.0
// A geometry field takes nothing wider than 32 bits.
// ERROR: narrowing conversion
#include "corten/rt/fully_connected.h"

#ifdef CORTEN_WRONG
constexpr corten::rt::FullyConnected geometry = {5000000000, 4, 2};
#else
constexpr corten::rt::FullyConnected geometry = {2000000000, 4, 2};
#endif
