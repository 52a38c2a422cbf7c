// SPDX-License-Identifier: Apache-2.0
// The average pooling operator's parameters.
#pragma once
#include "compiler/ops/window.h"

namespace corten {

/// The sum of the taps inside the image, divided by divisor_override or, where that is 0, by the window's pixels inside
/// the image (and its padding, with count_include_padding; what ceil_mode adds beyond never counts). dilation is 1.
struct AvgPool2dParameters {
  Window2d window;
  bool count_include_padding = true;
  std::int64_t divisor_override = 0;
  ClampRange clamp = {};
  template <class F>
  void fields(F&& f) {
    window.fields(f);
    f("count_include_padding", count_include_padding), f("divisor_override", divisor_override);
    clamp.fields(f);
  }
};

}  // namespace corten
