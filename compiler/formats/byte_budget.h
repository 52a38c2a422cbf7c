// SPDX-License-Identifier: Apache-2.0
// Caps what a hostile file can make a reader allocate.
#pragma once
#include <cstdint>

namespace corten {

/// Bytes that may still be allocated for one file; shared by everything read from it.
struct ByteBudget {
  std::uint64_t left = 0;

  /// Whether `bytes` were left; takes them if so.
  bool take(std::uint64_t bytes) {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }
};

}  // namespace corten
