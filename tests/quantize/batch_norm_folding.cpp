// SPDX-License-Identifier: Apache-2.0
// Folded batch norms by hand. The comparison with torchao is tests/python/test_quantized_weights.py.
#include "compiler/quantize/batch_norm_folding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace corten {
namespace {

using Floats = std::vector<float>;

TEST(FoldBatchNorm, ChannelsOutermost) {
  const Floats weights{1, 2, 3, 4}, bias{10, 20}, gamma{6, -1}, beta{100, 200}, mean{4, 2}, variance{3, 0.25f};
  const auto folded = fold_batch_norm_weights({.weights = weights, .bias = bias, .gamma = gamma, .beta = beta, .mean = mean,
                                               .variance = variance, .epsilon = 0});
  const float r = 1.0f / std::sqrt(3.0f);
  EXPECT_EQ(folded.weights, (Floats{6 * r, 2 * (6 * r), -6, -8}));
  EXPECT_EQ(folded.bias, (Floats{6 * r * 6 + 100, 18 * 2 * -1 + 200}));
}

TEST(FoldBatchNorm, WhatIsLeftOutIsNeutral) {
  const Floats weights{1, 2}, mean{4, 2}, variance{3, 0};
  const auto folded = fold_batch_norm_weights({.weights = weights, .mean = mean, .variance = variance, .epsilon = 1});
  EXPECT_EQ(folded.weights, (Floats{0.5f, 2}));
  EXPECT_EQ(folded.bias, (Floats{-2, -2}));
}

TEST(FoldBatchNorm, ChannelsInside) {
  const Floats weights{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, mean{0, 0, 0}, variance{1, 4, 16};  // [2][3][2]
  const auto folded =
      fold_batch_norm_weights({.weights = weights, .mean = mean, .variance = variance, .epsilon = 0, .inner_elements = 2});
  EXPECT_EQ(folded.weights, (Floats{1, 1, 0.5f, 0.5f, 0.25f, 0.25f, 1, 1, 0.5f, 0.5f, 0.25f, 0.25f}));
}

TEST(FoldBatchNorm, LinearMultipliesInAnotherOrder) {
  // With r = 1/√3, (0.1 · r) · 0.7 and 0.1 · (0.7 · r) are different floats for one of these biases at least.
  const Floats weights(8, 1.0f), gamma(8, 0.7f), mean(8, 0.0f), variance(8, 3.0f);
  const Floats bias{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f};
  BatchNormFolding folding{.weights = weights, .bias = bias, .gamma = gamma, .mean = mean, .variance = variance, .epsilon = 0};
  const auto convolution = fold_batch_norm_weights(folding);
  folding.layer = FoldedInto::Linear;
  const auto linear = fold_batch_norm_weights(folding);
  EXPECT_EQ(convolution.weights, linear.weights);
  EXPECT_NE(convolution.bias, linear.bias);
  for (std::size_t i = 0; i < bias.size(); ++i) EXPECT_FLOAT_EQ(convolution.bias[i], linear.bias[i]);
}

}  // namespace
}  // namespace corten
