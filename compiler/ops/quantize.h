// SPDX-License-Identifier: Apache-2.0
// The parameters of explicit quantize and dequantize nodes.
#pragma once
#include "compiler/ops/operator.h"

namespace corten {

/// Per tensor (axis −1): scale and zero point stand here. Per channel of a physical axis: `scale` and `zero_point` mean nothing,
/// inputs 1 and 2 of the node hold them as constants, f32 and i32.
struct QuantizeParameters {
  float scale = 1;
  std::int32_t zero_point = 0;
  std::int32_t axis = -1;
  std::int32_t low = -128, high = 127;
  std::int32_t bits = 8;  // of the codes: 8, 16 or 32
  bool is_signed = true;
  template <class F>
  void fields(F&& f) {
    f("scale", scale), f("zero_point", zero_point), f("axis", axis), f("low", low), f("high", high), f("bits", bits), f("signed", is_signed);
  }
  Element element() const { return bits == 8 ? (is_signed ? Element::I8 : Element::U8) : bits == 16 ? Element::I16 : Element::I32; }
  bool per_channel() const { return axis >= 0; }
};

/// The grid of a `quantize` or `dequantize` node. It is part of the type of a `quantize` node's output.
Quantization quantization_of(const Call& call);

/// Whether a value depends on constants alone.
bool known_at_compile_time(const Graph& graph, ValueId value);

/// Weights in input `input` must be quantized along axis 0, one scale per index of it, with zero points of 0,
/// if they are quantized at all: by their type or by the `dequantize` that makes them.
/// `channel` names what the axis counts: "output feature".
Status check_weight_quantization(const Call& call, std::size_t input, std::string_view channel);

}  // namespace corten
