// SPDX-License-Identifier: Apache-2.0
// Steps that many operators share on their way to integers.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/ops/operator.h"

namespace corten {

/// Replaces a node that only moves codes by its integer twin of the same parameters. Input and output must lie on one grid.
Status lower_data_movement(const Call& call, Patch& patch, std::string_view integer_operator);

/// Adds an integer node named like `call`'s, gives its output the type of `call`'s output, and replaces it.
Status lower_to(const Call& call, Patch& patch, std::string_view integer_operator, ParametersPtr parameters, std::vector<ValueId> inputs);

/// Σ over everything but the first axis, per index of it. weights: i8 [output_channels][…].
std::vector<std::int64_t> weight_sums(const Tensor& weights);

/// bias[c] − input_zero_point · Σ weights[c], the constant that lets kernels multiply raw codes.
/// Fails where the sum of the layer can leave 32 bits: |folded bias| + 128 · Σ|w| ≥ 2³¹.
/// bias: i32 [output_channels], or null for zeros.
Result<Tensor> folded_bias(const Call& call, const Tensor& weights, const Tensor* bias, std::int32_t input_zero_point);

/// i32 [count] multipliers and shifts of input scale · weight scale / output scale per output channel, in double.
struct Multipliers {
  std::vector<std::int32_t> multiplier, shift;
};
Result<Multipliers> multipliers(const Call& call, const Quantization& input, const Quantization& weights, const Quantization& output, std::size_t count);

/// Kernels shift a sum left within 32 bits: fails where |folded bias| + 128 · Σ|w|, shifted, could leave them.
Status check_left_shifts(const Call& call, const Tensor& weights, const Tensor& folded_bias, const Multipliers& multipliers);

Tensor i32_tensor(const std::vector<std::int32_t>& values);

/// to_fixed_point with the node's name in front of what goes wrong.
Result<FixedPoint> fixed_point(const Call& call, double real);

/// The C++ type of a requantization: "PerChannel<Rounding::Double>".
std::string requantize_type(const Call& call, std::string_view kind);
std::string rounding_name(const Call& call);

}  // namespace corten
