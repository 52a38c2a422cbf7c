// SPDX-License-Identifier: Apache-2.0
// Batch norms folded in PyTorch's order of operations, on which the last bits depend.
#include "compiler/quantize/batch_norm_folding.h"

#include <cmath>

namespace corten {
namespace {

float at(std::span<const float> values, std::size_t channel, float otherwise) {
  return values.empty() ? otherwise : values[channel];
}

}  // namespace

FoldedWeights fold_batch_norm_weights(const BatchNormFolding& folding) {
  const std::size_t channels = folding.mean.size();
  FoldedWeights folded{std::vector<float>(folding.weights.size()), std::vector<float>(channels)};
  std::vector<float> factor(channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const float inverse = 1.0f / std::sqrt(folding.variance[channel] + folding.epsilon);
    const float gamma = at(folding.gamma, channel, 1.0f);
    factor[channel] = gamma * inverse;
    const float centered = at(folding.bias, channel, 0.0f) - folding.mean[channel];
    const float scaled =
        folding.layer == FoldedInto::Linear ? centered * factor[channel] : centered * inverse * gamma;
    folded.bias[channel] = scaled + at(folding.beta, channel, 0.0f);
  }
  const std::size_t inner = folding.inner_elements ? folding.inner_elements : folding.weights.size() / channels;
  for (std::size_t i = 0; i < folding.weights.size(); ++i)
    folded.weights[i] = folding.weights[i] * factor[i / inner % channels];
  return folded;
}

}  // namespace corten
