// SPDX-License-Identifier: Apache-2.0
// Native: the best instruction set of the target this file is compiled for.
#pragma once
#include "corten/rt/isa_dsp.h"
#include "corten/rt/isa_mve.h"
#include "corten/rt/isa_portable.h"

namespace corten::rt {

#if defined(__ARM_FEATURE_MVE)
using Native = Mve;
#elif defined(__ARM_FEATURE_SIMD32) || defined(CORTEN_HOST_DSP)
using Native = Dsp;
#else
using Native = Portable;
#endif

}  // namespace corten::rt
