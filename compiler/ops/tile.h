// SPDX-License-Identifier: Apache-2.0
// The runtime's facts about an instruction set that is known only when the compiler runs.
#pragma once
#include <cstdint>

#include "corten/cores.h"
#include "corten/rt/isa.h"

namespace corten {

/// f(tile) for the tile of `isa`, as a byte count.
template <class F>
std::int64_t for_tile(Isa isa, F&& f) {
  switch (isa) {
    case Isa::Portable: return static_cast<std::int64_t>(f(rt::PortableTile{}));
    case Isa::Dsp: return static_cast<std::int64_t>(f(rt::DspTile{}));
    case Isa::Mve: return static_cast<std::int64_t>(f(rt::MveTile{}));
  }
  return 0;
}

}  // namespace corten
