// SPDX-License-Identifier: Apache-2.0
// Gathering of strided elements, with conversion to the elements Corten has.
#include "compiler/formats/torch_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace corten {
namespace {

constexpr std::array torch_scalars = {
    TorchScalar{1, "uint8", 1, Element::U8},         TorchScalar{2, "int8", 1, Element::I8},
    TorchScalar{3, "int16", 2, Element::I16},        TorchScalar{4, "int32", 4, Element::I32},
    TorchScalar{5, "int64", 8, Element::I64},        TorchScalar{6, "float16", 2, Element::F32},
    TorchScalar{7, "float32", 4, Element::F32},      TorchScalar{8, "float64", 8, Element::F32},
    TorchScalar{9, "complex32", 4, std::nullopt},    TorchScalar{10, "complex64", 8, std::nullopt},
    TorchScalar{11, "complex128", 16, std::nullopt}, TorchScalar{12, "bool", 1, Element::Bool},
    TorchScalar{13, "bfloat16", 2, Element::F32},    TorchScalar{28, "uint16", 2, std::nullopt},
    TorchScalar{29, "float8_e4m3fn", 1, std::nullopt}, TorchScalar{30, "float8_e5m2", 1, std::nullopt},
    TorchScalar{31, "float8_e4m3fnuz", 1, std::nullopt}, TorchScalar{32, "float8_e5m2fnuz", 1, std::nullopt},
    TorchScalar{33, "float8_e8m0fnu", 1, std::nullopt}, TorchScalar{34, "uint32", 4, std::nullopt},
    TorchScalar{35, "uint64", 8, std::nullopt},
};

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 31u;
  const std::uint32_t fraction = half & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

template <class T>
T load(const std::byte* from, bool swap) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (swap) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

float double_to_float(double value) {
  // Out of range of float is undefined for a cast; IEEE rounding gives infinity.
  if (value > std::numeric_limits<float>::max() || value < std::numeric_limits<float>::lowest())
    return static_cast<float>(std::copysign(
        std::abs(value) < 0x1.ffffffp127 ? std::numeric_limits<float>::max() : std::numeric_limits<float>::infinity(), value));
  return static_cast<float>(value);
}

void store_element(const TorchScalar& scalar, const std::byte* from, bool swap, std::byte* into) {
  const auto store_float = [&](float value) { std::memcpy(into, &value, sizeof value); };
  switch (scalar.code) {
    case 6: return store_float(half_to_float(load<std::uint16_t>(from, swap)));
    case 8: return store_float(double_to_float(load<double>(from, swap)));
    case 12: *into = *from == std::byte{0} ? std::byte{0} : std::byte{1}; return;
    case 13: return store_float(std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from, swap)) << 16));
    default:
      std::memcpy(into, from, scalar.bytes);
      if (swap) std::reverse(into, into + scalar.bytes);
  }
}

// Highest element index the view touches; nothing if negative or not representable.
std::optional<std::uint64_t> last_index(const StridedTensor& view) {
  if (view.offset < 0) return std::nullopt;
  std::int64_t last = view.offset;
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    std::int64_t reach = 0;
    if (view.strides[i] < 0) return std::nullopt;
    if (__builtin_mul_overflow(view.sizes[i] - 1, view.strides[i], &reach)) return std::nullopt;
    if (__builtin_add_overflow(last, reach, &last)) return std::nullopt;
  }
  return static_cast<std::uint64_t>(last);
}

void gather(const StridedTensor& view, std::span<const std::byte> storage, bool swap, Tensor& into) {
  const std::size_t into_bytes = element_bytes(into.element);
  std::array<std::int64_t, most_dimensions> index{};
  std::array<std::int64_t, most_dimensions> strides{};
  // An axis of extent 1 may carry any stride; stepping over it must not overflow.
  for (std::size_t axis = 0; axis < view.sizes.size(); ++axis) strides[axis] = view.sizes[axis] > 1 ? view.strides[axis] : 0;
  std::int64_t at = view.offset;
  for (std::size_t done = 0; done < into.bytes.size(); done += into_bytes) {
    store_element(*view.scalar, storage.data() + static_cast<std::size_t>(at) * view.scalar->bytes, swap, into.bytes.data() + done);
    for (std::size_t axis = view.sizes.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < view.sizes[axis]) break;
      at -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

const TorchScalar* torch_scalar(std::int64_t code) {
  for (const auto& scalar : torch_scalars)
    if (scalar.code == code) return &scalar;
  return nullptr;
}

const TorchScalar* torch_scalar(std::string_view name) {
  for (const auto& scalar : torch_scalars)
    if (scalar.name == name) return &scalar;
  return nullptr;
}

bool shape_plausible(const Shape& shape) {
  if (shape.size() > most_dimensions) return false;
  std::int64_t product = 1;
  for (const auto extent : shape) {
    if (extent < 0 || extent > std::numeric_limits<std::int32_t>::max()) return false;
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product)) return false;
  }
  return product <= std::int64_t{1} << 48;
}

Result<Tensor> materialize(const StridedTensor& view, std::span<const std::byte> storage, bool big_endian, ByteBudget& budget,
                           const Origin& origin) {
  if (!view.scalar->element)
    return error(fmt::format("tensor '{}' holds {}, which Corten doesn't support", origin.node, view.scalar->name), origin);
  if (!shape_plausible(view.sizes) || view.strides.size() != view.sizes.size())
    return error(fmt::format("tensor '{}' has impossible sizes or strides", origin.node), origin);
  const auto elements = static_cast<std::uint64_t>(element_count(view.sizes));
  if (!budget.take(elements * element_bytes(*view.scalar->element)))
    return error(fmt::format("tensor '{}' of shape {} is larger than the file accounts for", origin.node, to_string(view.sizes)), origin);
  Tensor tensor(*view.scalar->element, view.sizes);
  if (elements == 0 || storage.empty()) return tensor;
  const auto last = last_index(view);
  if (!last || *last >= storage.size() / view.scalar->bytes)
    return error(fmt::format("tensor '{}' reaches beyond its storage of {} bytes", origin.node, storage.size()), origin);
  gather(view, storage, big_endian, tensor);
  return tensor;
}

}  // namespace corten
