// SPDX-License-Identifier: Apache-2.0
// The quotient by which pooling averages codes.
#pragma once
#include <cstdint>

namespace corten {

/// sum / divisor, halves away from zero. Precondition: divisor > 0.
constexpr std::int64_t divide_half_away(std::int64_t sum, std::int64_t divisor) {
  const auto magnitude = (2 * (sum < 0 ? -sum : sum) + divisor) / (2 * divisor);
  return sum < 0 ? -magnitude : magnitude;
}

}  // namespace corten
