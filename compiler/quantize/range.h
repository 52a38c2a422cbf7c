// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest of many floats.
#pragma once
#include <cstddef>
#include <limits>
#include <span>

#include "corten/result.h"

namespace corten {

/// min > max when there was no number. NaN counts for neither end.
struct Range {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  std::size_t nan_count = 0;
};

Range range_of(std::span<const float> values);

/// Whether an observer may choose from what it has seen: numbers only, in a range float32 can hold.
Status check_observed(float min, float max, std::size_t nan_count);

}  // namespace corten
