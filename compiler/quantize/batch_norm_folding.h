// SPDX-License-Identifier: Apache-2.0
// The arithmetic that turns a layer followed by a batch norm into one layer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace corten {

/// The two orders of operations PyTorch knows; they differ in the last bit of the bias.
enum class FoldedInto : std::uint8_t { Convolution, Linear };

/// A layer, then y = (x − mean) / √(variance + epsilon) · gamma + beta, one of each per output channel.
struct BatchNormFolding {
  std::span<const float> weights;
  std::span<const float> bias = {};   // [channels], or empty: 0
  std::span<const float> gamma = {};  // [channels], or empty: 1
  std::span<const float> beta = {};   // [channels], or empty: 0
  std::span<const float> mean;        // [channels]
  std::span<const float> variance;    // [channels]
  float epsilon = 1e-5f;
  FoldedInto layer = FoldedInto::Convolution;
  std::size_t inner_elements = 0;  // elements between neighboring channels; 0: the channel axis is outermost
};

struct FoldedWeights {
  std::vector<float> weights;  // in the order given
  std::vector<float> bias;     // [channels]
};

/// Weights and bias of the one layer that does both, in the float32 operations of PyTorch's fuse_conv_bn_weights and
/// fuse_linear_bn_weights, which torchao's prepare_pt2e applies. With r = 1 / √(variance + epsilon):
///   weights · (gamma · r);  convolution: (bias − mean) · r · gamma + beta;  linear: (bias − mean) · (gamma · r) + beta.
FoldedWeights fold_batch_norm_weights(const BatchNormFolding& folding);

}  // namespace corten
