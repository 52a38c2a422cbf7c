// SPDX-License-Identifier: Apache-2.0
// A kernel needs to know how its sums become codes.
// ERROR: cannot be used as a function
#include "corten/rt/fully_connected.h"

using namespace corten::rt;
constexpr FullyConnected geometry = {1, 4, 2};
constexpr PerTensor<Rounding::Double> requantize_all = {1 << 30, 0, 0, -128, 127};

#ifdef CORTEN_WRONG
void layer(const std::int8_t* x, const std::int8_t* w, const std::int32_t* b, std::int8_t* y) { fully_connected(geometry, x, w, b, nullptr, y, nullptr); }
#else
void layer(const std::int8_t* x, const std::int8_t* w, const std::int32_t* b, std::int8_t* y) { fully_connected(geometry, x, w, b, requantize_all, y, nullptr); }
#endif
