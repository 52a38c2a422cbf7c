// SPDX-License-Identifier: Apache-2.0
// The choice of scale and zero point, and the min-max observers.
#include "compiler/quantize/observer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compiler/quantize/range.h"

namespace corten {
namespace {

float symmetric_scale(float min, float max, const Grid& grid) {
  const float steps = static_cast<float>(static_cast<double>(grid.high - grid.low) / 2);
  return std::max(std::max(-min, max) / steps, grid.smallest_scale);
}

float affine_scale(float min, float max, const Grid& grid) {
  return std::max((max - min) / static_cast<float>(grid.high - grid.low), grid.smallest_scale);
}

std::int32_t affine_zero_point(float min, float scale, const Grid& grid) {
  const double zero_point = grid.low - static_cast<double>(std::nearbyint(min / scale));
  return static_cast<std::int32_t>(std::clamp<double>(zero_point, grid.low, grid.high));
}

std::size_t elements_after(const Shape& shape, int axis) {
  return static_cast<std::size_t>(element_count(Shape(shape.begin() + axis + 1, shape.end())));
}

}  // namespace

Range range_of(std::span<const float> values) {
  // Independent lanes let the compiler use vector registers, which a single running minimum forbids.
  constexpr std::size_t lanes = 16;
  std::array<float, lanes> low;
  std::array<float, lanes> high;
  std::array<std::size_t, lanes> nans{};
  low.fill(std::numeric_limits<float>::infinity());
  high.fill(-std::numeric_limits<float>::infinity());
  const auto take = [&](std::size_t lane, float x) {
    low[lane] = x < low[lane] ? x : low[lane];
    high[lane] = x > high[lane] ? x : high[lane];
    nans[lane] += x != x;
  };
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, values[i + lane]);
  for (; i < values.size(); ++i) take(0, values[i]);
  Range range;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    range.min = std::min(range.min, low[lane]);
    range.max = std::max(range.max, high[lane]);
    range.nan_count += nans[lane];
  }
  return range;
}

Status check_observed(float min, float max, std::size_t nan_count) {
  if (nan_count > 0) return error(fmt::format("{} observed value(s) are not a number", nan_count));
  if (min > max) return {};
  if (!std::isfinite(std::max(max, 0.0f) - std::min(min, 0.0f)))
    return error(fmt::format("observed range [{}, {}] is too wide for float32", min, max));
  return {};
}

Quantization choose_quantization(float min, float max, const Grid& grid) {
  if (min > max) return per_tensor(1.0f, 0, grid.low, grid.high);
  min = std::min(min, 0.0f);
  max = std::max(max, 0.0f);
  if (grid.symmetry == Symmetry::Symmetric) return per_tensor(symmetric_scale(min, max, grid), 0, grid.low, grid.high);
  const float scale = affine_scale(min, max, grid);
  return per_tensor(scale, affine_zero_point(min, scale, grid), grid.low, grid.high);
}

void MinMaxObserver::observe(std::span<const float> values) {
  const Range range = range_of(values);
  min_ = std::min(min_, range.min);
  max_ = std::max(max_, range.max);
  nan_count_ += range.nan_count;
}

Result<Quantization> MinMaxObserver::quantization() const {
  CORTEN_CHECK(check_observed(min_, max_, nan_count_));
  return choose_quantization(min_, max_, grid_);
}

PerChannelMinMaxObserver::PerChannelMinMaxObserver(const Shape& shape, int axis, const Grid& grid)
    : grid_(grid),
      axis_(axis),
      inner_elements_(elements_after(shape, axis)),
      min_(static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]), std::numeric_limits<float>::infinity()),
      max_(min_.size(), -std::numeric_limits<float>::infinity()) {}

void PerChannelMinMaxObserver::observe(std::span<const float> values) {
  for (std::size_t start = 0, channel = 0; start < values.size(); start += inner_elements_) {
    const Range range = range_of(values.subspan(start, inner_elements_));
    min_[channel] = std::min(min_[channel], range.min);
    max_[channel] = std::max(max_[channel], range.max);
    nan_count_ += range.nan_count;
    channel = channel + 1 == min_.size() ? 0 : channel + 1;
  }
}

Result<Quantization> PerChannelMinMaxObserver::quantization() const {
  Quantization chosen{.scales = {}, .zero_points = {}, .axis = axis_, .low = grid_.low, .high = grid_.high};
  for (std::size_t channel = 0; channel < min_.size(); ++channel) {
    CORTEN_CHECK(check_observed(min_[channel], max_[channel], nan_count_));
    const Quantization one = choose_quantization(min_[channel], max_[channel], grid_);
    chosen.scales.push_back(one.scale());
    chosen.zero_points.push_back(one.zero_point());
  }
  return chosen;
}

std::unique_ptr<Observer> make_observer(ObserverKind kind, const Grid& grid) {
  if (kind == ObserverKind::Histogram) return std::make_unique<HistogramObserver>(grid);
  return std::make_unique<MinMaxObserver>(grid);
}

}  // namespace corten
