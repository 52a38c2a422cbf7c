// SPDX-License-Identifier: Apache-2.0
// The histogram observer: each step in the float32 arithmetic PyTorch performs, since one different bit moves a scale.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "compiler/quantize/observer.h"
#include "compiler/quantize/range.h"

namespace corten {
namespace {

constexpr std::size_t bins = 2048;
constexpr std::size_t split = 16;  // parts an old bin is cut into before it is put into a wider range

using Histogram = std::vector<float>;  // [bins]

/// torch.sum of 2048 float32: 32 columns, each summed by blocks of 16 rows, then the columns of a lane, then 8 lanes.
float sum(const Histogram& values) {
  constexpr std::size_t columns = 32;
  constexpr std::size_t lanes = 8;
  constexpr std::size_t block = 16 * columns;
  std::array<float, columns> column{};
  for (std::size_t start = 0; start < bins; start += block) {
    std::array<float, columns> partial{};
    for (std::size_t i = 0; i < block; ++i) partial[i % columns] += values[start + i];
    for (std::size_t i = 0; i < columns; ++i) column[i] += partial[i];
  }
  float total = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t i = lane + lanes; i < columns; i += lanes) column[lane] += column[i];
    total += column[lane];
  }
  return total;
}

/// torch.linspace(a, b, steps)[i]; its vector loop fuses the multiplication with the addition.
float linspace(float a, float b, std::size_t steps, std::size_t i) {
  const float step = (b - a) / static_cast<float>(steps - 1);
  if (i < steps / 2) return std::fma(step, static_cast<float>(i), a);
  return std::fma(-step, static_cast<float>(steps - 1 - i), b);
}

/// torch.histc. Precondition: values are finite and inside [low, high].
Histogram count(std::span<const float> values, float low, float high) {
  std::array<std::uint32_t, bins> counts{};
  if (low == high) {
    counts[bins / 2] = static_cast<std::uint32_t>(values.size());
    return Histogram(counts.begin(), counts.end());
  }
  constexpr std::size_t block = 256;
  std::array<std::int32_t, block> positions;
  const float width = high - low;
  for (std::size_t start = 0; start < values.size(); start += block) {
    const auto part = values.subspan(start, std::min(block, values.size() - start));
    for (std::size_t i = 0; i < part.size(); ++i) {
      const float position = (part[i] - low) * static_cast<float>(bins) / width;
      positions[i] = static_cast<std::int32_t>(std::min(position, static_cast<float>(bins - 1)));
    }
    for (std::size_t i = 0; i < part.size(); ++i) ++counts[static_cast<std::size_t>(positions[i])];
  }
  return Histogram(counts.begin(), counts.end());
}

/// `old` counts [min, max]; the same counts over the wider [low, high], each sixteenth of a bin by its middle.
Histogram spread(const Histogram& old, float min, float max, float low, float high) {
  constexpr std::size_t parts = bins * split;
  std::array<float, bins + 1> edges;
  for (std::size_t i = 0; i <= bins; ++i) edges[i] = linspace(low, high, bins + 1, i);
  const float half_part = 0.5f * ((max - min) / static_cast<float>(parts));
  Histogram result(bins);
  for (std::size_t i = 0; i < parts; ++i) {
    const float middle = linspace(min, max, parts + 1, i) + half_part;
    const auto above = std::upper_bound(edges.begin(), edges.end(), middle) - edges.begin();
    const auto bin = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, bins - 1));
    result[bin] += old[i / split] / static_cast<float>(split);
  }
  return result;
}

/// What one value seen `weight` times looks like over [low, high].
Histogram single(float value, float weight, float low, float high) {
  Histogram result = count(std::span(&value, 1), low, high);
  for (float& bin : result) bin *= weight;
  return result;
}

/// density · ∫ x² dx from begin to end.
inline float norm(float begin, float end, float density) {
  return density * ((end * end * end - begin * begin * begin) / 3.0f);
}

/// Which of `codes` target bins of `width` holds x.
inline float target_bin(float x, float width, float codes) {
  // In double the quotient can't be rounded up across an integer, so truncating equals torch.div(rounding_mode="floor").
  const double quotient = static_cast<double>(x) / static_cast<double>(width);
  return static_cast<float>(static_cast<std::int32_t>(std::clamp<double>(quotient, 0.0, codes - 1.0f)));
}

/// A histogram and the search for the bins worth keeping.
class RangeSearch {
 public:
  RangeSearch(const Histogram& histogram, float min, float max, std::uint32_t codes)
      : histogram_(histogram), codes_(codes), bin_width_((static_cast<double>(max) - static_cast<double>(min)) / bins) {
    double running = 0;
    for (std::size_t i = 0; i < bins; ++i) cumulated_[i] = static_cast<float>(running += static_cast<double>(histogram[i]));
  }

  struct Bins {
    std::size_t first;
    std::size_t last;
    friend bool operator==(const Bins&, const Bins&) = default;
  };

  /// Moves the ends inwards, always the one that sheds more bins per quantile, while the error doesn't grow.
  Bins best() const {
    constexpr double step = 1e-5;
    const double total = static_cast<double>(sum(histogram_));
    double alpha = 0;
    double beta = 1;
    float least = std::numeric_limits<float>::infinity();
    Bins kept{0, bins - 1};
    while (alpha < beta) {
      const Bins quantiles = {lower(kept, static_cast<float>((alpha + step) * total)),
                              upper(kept, static_cast<float>((beta - step) * total))};
      Bins next = kept;
      if (quantiles.first - kept.first > kept.last - quantiles.last) {
        next.first = quantiles.first;
        alpha += step;
      } else {
        next.last = quantiles.last;
        beta -= step;
      }
      if (next == kept) continue;
      const float found = quantization_error(next);
      if (found > least) break;
      least = found;
      kept = next;
    }
    return kept;
  }

  float bin_width() const { return static_cast<float>(bin_width_); }

 private:
  std::size_t lower(const Bins& kept, float quantile) const {
    const auto begin = cumulated_.begin() + static_cast<std::ptrdiff_t>(kept.first);
    const auto end = cumulated_.begin() + static_cast<std::ptrdiff_t>(kept.last);
    return static_cast<std::size_t>(std::lower_bound(begin, end, quantile) - cumulated_.begin());
  }

  std::size_t upper(const Bins& kept, float quantile) const {
    const auto begin = cumulated_.begin() + static_cast<std::ptrdiff_t>(kept.first) + 1;
    const auto end = cumulated_.begin() + static_cast<std::ptrdiff_t>(kept.last) + 1;
    return static_cast<std::size_t>(std::upper_bound(begin, end, quantile) - cumulated_.begin()) - 1;
  }

  /// Squared error of spreading the kept bins over `codes_` values, each bin taken as uniformly filled.
  float quantization_error(const Bins& kept) const {
    const double target_width = bin_width_ * static_cast<double>(kept.last - kept.first + 1) / codes_;
    if (target_width == 0) return 0;
    const float source = static_cast<float>(bin_width_);
    const float target = static_cast<float>(target_width);
    const float half = static_cast<float>(target_width / 2);
    if (source == 0 || target == 0) return std::numeric_limits<float>::quiet_NaN();
    const float codes = static_cast<float>(codes_);
    Histogram norms(bins);
    for (std::size_t j = 0; j < bins; ++j) {
      const auto steps = static_cast<std::int32_t>(j) - static_cast<std::int32_t>(kept.first);
      const float begin = static_cast<float>(steps) * source;
      const float end = begin + source;
      const float begin_bin = target_bin(begin, target, codes);
      const float end_bin = target_bin(end, target, codes);
      const float density = histogram_[j] / source;
      norms[j] = norm(begin - (begin_bin + 0.5f) * target, half, density);
      norms[j] += (end_bin - begin_bin - 1.0f) * norm(-half, half, density);
      norms[j] += norm(-half, end - (end_bin * target + half), density);
    }
    return sum(norms);
  }

  const Histogram& histogram_;
  std::uint32_t codes_;
  double bin_width_;
  std::array<float, bins> cumulated_;
};

std::vector<float> finite_of(std::span<const float> values) {
  std::vector<float> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](float x) { return std::isfinite(x); });
  return finite;
}

void add(Histogram& to, const Histogram& more) {
  for (std::size_t i = 0; i < bins; ++i) to[i] += more[i];
}

}  // namespace

HistogramObserver::HistogramObserver(const Grid& grid) : grid_(grid), histogram_(bins) {}

void HistogramObserver::observe(std::span<const float> values) {
  Range range = range_of(values);
  nan_count_ += range.nan_count;
  std::vector<float> finite;
  if (range.nan_count > 0 || std::isinf(range.min) || std::isinf(range.max)) {
    finite = finite_of(values);
    values = finite;
    range = range_of(values);
  }
  if (values.empty()) return;
  const float low = std::min(min_, range.min);
  const float high = std::max(max_, range.max);
  if (!std::isfinite(high - low)) {
    min_ = low;  // quantization() reports it
    max_ = high;
    return;
  }
  Histogram updated = count(values, low, high);
  if (low == min_ && high == max_) add(updated, histogram_);
  else if (min_ == max_) add(updated, single(min_, sum(histogram_), low, high));
  else if (min_ < max_) add(updated, spread(histogram_, min_, max_, low, high));
  histogram_ = std::move(updated);
  min_ = low;
  max_ = high;
}

Result<Quantization> HistogramObserver::quantization() const {
  CORTEN_CHECK(check_observed(min_, max_, nan_count_));
  if (min_ > max_) return choose_quantization(min_, max_, grid_);
  const RangeSearch search(histogram_, min_, max_, std::bit_ceil(static_cast<std::uint32_t>(grid_.high - grid_.low)));
  const auto kept = search.best();
  const float min = min_ + search.bin_width() * static_cast<float>(kept.first);
  const float max = min_ + search.bin_width() * static_cast<float>(kept.last + 1);
  return choose_quantization(min, max, grid_);
}

}  // namespace corten
