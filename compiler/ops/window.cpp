// SPDX-License-Identifier: Apache-2.0
// Extents of pooled images, and the arguments that pooling operators have in common.
#include "compiler/ops/window.h"

#include <fmt/format.h>

namespace corten {

std::int64_t pooled_extent(const Window2d& window, std::size_t axis, std::int64_t extent) {
  const auto before = window.padding[axis], after = window.padding[axis + 2], stride = window.stride[axis];
  const auto room = extent + before + after - window.dilation[axis] * (window.kernel[axis] - 1) - 1;
  if (room < 0) return 0;
  if (!window.ceil_mode) return room / stride + 1;
  const auto count = (room + stride - 1) / stride + 1;
  return (count - 1) * stride >= extent + before ? count - 1 : count;
}

namespace {
/// Half a window may lie in the padding before and after, as PyTorch has it.
bool padding_fits(const Window2d& window) {
  for (std::size_t side = 0; side < 4; ++side) {
    const auto axis = side % 2;
    const auto reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    if (window.padding[side] < 0 || window.padding[side] > reach / 2) return false;
  }
  return true;
}
}  // namespace

Result<std::vector<Type>> infer_pool(const Call& call, const Window2d& window) {
  const auto& x = call.shape(0);
  if (x.size() != 4) return call.error(fmt::format("input has {} dimensions, expected 4", x.size()));
  for (std::size_t axis : {0u, 1u})
    if (window.kernel[axis] < 1 || window.stride[axis] < 1 || window.dilation[axis] < 1)
      return call.error(fmt::format("kernel {}, stride {} and dilation {} of a window, expected 1 or more", window.kernel[axis], window.stride[axis], window.dilation[axis]));
  if (!padding_fits(window))
    return call.error(fmt::format("padding [{}], expected at most half of the kernel {}×{}", fmt::join(window.padding, ", "), window.kernel[0], window.kernel[1]));
  const auto height = pooled_extent(window, 0, x[1]), width = pooled_extent(window, 1, x[2]);
  if (height < 1 || width < 1)
    return call.error(fmt::format("kernel {}×{} is larger than the padded input {}", window.kernel[0], window.kernel[1], to_string(x)));
  return std::vector{Type{call.input(0).element, {x[0], height, width, x[3]}}};
}

namespace {
/// Kernel and stride along one axis, or nothing when windows differ.
std::optional<std::pair<std::int64_t, std::int64_t>> uniform_axis(std::int64_t input, std::int64_t output) {
  const auto kernel = adaptive_window(0, input, output).length();
  const auto stride = output == 1 ? kernel : adaptive_window(1, input, output).begin;
  for (std::int64_t i = 0; i < output; ++i) {
    const auto span = adaptive_window(i, input, output);
    if (span.length() != kernel || span.begin != i * stride) return std::nullopt;
  }
  if (stride < 1 || (input - kernel) / stride + 1 != output) return std::nullopt;
  return std::pair{kernel, stride};
}
}  // namespace

std::optional<Window2d> uniform_window(const std::array<std::int64_t, 2>& input, const std::array<std::int64_t, 2>& output) {
  const auto rows = uniform_axis(input[0], output[0]), columns = uniform_axis(input[1], output[1]);
  if (!rows || !columns) return std::nullopt;
  Window2d window;
  window.kernel = {rows->first, columns->first};
  window.stride = {rows->second, columns->second};
  return window;
}

std::vector<std::pair<std::string, std::string>> window_fields(const Call& call, const Window2d& window) {
  const auto &x = call.shape(0), &y = call.output().shape;
  return {{"batches", number(x[0])},
          {"input_height", number(x[1])},
          {"input_width", number(x[2])},
          {"channels", number(x[3])},
          {"output_height", number(y[1])},
          {"output_width", number(y[2])},
          {"kernel_height", number(window.kernel[0])},
          {"kernel_width", number(window.kernel[1])},
          {"stride_height", number(window.stride[0])},
          {"stride_width", number(window.stride[1])}};
}

Window2d read_window(Import& import, bool sequence) {
  const auto pair = [&](std::string_view name, std::vector<std::int64_t> fallback, std::int64_t width) -> std::array<std::int64_t, 2> {
    const auto list = import.integers(name, sequence ? 1 : 2, std::move(fallback));
    return {list[0], sequence ? width : list[1]};
  };
  Window2d window;
  window.kernel = pair("kernel_size", {1}, 1);
  window.stride = pair("stride", {window.kernel[0], window.kernel[1]}, 1);
  const auto padding = pair("padding", {0}, 0);
  window.padding = {padding[0], padding[1], padding[0], padding[1]};
  window.dilation = pair("dilation", {1}, 1);
  window.ceil_mode = import.boolean("ceil_mode", false);
  return window;
}

Result<ValueId> pool_input(Import& import, bool sequence) {
  const auto rank = import.rank("self"), expected = std::int64_t{sequence ? 3 : 4};
  if (rank != expected)
    return import.error(fmt::format("input of rank {}, expected {}", rank, expected), rank + 1 == expected ? "give the input a batch dimension" : "");
  const auto value = import.channels_last("self");
  if (!sequence) return value;
  const auto shape = import.shape(value);
  return import.reshape(value, {shape[0], shape[1], 1, shape[2]});
}

void bind_pooled(Import& import, ValueId pooled, bool sequence) {
  if (pooled == no_value) return;
  const auto shape = import.shape(pooled);
  import.result_channels_last(sequence ? import.reshape(pooled, {shape[0], shape[1], shape[3]}) : pooled);
}

bool pools_sequence(const Import& import) { return import.node().target.find("pool1d") != std::string::npos; }

std::array<std::int64_t, 2> adaptive_output(Import& import, bool sequence) {
  const auto size = import.integers("output_size", sequence ? 1 : 2, {1});
  return {size[0], sequence ? 1 : size[1]};
}

}  // namespace corten
