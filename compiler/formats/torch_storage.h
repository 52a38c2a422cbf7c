// SPDX-License-Identifier: Apache-2.0
// Turns strided views of PyTorch storages into contiguous tensors.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/formats/byte_budget.h"
#include "compiler/ir/tensor.h"
#include "corten/result.h"

namespace corten {

/// A PyTorch scalar type. `element` is what its values become here: f64, f16 and bf16 become f32; nothing for types Corten refuses.
struct TorchScalar {
  int code = 0;  // numbering of the .pt2 schema (not c10's)
  std::string_view name;  // "float32"
  std::size_t bytes = 0;
  std::optional<Element> element;
};

/// Null if unknown.
const TorchScalar* torch_scalar(std::int64_t code);
const TorchScalar* torch_scalar(std::string_view name);

/// A view of a storage; offset and strides in elements.
struct StridedTensor {
  const TorchScalar* scalar = nullptr;
  Shape sizes;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// Most dimensions of a tensor.
inline constexpr std::size_t most_dimensions = 8;

/// Whether every extent is in [0, 2^31) and there are at most `most_dimensions`, and their product fits.
bool shape_plausible(const Shape& shape);

/// A contiguous copy of `view`, paid from `budget`. An empty storage stands for zeros.
/// Errors: a scalar type without element, negative strides or offsets, elements outside the storage, more than the budget.
Result<Tensor> materialize(const StridedTensor& view, std::span<const std::byte> storage, bool big_endian, ByteBudget& budget,
                           const Origin& origin);

}  // namespace corten
