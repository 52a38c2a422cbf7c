// SPDX-License-Identifier: Apache-2.0
// From observed floats to a quantization, bit for bit as PyTorch's PT2E observers choose it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "compiler/ir/type.h"
#include "corten/result.h"

namespace corten {

enum class Symmetry : std::uint8_t { Affine, Symmetric };

/// The smallest scale PyTorch's observers choose unless told otherwise: their `eps`, 2^-23.
inline constexpr float default_smallest_scale = std::numeric_limits<float>::epsilon();

/// Which integers a range of reals is spread over. Precondition: low ≤ 0 < high.
struct Grid {
  Symmetry symmetry = Symmetry::Affine;
  std::int32_t low = -128;
  std::int32_t high = 127;
  float smallest_scale = default_smallest_scale;
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// The per-tensor quantization for reals in [min, max] (widened to hold 0), in float32:
///   affine:    scale = (max − min) / (high − low), zero point = low − round_half_even(min / scale), clamped
///   symmetric: scale = max(−min, max) / ((high − low) / 2), zero point 0
/// with scale ≥ smallest_scale. min > max means nothing was seen: scale 1, zero point 0.
Quantization choose_quantization(float min, float max, const Grid& grid);

/// Sees tensors one after the other, in the user's order, then says how to quantize them.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void observe(std::span<const float> values) = 0;
  /// Errors: values that aren't numbers were seen; a range that doesn't fit float32.
  virtual Result<Quantization> quantization() const = 0;
};

/// Running minimum and maximum of whole tensors (torchao's MinMaxObserver).
class MinMaxObserver final : public Observer {
 public:
  explicit MinMaxObserver(const Grid& grid) : grid_(grid) {}
  void observe(std::span<const float> values) override;
  Result<Quantization> quantization() const override;

 private:
  Grid grid_;
  float min_ = std::numeric_limits<float>::infinity();
  float max_ = -std::numeric_limits<float>::infinity();
  std::size_t nan_count_ = 0;
};

/// Running minimum and maximum per index of one axis (torchao's PerChannelMinMaxObserver).
class PerChannelMinMaxObserver final : public Observer {
 public:
  /// `shape` is that of every tensor to come. Precondition: 0 ≤ axis < rank.
  PerChannelMinMaxObserver(const Shape& shape, int axis, const Grid& grid);
  /// Precondition: `values` has as many elements as the shape.
  void observe(std::span<const float> values) override;
  Result<Quantization> quantization() const override;

 private:
  Grid grid_;
  int axis_;
  std::size_t inner_elements_;  // elements between neighbors along the axis
  std::vector<float> min_;      // [channels]
  std::vector<float> max_;      // [channels]
  std::size_t nan_count_ = 0;
};

/// Histogram of everything seen, and a search for the range with the least squared error (torchao's HistogramObserver,
/// 0.18). Infinities are dropped, as there. The choice equals PyTorch's on x86-64 with AVX2 or AVX-512.
class HistogramObserver final : public Observer {
 public:
  explicit HistogramObserver(const Grid& grid);
  void observe(std::span<const float> values) override;
  Result<Quantization> quantization() const override;

 private:
  Grid grid_;
  std::vector<float> histogram_;  // [2048] counts of [min_, max_] in equal bins
  float min_ = std::numeric_limits<float>::infinity();
  float max_ = -std::numeric_limits<float>::infinity();
  std::size_t nan_count_ = 0;
};

enum class ObserverKind : std::uint8_t { MinMax, Histogram };

/// A per-tensor observer.
std::unique_ptr<Observer> make_observer(ObserverKind kind, const Grid& grid);

}  // namespace corten
