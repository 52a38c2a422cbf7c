// SPDX-License-Identifier: Apache-2.0
// Real bounds as codes.
#include "compiler/ops/clamp_range.h"

namespace corten {
namespace {
std::int32_t code(float bound, const Quantization& q, std::int32_t fallback) {
  if (!std::isfinite(bound)) return fallback;
  const double real = std::nearbyint(double{bound} / double{q.scale()}) + q.zero_point();
  return static_cast<std::int32_t>(std::clamp(real, double(q.low), double(q.high)));
}
}  // namespace

CodeRange code_range(const ClampRange& range, const Quantization& quantization) {
  return {code(range.low, quantization, quantization.low), code(range.high, quantization, quantization.high)};
}

}  // namespace corten
