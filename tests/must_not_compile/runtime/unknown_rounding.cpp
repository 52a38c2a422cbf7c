// SPDX-License-Identifier: Apache-2.0
// Rounding is double or single.
// ERROR: 'Half' is not a member of
#include "corten/rt/requantize.h"

#ifdef CORTEN_WRONG
constexpr corten::rt::PerTensor<corten::rt::Rounding::Half> kind = {1, 0, 0, -128, 127};
#else
constexpr corten::rt::PerTensor<corten::rt::Rounding::Single> kind = {1, 0, 0, -128, 127};
#endif
