// SPDX-License-Identifier: Apache-2.0
// Fully connected layers against the definition and a hand-worked case.
#include "corten/rt/fully_connected.h"

#include "convolution.h"

namespace corten::rt::test {
namespace {

template <class Isa, class Requantize>
std::vector<std::int8_t> run(const FullyConnected& layer, const Operands& operands, const Requantize& requantize) {
  Guarded<std::int8_t> output(static_cast<std::size_t>(layer.rows * layer.output_channels), 1), scratch(fully_connected_scratch_bytes<Isa>(layer));
  fully_connected<Isa>(layer, operands.input.data(), operands.weights.data(), operands.bias.data(), requantize, output.data(), scratch.data());
  output.expect_guards(), scratch.expect_guards();
  return output.values();
}

std::vector<std::int8_t> exact(const FullyConnected& layer, const Operands& operands, const Scales& scales, Rounding rounding, bool per_channel) {
  std::vector<std::int8_t> output;
  for (int row = 0; row < layer.rows; ++row)
    for (int n = 0; n < layer.output_channels; ++n) {
      std::int64_t sum = operands.bias[static_cast<std::size_t>(n)];
      for (int k = 0; k < layer.depth; ++k)
        sum += std::int64_t{operands.input[static_cast<std::size_t>(row * layer.depth + k)]} * operands.weights[static_cast<std::size_t>(n * layer.depth + k)];
      output.push_back(scales.exact(rounding, per_channel, sum, n));
    }
  return output;
}

template <class Isa>
void expect_exact(const FullyConnected& layer, const Operands& operands, const Scales& scales) {
  EXPECT_EQ(run<Isa>(layer, operands, scales.per_channel<Rounding::Double>()), exact(layer, operands, scales, Rounding::Double, true));
  EXPECT_EQ(run<Isa>(layer, operands, scales.per_channel<Rounding::Single>()), exact(layer, operands, scales, Rounding::Single, true));
  EXPECT_EQ(run<Isa>(layer, operands, scales.per_tensor<Rounding::Double>()), exact(layer, operands, scales, Rounding::Double, false));
}

TEST(FullyConnectedKernel, EqualsTheDefinition) {
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    const FullyConnected layer{pick(random, 1, 3), pick(random, 1, i % 3 ? 40 : 300), pick(random, 1, 13)};
    const Operands operands{codes(static_cast<std::size_t>(layer.rows * layer.depth), all_data[i % 5], random),
                            codes(static_cast<std::size_t>(layer.output_channels * layer.depth), all_data[pick(random, 0, 4)], random),
                            integers(static_cast<std::size_t>(layer.output_channels), -20000, 20000, random)};
    const Scales scales(layer.output_channels, layer.depth, random);
    expect_exact<Portable>(layer, operands, scales);
    expect_exact<Dsp>(layer, operands, scales);
    if (HasFailure()) return;
  }
}

TEST(FullyConnectedKernel, FoldedZeroPointOnEveryInstructionSet) {  // N01: zero point −128, four weights of 1
  const Operands operands{std::vector<std::int8_t>(4, 0), std::vector<std::int8_t>(8, 1), {88 + 4 * 128, -112 + 4 * 128}};
  const PerTensor<Rounding::Double> eighth{1 << 30, -2, 0, -128, 127};
  const std::vector<std::int8_t> expected = {75, 50};
  EXPECT_EQ(run<Portable>({1, 4, 2}, operands, eighth), expected);
  EXPECT_EQ(run<Dsp>({1, 4, 2}, operands, eighth), expected);
}

}  // namespace
}  // namespace corten::rt::test
