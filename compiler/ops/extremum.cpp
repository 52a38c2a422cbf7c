// SPDX-License-Identifier: Apache-2.0
// Operands of maximum and minimum on one grid.
#include "compiler/ops/extremum.h"

#include "compiler/ops/lowering.h"
#include "compiler/ops/requantize.h"

namespace corten {
namespace {

/// `codes` of grid `from` as codes of grid `to`.
Tensor moved(const Tensor& codes, const Quantization& from, const Quantization& to) {
  auto result = codes;
  for (auto& code : result.as<std::int8_t>()) {
    const auto real = dequantize_value(code, from.scale(), from.zero_point());
    code = static_cast<std::int8_t>(quantize_value(real, to.scale(), to.zero_point(), to.low, to.high));
  }
  return result;
}

Result<ValueId> on_output_grid(const Call& call, Patch& patch, std::size_t i) {
  const auto id = call.node().inputs[i];
  const auto from = *call.input(i).quantization, to = *call.output().quantization;
  if (from.same_grid(to)) return id;
  const auto name = call.graph().value(id).name + "_requantized";
  if (const auto* codes = call.constant(i)) return patch.constant(name, moved(*codes, from, to), to, call.graph().value(id).origins);
  CORTEN_TRY(auto q, requantize_parameters(call, from, to, {to.low, to.high}));
  CORTEN_TRY(const auto value, patch.value(op("cortex_m.requantize"), parameters(std::move(q)), {id}, name, call.node().origins));
  auto type = patch.graph().type(value);
  type.quantization = to;
  patch.set_type(value, std::move(type));
  return value;
}

}  // namespace

Status lower_extremum(const Call& call, Patch& patch, std::string_view integer_operator) {
  CORTEN_CHECK(check_per_tensor(call));
  CORTEN_TRY(const auto a, on_output_grid(call, patch, 0));
  CORTEN_TRY(const auto b, on_output_grid(call, patch, 1));
  return lower_to(call, patch, integer_operator, call.node().parameters, {a, b});
}

}  // namespace corten
