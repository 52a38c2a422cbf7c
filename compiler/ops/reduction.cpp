// SPDX-License-Identifier: Apache-2.0
// Sums over axes: shapes, meaning, multipliers and the kernel's view of the axes.
#include "compiler/ops/reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/element_argument.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/index.h"
#include "compiler/ops/lowering.h"

namespace corten {
namespace {

bool contains(const std::vector<std::int64_t>& axes, std::int64_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

/// Physical axes that "dim" names, ascending.
Result<std::vector<std::int64_t>> reduced_axes(Import& import, const Operand& operand) {
  const auto rank = static_cast<std::int64_t>(operand.order.size());
  std::vector<std::int64_t> axes;
  for (auto dim : import.integers("dim")) {
    if (dim < -rank || dim >= rank) return import.error(fmt::format("dim {} of an input of rank {}", dim, rank));
    axes.push_back(operand.physical(dim));
  }
  if (axes.empty())
    for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  std::sort(axes.begin(), axes.end());
  return axes;
}

/// The order of the axes that remain, renumbered without gaps.
std::vector<int> remaining_order(const std::vector<int>& order, const std::vector<std::int64_t>& axes) {
  std::vector<int> kept;
  for (std::size_t axis = 0; axis < order.size(); ++axis)
    if (!contains(axes, static_cast<std::int64_t>(axis))) kept.push_back(order[axis]);
  std::vector<int> result;
  for (int axis : kept) result.push_back(static_cast<int>(std::count_if(kept.begin(), kept.end(), [&](int other) { return other < axis; })));
  return result;
}

/// Position in the output (whatever keepdim is) of an input index.
std::size_t output_position(const Index& index, const Shape& shape, const std::vector<std::int64_t>& axes) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    if (!contains(axes, static_cast<std::int64_t>(axis))) position = position * shape[axis] + index[axis];
  return static_cast<std::size_t>(position);
}

/// Σ over `axes` per output element.
template <class T, class Sum>
std::vector<Sum> sums(const Tensor& input, const Shape& output, const std::vector<std::int64_t>& axes) {
  std::vector<Sum> result(static_cast<std::size_t>(element_count(output)), 0);
  const auto x = input.as<T>();
  for_each_index(input.shape, [&](const Index& index, std::int64_t position) {
    result[output_position(index, input.shape, axes)] += x[static_cast<std::size_t>(position)];
  });
  return result;
}

}  // namespace

Status import_reduction(Import& import, const Operator& op) {
  if (const auto element = element_argument(import, "dtype"); element && *element != Element::F32)
    return import.error(fmt::format("dtype is {}, expected f32", to_string(*element)));
  const auto operand = import.operand("self");
  CORTEN_TRY(const auto axes, reduced_axes(import, operand));
  const bool keepdim = import.boolean("keepdim", false);
  const auto value = import.add(op, parameters(ReductionParameters{axes, keepdim, {}}), {operand.value});
  import.result({value, keepdim ? operand.order : remaining_order(operand.order, axes)});
  return {};
}

Result<std::vector<Type>> infer_reduction(const Call& call, const std::vector<std::int64_t>& axes, bool keepdim) {
  const auto& x = call.shape(0);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] >= static_cast<std::int64_t>(x.size()) || (i && axes[i] <= axes[i - 1]))
      return call.error(fmt::format("axes [{}] of an input of rank {}, expected ascending ones below it", fmt::join(axes, ", "), x.size()));
  Shape shape;
  for (std::size_t axis = 0; axis < x.size(); ++axis) {
    const bool reduced = contains(axes, static_cast<std::int64_t>(axis));
    if (!reduced) shape.push_back(x[axis]);
    else if (keepdim) shape.push_back(1);
  }
  if (reduced_elements(x, axes) < 1) return call.error(fmt::format("input {} has no elements to reduce", to_string(x)));
  return std::vector{Type{call.input(0).element, shape}};
}

std::int64_t reduced_elements(const Shape& shape, const std::vector<std::int64_t>& axes) {
  std::int64_t count = 1;
  for (auto axis : axes) count *= shape[static_cast<std::size_t>(axis)];
  return count;
}

std::vector<Tensor> evaluate_reduction(const Call& call, std::span<const Tensor* const> inputs, double divisor) {
  const auto& p = call.parameters<ReductionParameters>();
  Tensor result(Element::F32, call.output().shape);
  const auto total = sums<float, double>(*inputs[0], result.shape, p.axes);
  const auto y = result.as<float>();
  for (std::size_t i = 0; i < total.size(); ++i) y[i] = p.clamp(static_cast<float>(total[i] / divisor));
  return {result};
}

ParametersPtr clamped_reduction(const Call& call, const ClampRange& range) {
  auto p = call.parameters<ReductionParameters>();
  p.clamp = p.clamp.within(range);
  return parameters(p);
}

Status lower_reduction(const Call& call, Patch& patch, std::string_view integer_operator, double divisor) {
  CORTEN_CHECK(check_per_tensor(call));
  const auto& p = call.parameters<ReductionParameters>();
  const auto &x = *call.input(0).quantization, &y = *call.output().quantization;
  CORTEN_TRY(const auto scale, fixed_point(call, double{x.scale()} / (double{y.scale()} * divisor)));
  const auto reach = static_cast<double>(255 * reduced_elements(call.shape(0), p.axes));
  if (std::ldexp(reach, std::max(scale.shift, 0)) > std::numeric_limits<std::int32_t>::max())
    return call.error(fmt::format("the sum of {} elements at output scale {} can leave 32 bits", reduced_elements(call.shape(0), p.axes), y.scale()),
                      "calibrate with samples that reach the output's range");
  const auto range = code_range(p.clamp, y);
  const QuantizedReductionParameters q{p.axes, p.keepdim, x.zero_point(), y.zero_point(), scale.multiplier, scale.shift, range.low, range.high};
  return lower_to(call, patch, integer_operator, parameters(q), call.node().inputs);
}

Result<std::vector<Type>> QuantizedReduction::infer(const Call& call) const {
  const auto& q = call.parameters<QuantizedReductionParameters>();
  return infer_reduction(call, q.axes, q.keepdim);
}

std::vector<Tensor> QuantizedReduction::evaluate(const Call& call, std::span<const Tensor* const> inputs) const {
  const auto& q = call.parameters<QuantizedReductionParameters>();
  Tensor result(Element::I8, call.output().shape);
  const auto total = sums<std::int8_t, std::int64_t>(*inputs[0], result.shape, q.axes);
  const auto offset = reduced_elements(inputs[0]->shape, q.axes) * q.input_zero_point;
  const auto y = result.as<std::int8_t>();
  for (std::size_t i = 0; i < total.size(); ++i) {
    const auto code = requantize(total[i] - offset, {q.multiplier, q.shift}, call.graph().rounding) + q.output_zero_point;
    y[i] = static_cast<std::int8_t>(std::clamp(code, q.low, q.high));
  }
  return {result};
}

namespace {

/// Axes of one kind, kept or reduced, as a walk through the input.
struct AxisWalk {
  std::vector<std::int64_t> shape, stride;

  /// Neighbors that lie one behind the other become one axis.
  void add(std::int64_t extent, std::int64_t step) {
    if (extent == 1) return;
    if (!shape.empty() && stride.back() == extent * step) {
      shape.back() *= extent;
      stride.back() = step;
      return;
    }
    shape.push_back(extent);
    stride.push_back(step);
  }
};

}  // namespace

Result<Layer> QuantizedReduction::emit(const Call& call, Isa) const {
  const auto& q = call.parameters<QuantizedReductionParameters>();
  const auto& x = call.shape(0);
  if (x.size() > max_elementwise_rank) return call.error(fmt::format("input has {} dimensions, expected at most {}", x.size(), max_elementwise_rank));
  const auto strides = strides_of(x);
  AxisWalk kept, reduced;
  for (std::size_t axis = 0; axis < x.size(); ++axis) (contains(q.axes, static_cast<std::int64_t>(axis)) ? reduced : kept).add(x[axis], strides[axis]);
  const StructLiteral axes{"Mean", "axes",
                           {{"kept_rank", number(static_cast<std::int64_t>(kept.shape.size()))},
                            {"kept_shape", array<6>(kept.shape)},
                            {"kept_stride", array<6>(kept.stride)},
                            {"reduced_rank", number(static_cast<std::int64_t>(reduced.shape.size()))},
                            {"reduced_shape", array<6>(reduced.shape)},
                            {"reduced_stride", array<6>(reduced.stride)},
                            {"count", number(reduced_elements(x, q.axes))},
                            {"input_zero_point", number(q.input_zero_point)},
                            {"output_zero_point", number(q.output_zero_point)},
                            {"multiplier", number(q.multiplier)},
                            {"shift", number(q.shift)},
                            {"low", number(q.low)},
                            {"high", number(q.high)}}};
  return Layer{.header = "mean.h", .structs = {axes}, .calls = {{"mean<" + rounding_name(call) + ">", {"axes", "input0", "output0"}}}};
}

}  // namespace corten
