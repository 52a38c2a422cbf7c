// SPDX-License-Identifier: Apache-2.0
// Runs the quantization arithmetic on binary requests from standard input, so that Python can compare it with PyTorch.
//
// A request is little endian: a u32 command, then
//   1 observe: u32 kind (0 min-max, 1 histogram, 2 per channel), u32 symmetric, i32 low, i32 high, f32 smallest scale,
//              u32 axis, u32 rank, u32 extents, u32 batches, and the batches. Answer: channels, then scale bits
//              (hexadecimal) and zero point of each; or "error" and the message
//   2 codes:   u32 rule (0 PyTorch, 1 TFLite, 2 ONNX), f32 scale, i32 zero point, low, high, values. Answer: the codes
//   3 bias:    f32 input scale, f32 weight scale, values. Answer: the codes
//   4 fold:    u32 linear, u32 inner elements, f32 epsilon, weights, bias, gamma, beta, mean, variance.
//              Answer: the bits of the weights, then those of the bias
//   5 reals:   f32 scale, i32 zero point, u32 count, i32 codes. Answer: the bits
// where values and batches are u32 count and f32 numbers. Each answer is one line.
#include <bit>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/quantize/batch_norm_folding.h"
#include "compiler/quantize/fixed_point.h"
#include "compiler/quantize/observer.h"

namespace {

using namespace corten;

template <class T>
T read() {
  T value{};
  std::cin.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

std::vector<float> read_floats() {
  std::vector<float> values(read<std::uint32_t>());
  std::cin.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

std::unique_ptr<Observer> read_observer() {
  const auto kind = read<std::uint32_t>();
  Grid grid;
  grid.symmetry = read<std::uint32_t>() ? Symmetry::Symmetric : Symmetry::Affine;
  grid.low = read<std::int32_t>();
  grid.high = read<std::int32_t>();
  grid.smallest_scale = read<float>();
  const auto axis = read<std::uint32_t>();
  Shape shape(read<std::uint32_t>());
  for (auto& extent : shape) extent = read<std::uint32_t>();
  if (kind == 2) return std::make_unique<PerChannelMinMaxObserver>(shape, static_cast<int>(axis), grid);
  return make_observer(kind == 1 ? ObserverKind::Histogram : ObserverKind::MinMax, grid);
}

std::string answer(const Result<Quantization>& quantization) {
  if (!quantization) return "error " + quantization.diagnostics().front().message;
  std::string line = fmt::format("{}", quantization->scales.size());
  for (std::size_t i = 0; i < quantization->scales.size(); ++i)
    line += fmt::format(" {:08x} {}", std::bit_cast<std::uint32_t>(quantization->scales[i]), quantization->zero_points[i]);
  return line;
}

std::string observe() {
  const auto observer = read_observer();
  const auto batches = read<std::uint32_t>();
  for (std::uint32_t i = 0; i < batches; ++i) observer->observe(read_floats());
  return answer(observer->quantization());
}

std::string bits(std::span<const float> values) {
  std::string line;
  for (const float value : values) line += fmt::format("{:08x} ", std::bit_cast<std::uint32_t>(value));
  return line;
}

std::string codes() {
  const auto rule = static_cast<QuantizeRule>(read<std::uint32_t>());
  const auto scale = read<float>();
  const auto zero_point = read<std::int32_t>();
  const auto low = read<std::int32_t>();
  const auto high = read<std::int32_t>();
  std::string line;
  for (const float x : read_floats()) line += fmt::format("{} ", quantize_value(x, scale, zero_point, low, high, rule));
  return line;
}

std::string bias() {
  const auto input_scale = read<float>();
  const auto weight_scale = read<float>();
  std::string line;
  for (const float x : read_floats()) line += fmt::format("{} ", quantize_bias(x, input_scale, weight_scale));
  return line;
}

std::string fold() {
  const auto layer = read<std::uint32_t>() ? FoldedInto::Linear : FoldedInto::Convolution;
  const std::size_t inner_elements = read<std::uint32_t>();
  const auto epsilon = read<float>();
  const auto weights = read_floats();
  const auto bias = read_floats();
  const auto gamma = read_floats();
  const auto beta = read_floats();
  const auto mean = read_floats();
  const auto variance = read_floats();
  const auto folded = fold_batch_norm_weights({weights, bias, gamma, beta, mean, variance, epsilon, layer, inner_elements});
  return bits(folded.weights) + bits(folded.bias);
}

std::string reals() {
  const auto scale = read<float>();
  const auto zero_point = read<std::int32_t>();
  std::vector<float> values(read<std::uint32_t>());
  for (float& value : values) value = dequantize_value(read<std::int32_t>(), scale, zero_point);
  return bits(values);
}

std::string answer_to(std::uint32_t command) {
  switch (command) {
    case 1: return observe();
    case 2: return codes();
    case 3: return bias();
    case 4: return fold();
    case 5: return reals();
    default: return "error unknown command";
  }
}

}  // namespace

int main() {
  while (true) {
    const auto command = read<std::uint32_t>();
    if (!std::cin) return 0;
    std::cout << answer_to(command) << '\n' << std::flush;
  }
}
