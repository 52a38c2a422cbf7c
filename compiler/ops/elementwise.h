// SPDX-License-Identifier: Apache-2.0
// What operators over two broadcast operands share: types, walking, and the kernel's view of the operands.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/index.h"
#include "compiler/ops/operator.h"

namespace corten {

/// Kernels walk at most this many axes.
inline constexpr std::size_t max_elementwise_rank = 6;

/// One output: the inputs' common element and their broadcast shape, of rank 6 at most.
Result<std::vector<Type>> infer_elementwise(const Call& call);

/// f(a, b) for each element of `shape`, the operands broadcast to it.
template <class T, class F>
Tensor map_elements(Element element, const Shape& shape, const Tensor& a, const Tensor& b, F&& f) {
  Tensor result(element, shape);
  const auto x = a.as<T>(), y = b.as<T>();
  const auto into = result.as<T>();
  for_each_index(shape, [&](const Index& index, std::int64_t position) {
    const auto left = x[static_cast<std::size_t>(broadcast_position(index, a.shape))];
    const auto right = y[static_cast<std::size_t>(broadcast_position(index, b.shape))];
    into[static_cast<std::size_t>(position)] = f(left, right);
  });
  return result;
}

/// Inputs and output must be int8 with one scale and zero point each, as integer elementwise operators need them.
Status check_per_tensor(const Call& call);

/// Inputs whose elements lie just as the output's, constants excepted.
std::vector<int> in_place_elementwise(const Call& call);

/// The call of a kernel family over two operands: `add_contiguous` when no operand is broadcast, else `add_broadcast`.
/// `arguments` come first; `template_arguments` is "" or "<Rounding::Double>". Constant operands become arrays of the layer.
Layer emit_elementwise(const Call& call, const std::string& kernel, const std::string& template_arguments, std::vector<StructLiteral> structs);

}  // namespace corten
