// SPDX-License-Identifier: Apache-2.0
// Which rows and columns of an image lie under a sliding window.
#pragma once
#include <cstdint>

namespace corten::rt {

/// What a row kernel takes: row[ky] is the start of an input row, nullptr outside the image. An array of pointers is one too.
class WindowRows {
 public:
  /// first: row of the image under ky = 0, may be negative; dilation: image rows from ky to ky + 1.
  WindowRows(const std::int8_t* image, std::int32_t first, std::int32_t height, std::int32_t dilation, std::int32_t row_elements)
      : image_(image), first_(first), height_(static_cast<std::uint32_t>(height)), dilation_(dilation), row_elements_(row_elements) {}

  const std::int8_t* operator[](std::int32_t ky) const {
    const std::int32_t row = first_ + ky * dilation_;
    return static_cast<std::uint32_t>(row) >= height_ ? nullptr : image_ + row * row_elements_;
  }
  /// As [], for a row that is known to lie in the image.
  const std::int8_t* inside(std::int32_t ky) const { return image_ + (first_ + ky * dilation_) * row_elements_; }
  std::int32_t first() const { return first_; }

 private:
  const std::int8_t* image_;
  std::int32_t first_;
  std::uint32_t height_;
  std::int32_t dilation_, row_elements_;
};

inline const std::int8_t* inside_row(const WindowRows& rows, std::int32_t ky) { return rows.inside(ky); }
inline const std::int8_t* inside_row(const std::int8_t* const* rows, std::int32_t ky) { return rows[ky]; }

/// The taps [first, last) of `kernel` that lie in [0, extent), the window starting at `start`.
struct TapRange {
  std::int32_t first, last;

  constexpr TapRange(std::int32_t start, std::int32_t extent, std::int32_t kernel, std::int32_t dilation)
      : first(start < 0 ? (dilation - 1 - start) / dilation : 0), last(kernel) {
    if (start + (kernel - 1) * dilation >= extent) last = start >= extent ? 0 : (extent - start + dilation - 1) / dilation;
    if (first > last) first = last;
  }
  constexpr std::int32_t count() const { return last - first; }
};

/// Calls row(rows, output_row) for each output row of each image, in ascending order. Image: a struct with batches,
/// input_height, input_width, output_height, output_width, stride_height, dilation_height and padding_top.
template <class Image, class RowKernel>
inline void for_each_row(const Image& image, std::int32_t input_channels, std::int32_t output_channels, const std::int8_t* input, std::int8_t* output,
                         RowKernel row) {
  const std::int32_t row_elements = image.input_width * input_channels;
  for (std::int32_t batch = 0; batch < image.batches; ++batch, input += image.input_height * row_elements)
    for (std::int32_t y = 0; y < image.output_height; ++y, output += image.output_width * output_channels)
      row(WindowRows{input, y * image.stride_height - image.padding_top, image.input_height, image.dilation_height, row_elements}, output);
}

}  // namespace corten::rt
