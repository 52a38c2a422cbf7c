// SPDX-License-Identifier: Apache-2.0
// Types and kernel calls of operators over two broadcast operands.
#include "compiler/ops/elementwise.h"

#include <fmt/format.h>

namespace corten {
namespace {

/// Element strides of operand `i` along the output's axes; 0 where it is broadcast.
std::vector<std::int64_t> strides_in_output(const Call& call, std::size_t i) {
  const auto& shape = call.shape(i);
  const auto strides = strides_of(shape);
  const auto skip = call.output().shape.size() - shape.size();
  std::vector<std::int64_t> result(call.output().shape.size(), 0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) result[skip + axis] = shape[axis] == 1 ? 0 : strides[axis];
  return result;
}

bool spans_output(const Call& call, std::size_t i) { return element_count(call.shape(i)) == element_count(call.output().shape); }

StructLiteral axes_of(const Call& call) {
  return {"Elementwise", "axes",
          {{"rank", number(static_cast<std::int64_t>(call.output().shape.size()))},
           {"shape", array<max_elementwise_rank>(call.output().shape)},
           {"stride0", array<max_elementwise_rank>(strides_in_output(call, 0))},
           {"stride1", array<max_elementwise_rank>(strides_in_output(call, 1))}}};
}

Status check_int8(const Call& call, std::string_view what, const Type& type) {
  if (type.element != Element::I8 || !type.quantization) return call.error(fmt::format("{} is {}, expected quantized int8", what, to_string(type.element)));
  if (type.quantization->per_channel()) return call.error(fmt::format("{} has one scale per channel, expected one in all", what));
  return {};
}

}  // namespace

Result<std::vector<Type>> infer_elementwise(const Call& call) {
  auto type = call.input(0);
  type.quantization.reset();
  for (std::size_t i = 1; i < call.inputs(); ++i) {
    if (call.input(i).element != type.element)
      return call.error(fmt::format("operands are {} and {}, expected one element type", to_string(type.element), to_string(call.input(i).element)));
    const auto shape = broadcast(type.shape, call.shape(i));
    if (!shape) return call.error(fmt::format("shapes {} and {} can't be broadcast together", to_string(type.shape), to_string(call.shape(i))));
    type.shape = *shape;
  }
  if (type.shape.size() > max_elementwise_rank)
    return call.error(fmt::format("result has {} dimensions, expected at most {}", type.shape.size(), max_elementwise_rank));
  return std::vector{type};
}

Status check_per_tensor(const Call& call) {
  for (std::size_t i = 0; i < call.inputs(); ++i) CORTEN_CHECK(check_int8(call, fmt::format("input {}", i), call.input(i)));
  return check_int8(call, "output", call.output());
}

std::vector<int> in_place_elementwise(const Call& call) {
  std::vector<int> result;
  for (std::size_t i = 0; i < call.inputs(); ++i)
    if (!call.constant(i) && spans_output(call, i)) result.push_back(static_cast<int>(i));
  return result;
}

Layer emit_elementwise(const Call& call, const std::string& kernel, const std::string& template_arguments, std::vector<StructLiteral> structs) {
  Layer layer{.header = kernel + ".h", .structs = std::move(structs)};
  std::vector<std::string> arguments;
  for (const auto& literal : layer.structs) arguments.push_back(literal.name);
  const bool contiguous = spans_output(call, 0) && spans_output(call, 1);
  if (!contiguous) layer.structs.push_back(axes_of(call));
  arguments.push_back(contiguous ? number(element_count(call.output().shape)) : "axes");
  for (std::size_t i = 0; i < 2; ++i) {
    const auto* constant = call.constant(i);
    arguments.push_back(fmt::format("{}{}", constant ? "operand" : "input", i));
    if (constant) layer.arrays.push_back({arguments.back(), *constant});
  }
  arguments.push_back("output0");
  layer.calls = {{kernel + (contiguous ? "_contiguous" : "_broadcast") + template_arguments, std::move(arguments)}};
  return layer;
}

}  // namespace corten
