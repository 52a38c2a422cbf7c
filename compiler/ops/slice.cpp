// SPDX-License-Identifier: Apache-2.0
// Slices along one axis, and the operators that are several of them.
#include "compiler/ops/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ops/blocks.h"
#include "compiler/ops/concat.h"
#include "compiler/ops/import.h"
#include "compiler/ops/lowering.h"

namespace corten {
namespace {

// ---- spellings ------------------------------------------------------------------------------------------------------

/// One axis of a source operand.
struct SourceAxis {
  Operand operand;
  std::int64_t axis = 0;  // physical
  std::int64_t extent = 0;
};

Result<SourceAxis> source_axis(Import& import, const Operand& operand) {
  const auto dim = import.integer("dim", 0), rank = static_cast<std::int64_t>(operand.order.size());
  if (dim < -rank || dim >= rank) return import.error(fmt::format("dim {} of an input of rank {}", dim, rank));
  const auto axis = operand.physical(dim);
  return SourceAxis{operand, axis, import.shape(operand.value)[static_cast<std::size_t>(axis)]};
}

/// Negative positions count from the end; what lies outside is clamped.
std::int64_t clamped_position(std::int64_t position, std::int64_t extent) {
  return std::clamp<std::int64_t>(position < 0 ? position + extent : position, 0, extent);
}

/// An integer argument exactly; ends as large as 2^63 − 1 are common.
std::int64_t exact(const Import& import, std::string_view name, std::int64_t fallback) {
  const auto list = import.integers(name);
  return list.empty() ? fallback : list[0];
}

Result<ValueId> add_slice(Import& import, const SourceAxis& from, std::int64_t start, std::int64_t end, std::int64_t step = 1) {
  if (end <= start) return import.error(fmt::format("slice {}:{} of {} elements is empty", start, end, from.extent));
  if (start == 0 && end == from.extent && step == 1) return from.operand.value;
  return import.add(op("slice"), parameters(SliceParameters{from.axis, start, end, step}), {from.operand.value});
}

Result<SliceParameters> read_range(Import& import, const SourceAxis& from) {
  SliceParameters p{from.axis, clamped_position(exact(import, "start", 0), from.extent), clamped_position(exact(import, "end", from.extent), from.extent), exact(import, "step", 1)};
  if (p.step < 1) return import.error(fmt::format("step is {}, expected 1 or more", p.step));
  return p;
}

Status import_slice(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  CORTEN_TRY(const auto p, read_range(import, from));
  CORTEN_TRY(const auto value, add_slice(import, from, p.start, p.end, p.step));
  import.result({value, from.operand.order});
  return {};
}

Status import_narrow(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  auto start = exact(import, "start", 0);
  start += start < 0 ? from.extent : 0;
  const auto end = start + exact(import, "length", 0);
  if (start < 0 || end > from.extent) return import.error(fmt::format("range {}:{} of {} elements", start, end, from.extent));
  CORTEN_TRY(const auto value, add_slice(import, from, start, end));
  import.result({value, from.operand.order});
  return {};
}

/// Element `index` along the axis, which disappears.
Result<Operand> select(Import& import, const SourceAxis& from, std::int64_t index) {
  if (index < -from.extent || index >= from.extent) return import.error(fmt::format("index {} of {} elements", index, from.extent));
  index += index < 0 ? from.extent : 0;
  CORTEN_TRY(auto value, add_slice(import, from, index, index + 1));
  if (value == no_value) return Operand{};
  auto order = from.operand.order;
  const auto dim = order[static_cast<std::size_t>(from.axis)];
  order.erase(order.begin() + from.axis);
  for (auto& number : order) number -= number > dim;
  auto shape = import.shape(value);
  shape.erase(shape.begin() + from.axis);
  value = import.reshape(value, shape);
  return Operand{value, order};
}

Status import_select(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  CORTEN_TRY(auto selected, select(import, from, exact(import, "index", 0)));
  import.result(std::move(selected));
  return {};
}

Status import_unbind(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  for (std::int64_t i = 0; i < from.extent; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (!import.wants_result(index)) continue;
    CORTEN_TRY(auto selected, select(import, from, i));
    import.result(index, std::move(selected));
  }
  return {};
}

/// Consecutive parts of the given sizes, as far as they are read.
Status import_parts(Import& import, const SourceAxis& from, const std::vector<std::int64_t>& sizes) {
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto end = start + sizes[i];
    if (import.wants_result(i)) {
      CORTEN_TRY(const auto value, add_slice(import, from, start, end));
      import.result(i, {value, from.operand.order});
    }
    start = end;
  }
  return {};
}

/// Parts of `size`, the last one smaller.
std::vector<std::int64_t> equal_parts(std::int64_t extent, std::int64_t size) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t start = 0; start < extent; start += size) sizes.push_back(std::min(size, extent - start));
  return sizes;
}

Status import_split(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  const auto size = exact(import, "split_size", 0);
  if (size < 1) return import.error(fmt::format("split size is {}, expected 1 or more", size));
  return import_parts(import, from, equal_parts(from.extent, size));
}

Status import_split_with_sizes(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  const auto sizes = import.integers("split_sizes");
  std::int64_t total = 0;
  for (auto size : sizes) total += size;
  if (total != from.extent) return import.error(fmt::format("split sizes [{}] add up to {}, expected {}", fmt::join(sizes, ", "), total, from.extent));
  return import_parts(import, from, sizes);
}

Status import_chunk(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  const auto chunks = exact(import, "chunks", 1);
  if (chunks < 1) return import.error(fmt::format("chunks is {}, expected 1 or more", chunks));
  return import_parts(import, from, equal_parts(from.extent, (from.extent + chunks - 1) / chunks));
}

/// self with [start, end) along the axis replaced by `part`, which lies as self does.
Status import_replacement(Import& import, const SourceAxis& from, ValueId part, std::int64_t start, std::int64_t end) {
  std::vector<ValueId> values;
  if (start > 0) {
    CORTEN_TRY(const auto head, add_slice(import, from, 0, start));
    values.push_back(head);
  }
  values.push_back(part);
  if (end < from.extent) {
    CORTEN_TRY(const auto tail, add_slice(import, from, end, from.extent));
    values.push_back(tail);
  }
  import.result({values.size() == 1 ? part : import.add(op("cat"), parameters(CatParameters{from.axis}), values), from.operand.order});
  return {};
}

Status import_slice_scatter(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  CORTEN_TRY(const auto p, read_range(import, from));
  if (p.step != 1) return import.error(fmt::format("step is {}, expected 1", p.step));
  const auto part = import.in_order(import.operand("src"), from.operand.order);
  auto expected = import.shape(from.operand.value);
  expected[static_cast<std::size_t>(from.axis)] = p.end - p.start;
  if (import.shape(part) != expected) return import.error(fmt::format("src is {}, expected {}", to_string(import.shape(part)), to_string(expected)));
  return import_replacement(import, from, part, p.start, p.end);
}

Status import_select_scatter(Import& import) {
  CORTEN_TRY(const auto from, source_axis(import, import.operand("self")));
  auto index = exact(import, "index", 0);
  if (index < -from.extent || index >= from.extent) return import.error(fmt::format("index {} of {} elements", index, from.extent));
  index += index < 0 ? from.extent : 0;
  auto order = from.operand.order;
  const auto dim = order[static_cast<std::size_t>(from.axis)];
  order.erase(order.begin() + from.axis);
  for (auto& number : order) number -= number > dim;
  auto shape = import.shape(from.operand.value);
  shape[static_cast<std::size_t>(from.axis)] = 1;
  const auto part = import.reshape(import.in_order(import.operand("src"), order), shape);
  return import_replacement(import, from, part, index, index + 1);
}

constexpr Spelling slice_spellings[] = {
    {"aten.slice.Tensor", import_slice},
    {"aten.slice_copy.Tensor", import_slice},
    {"aten.narrow.default", import_narrow},
    {"aten.narrow_copy.default", import_narrow},
    {"aten.select.int", import_select},
    {"aten.select_copy.int", import_select},
    {"aten.unbind.int", import_unbind},
    {"aten.unbind_copy.int", import_unbind},
    {"aten.split.Tensor", import_split},
    {"aten.split_copy.Tensor", import_split},
    {"aten.unsafe_split.Tensor", import_split},
    {"aten.split_with_sizes.default", import_split_with_sizes},
    {"aten.split_with_sizes_copy.default", import_split_with_sizes},
    {"aten.chunk.default", import_chunk},
    {"aten.slice_scatter.default", import_slice_scatter},
    {"aten.select_scatter.default", import_select_scatter},
};

// ---- meaning and integers -------------------------------------------------------------------------------------------

class IntegerSlice : public OperatorWith<SliceParameters> {
 public:
  std::string_view name() const override { return "cortex_m.slice"; }
  bool integer() const override { return true; }

  Result<std::vector<Type>> infer(const Call& call) const override {
    const auto& p = call.parameters<SliceParameters>();
    auto shape = call.shape(0);
    if (p.axis < 0 || p.axis >= static_cast<std::int64_t>(shape.size())) return call.error(fmt::format("axis {} of an input of rank {}", p.axis, shape.size()));
    auto& extent = shape[static_cast<std::size_t>(p.axis)];
    if (p.start < 0 || p.end <= p.start || p.end > extent || p.step < 1)
      return call.error(fmt::format("slice {}:{}:{} of {} elements", p.start, p.end, p.step, extent));
    extent = p.count();
    return std::vector{Type{call.input(0).element, shape}};
  }

  std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const override {
    const auto& p = call.parameters<SliceParameters>();
    const auto& x = *inputs[0];
    Tensor result(x.element, call.output().shape);
    const auto outer = outer_elements(x.shape, p.axis), extent = x.shape[static_cast<std::size_t>(p.axis)];
    const auto bytes = static_cast<std::size_t>(inner_elements(x.shape, p.axis)) * element_bytes(x.element);
    auto* into = result.bytes.data();
    for (std::int64_t block = 0; block < outer; ++block)
      for (auto i = p.start; i < p.end; i += p.step, into += bytes)
        std::memcpy(into, x.bytes.data() + static_cast<std::size_t>(block * extent + i) * bytes, bytes);
    return {result};
  }

  Result<Layer> emit(const Call& call, Isa) const override {
    const auto& p = call.parameters<SliceParameters>();
    const auto& x = call.shape(0);
    const auto outer = outer_elements(x, p.axis), inner = inner_elements(x, p.axis), row = x[static_cast<std::size_t>(p.axis)] * inner, count = p.count();
    StructLiteral block{"Copy", "block", {}};
    if (p.step == 1)
      block.fields = {{"rank", "2"}, {"shape", array<6>({outer, count * inner})}, {"input_stride", array<6>({row, 1})}, {"output_stride", array<6>({count * inner, 1})}};
    else
      block.fields = {{"rank", "3"},
                      {"shape", array<6>({outer, count, inner})},
                      {"input_stride", array<6>({row, p.step * inner, 1})},
                      {"output_stride", array<6>({count * inner, inner, 1})}};
    const auto source = p.start ? fmt::format("input0 + {}", p.start * inner) : "input0";
    return Layer{.header = "copy.h", .structs = {std::move(block)}, .calls = {{"copy", {"block", source, "output0"}}}};
  }
};

class Slice final : public IntegerSlice {
 public:
  std::string_view name() const override { return "slice"; }
  bool integer() const override { return false; }
  std::span<const Spelling> spellings() const override { return slice_spellings; }
  std::string_view limits() const override { return "constant bounds, any positive step, not empty; split, chunk, unbind and select as several; slice_scatter with step 1"; }
  QuantizationRule quantization(const Call&) const override { return {.output = QuantizationRule::Output::Shared}; }
  Status lower(const Call& call, Patch& patch) const override { return lower_data_movement(call, patch, "cortex_m.slice"); }
};

const Register<IntegerSlice> integer_slice;
const Register<Slice> slice;

}  // namespace
}  // namespace corten
