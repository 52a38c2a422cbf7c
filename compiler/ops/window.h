// SPDX-License-Identifier: Apache-2.0
// How pooling windows lie on an NHWC image, padding and partial windows included.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ops/import.h"
#include "compiler/ops/index.h"
#include "compiler/ops/operator.h"

namespace corten {

struct Window2d {
  std::array<std::int64_t, 2> kernel = {1, 1};
  std::array<std::int64_t, 2> stride = {1, 1};
  std::array<std::int64_t, 4> padding = {0, 0, 0, 0};  // top, left, bottom, right
  std::array<std::int64_t, 2> dilation = {1, 1};
  bool ceil_mode = false;  // a last window may reach beyond the padded image
  template <class F>
  void fields(F&& f) {
    f("kernel", kernel), f("stride", stride), f("padding", padding), f("dilation", dilation), f("ceil_mode", ceil_mode);
  }
};

/// Windows along axis 0 (height) or 1 (width) of an image of `extent`, as PyTorch counts them: with ceil_mode a window
/// that would start beyond the image and the padding before it is left out.
std::int64_t pooled_extent(const Window2d& window, std::size_t axis, std::int64_t extent);

/// The type of a pooled image, or why the window doesn't fit it.
Result<std::vector<Type>> infer_pool(const Call& call, const Window2d& window);

/// [begin, end) along one axis.
struct WindowSpan {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
};

/// Window `i` of adaptive pooling from `input` to `output` elements: ⌊i·input/output⌋ … ⌈(i+1)·input/output⌉.
constexpr WindowSpan adaptive_window(std::int64_t i, std::int64_t input, std::int64_t output) {
  return {i * input / output, ((i + 1) * input + output - 1) / output};
}

/// The strided window that adaptive pooling of [height, width] amounts to, if its windows are alike and evenly spaced.
std::optional<Window2d> uniform_window(const std::array<std::int64_t, 2>& input, const std::array<std::int64_t, 2>& output);

/// Calls output(index, position, base) for each output element; `base` is the position of pixel [0, 0] of its image and channel.
template <class F>
void for_each_pooled(const Shape& x, const Shape& y, F&& output) {
  for_each_index(y, [&](const Index& index, std::int64_t position) {
    output(index, static_cast<std::size_t>(position), index[0] * x[1] * x[2] * x[3] + index[3]);
  });
}

/// Calls tap(position) for each tap of the window of output row `oy`, column `ox` that lies in the image.
template <class F>
void for_each_tap(const Window2d& window, const Shape& x, std::int64_t oy, std::int64_t ox, std::int64_t base, F&& tap) {
  for (std::int64_t ky = 0; ky < window.kernel[0]; ++ky)
    for (std::int64_t kx = 0; kx < window.kernel[1]; ++kx) {
      const auto iy = oy * window.stride[0] + ky * window.dilation[0] - window.padding[0];
      const auto ix = ox * window.stride[1] + kx * window.dilation[1] - window.padding[1];
      if (iy >= 0 && iy < x[1] && ix >= 0 && ix < x[2]) tap(static_cast<std::size_t>(base + (iy * x[2] + ix) * x[3]));
    }
}

/// "batches" … "stride_width": what the kernels' geometries have in common.
std::vector<std::pair<std::string, std::string>> window_fields(const Call& call, const Window2d& window);

// ---- import ---------------------------------------------------------------------------------------------------------

/// kernel_size, stride (the kernel by default), padding, dilation and ceil_mode; a sequence's window has width 1.
Window2d read_window(Import& import, bool sequence);
/// "self" as NHWC, a sequence as an image of width 1. Fails unless there is a batch axis.
Result<ValueId> pool_input(Import& import, bool sequence);
/// Binds result 0 to the pooled image, or sequence.
void bind_pooled(Import& import, ValueId pooled, bool sequence);
/// Whether the current node pools sequences: its name has "pool1d".
bool pools_sequence(const Import& import);
/// output_size as [height, width]; a sequence's width is 1.
std::array<std::int64_t, 2> adaptive_output(Import& import, bool sequence);

}  // namespace corten
