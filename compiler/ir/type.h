// SPDX-License-Identifier: Apache-2.0
// What a value is: element, shape and, where it has one, the meaning of its integers.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corten {

enum class Element : std::uint8_t { F32, I8, U8, I16, I32, I64, Bool };

/// Bytes one element takes in memory.
std::size_t element_bytes(Element element);
/// The word the text form uses: f32 i8 u8 i16 i32 i64 bool.
std::string_view to_string(Element element);
std::optional<Element> parse_element(std::string_view text);

/// Extents, outermost first. Images are NHWC, sequences NLC. Empty for a scalar.
using Shape = std::vector<std::int64_t>;

/// Product of the extents; 1 for a scalar. Precondition: extents are not negative and the product fits.
std::int64_t element_count(const Shape& shape);
/// "[1, 28, 28, 1]".
std::string to_string(const Shape& shape);
/// Numpy broadcasting of two shapes, right-aligned; nothing if they don't fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);
/// Row-major strides in elements.
std::vector<std::int64_t> strides_of(const Shape& shape);

/// The meaning of integers: real = scale · (q − zero_point), q in [low, high].
/// Per tensor: one scale and one zero point, axis −1. Per channel: one of each per index of `axis`.
struct Quantization {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  int axis = -1;
  std::int32_t low = -128;
  std::int32_t high = 127;

  bool per_channel() const { return axis >= 0; }
  float scale(std::size_t channel = 0) const { return scales[per_channel() ? channel : 0]; }
  std::int32_t zero_point(std::size_t channel = 0) const { return zero_points[per_channel() ? channel : 0]; }
  /// Whether two values may exchange their integers unchanged (the range they use may differ).
  bool same_grid(const Quantization& other) const {
    return scales == other.scales && zero_points == other.zero_points && axis == other.axis;
  }
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

Quantization per_tensor(float scale, std::int32_t zero_point, std::int32_t low = -128, std::int32_t high = 127);

struct Type {
  Element element = Element::F32;
  Shape shape = {};
  std::optional<Quantization> quantization = {};
  friend bool operator==(const Type&, const Type&) = default;
};

std::size_t byte_size(const Type& type);

}  // namespace corten
