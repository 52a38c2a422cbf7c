// SPDX-License-Identifier: Apache-2.0
// Geometry shared by convolution and pooling: how windows lie on an image.
#pragma once
#include <array>
#include <cstdint>

#include "compiler/ops/clamp_range.h"

namespace corten {

struct Conv2dParameters {
  std::array<std::int64_t, 2> stride = {1, 1};
  std::array<std::int64_t, 4> padding = {0, 0, 0, 0};  // top, left, bottom, right
  std::array<std::int64_t, 2> dilation = {1, 1};
  std::int64_t groups = 1;
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    f("stride", stride);
    f("padding", padding);
    f("dilation", dilation);
    f("groups", groups);
    clamp.fields(f);
  }
};

/// Windows that fit: ⌊(extent + padding − dilation·(kernel − 1) − 1) / stride⌋ + 1; below 1 when the kernel doesn't fit.
constexpr std::int64_t window_count(std::int64_t extent, std::int64_t padding, std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
  const auto room = extent + padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

}  // namespace corten
