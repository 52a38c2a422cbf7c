// SPDX-License-Identifier: Apache-2.0
// Convolutions: kernels, strides, dilations, paddings, groups, channel counts.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

Case convolution(const std::string& name, const Shape& input, const Shape& weights, Arguments more = {}, bool bias = true, Range range = {}) {
  const bool named = !more.empty() && std::holds_alternative<std::string>(more.front().second);
  const auto target = std::string(input.size() == 3 ? "conv1d" : "conv2d") + (named ? ".padding" : ".default");
  Network n(static_cast<std::uint32_t>(name.size()));
  n.input("x", input, range).layer("y", target, "x", weights, std::move(more), bias);
  return {name, n};
}

std::pair<std::string, SourceArgument> groups(std::int64_t count) { return argument("groups", count); }
std::pair<std::string, SourceArgument> stride(Integers values) { return list("stride", std::move(values)); }
std::pair<std::string, SourceArgument> padding(Integers values) { return list("padding", std::move(values)); }
std::pair<std::string, SourceArgument> dilation(Integers values) { return list("dilation", std::move(values)); }
const std::pair<std::string, SourceArgument> same{"padding", std::string("same")}, valid{"padding", std::string("valid")};

std::vector<Case> kernels() {
  return {
      convolution("conv_1x1", {1, 8, 4, 5}, {6, 8, 1, 1}),
      convolution("conv_1x1_odd", {1, 7, 3, 3}, {5, 7, 1, 1}),
      convolution("conv_1x1_stride2", {1, 4, 6, 7}, {3, 4, 1, 1}, {stride({2, 2})}),
      convolution("conv_1x1_padding1", {1, 4, 3, 3}, {4, 4, 1, 1}, {padding({1, 1})}),
      convolution("conv_3x3", {1, 4, 6, 6}, {8, 4, 3, 3}),
      convolution("conv_3x3_padding1", {1, 4, 6, 6}, {8, 4, 3, 3}, {padding({1, 1})}),
      convolution("conv_3x3_no_bias", {1, 4, 5, 5}, {4, 4, 3, 3}, {padding({1, 1})}, false),
      convolution("conv_5x5_padding2", {1, 3, 7, 6}, {5, 3, 5, 5}, {padding({2, 2})}),
      convolution("conv_2x2", {1, 3, 5, 5}, {4, 3, 2, 2}),
      convolution("conv_4x2_padding1", {1, 2, 6, 5}, {3, 2, 4, 2}, {padding({1, 1})}),
      convolution("conv_1x3", {1, 4, 3, 8}, {4, 4, 1, 3}, {padding({0, 1})}),
      convolution("conv_3x1", {1, 4, 8, 3}, {4, 4, 3, 1}, {padding({1, 0})}),
      convolution("conv_7x7_stride2", {1, 3, 9, 9}, {4, 3, 7, 7}, {stride({2, 2}), padding({3, 3})}),
      convolution("conv_whole_image", {1, 6, 4, 4}, {10, 6, 4, 4}),
      convolution("conv_padding_larger_than_image", {1, 2, 2, 2}, {3, 2, 5, 5}, {padding({4, 3})}),
  };
}

std::vector<Case> strides() {
  return {
      convolution("conv_stride2", {1, 4, 7, 8}, {4, 4, 3, 3}, {stride({2, 2}), padding({1, 1})}),
      convolution("conv_stride3", {1, 4, 9, 10}, {4, 4, 3, 3}, {stride({3, 3})}),
      convolution("conv_stride2x1", {1, 4, 7, 5}, {4, 4, 3, 3}, {stride({2, 1}), padding({1, 1})}),
      convolution("conv_stride1x3", {1, 4, 5, 10}, {4, 4, 3, 2}, {stride({1, 3})}),
      convolution("conv_stride_beyond_kernel", {1, 4, 8, 8}, {4, 4, 2, 2}, {stride({3, 3})}),
      convolution("conv_dilation2", {1, 4, 8, 8}, {4, 4, 3, 3}, {dilation({2, 2})}),
      convolution("conv_dilation2_padding2", {1, 4, 6, 6}, {4, 4, 3, 3}, {padding({2, 2}), dilation({2, 2})}),
      convolution("conv_dilation1x3_stride2", {1, 4, 6, 9}, {4, 4, 3, 3}, {stride({2, 2}), padding({1, 3}), dilation({1, 3})}),
      convolution("conv_padding0x2", {1, 4, 5, 5}, {4, 4, 3, 3}, {padding({0, 2})}),
      convolution("conv_padding2x0", {1, 4, 5, 5}, {4, 4, 3, 3}, {padding({2, 0})}),
      convolution("conv_same", {1, 4, 5, 6}, {4, 4, 3, 3}, {same}),
      convolution("conv_same_even", {1, 4, 5, 6}, {4, 4, 4, 2}, {same}),
      convolution("conv_same_dilated", {1, 4, 7, 6}, {4, 4, 3, 2}, {same, dilation({2, 1})}),
      convolution("conv_valid", {1, 4, 5, 6}, {4, 4, 3, 3}, {valid}),
      convolution("conv_valid_stride2", {1, 4, 7, 6}, {4, 4, 3, 3}, {valid, stride({2, 2})}),
  };
}

std::vector<Case> channels() {
  std::vector<Case> all;
  for (std::int64_t in : {1, 3, 5, 7, 17})
    for (std::int64_t out : {1, 3, 8})
      all.push_back(convolution("conv_channels_" + std::to_string(in) + "_to_" + std::to_string(out), {1, in, 4, 5}, {out, in, 3, 3}, {padding({1, 1})}));
  for (std::int64_t in : {2, 6, 9, 15, 16, 31, 33})
    all.push_back(convolution("conv_1x1_channels_" + std::to_string(in), {1, in, 2, 3}, {in % 5 + 1, in, 1, 1}));
  all.push_back(convolution("conv_batch2", {2, 3, 5, 4}, {4, 3, 3, 3}, {padding({1, 1})}));
  all.push_back(convolution("conv_1x1_batch2", {2, 5, 3, 3}, {4, 5, 1, 1}));
  all.push_back(convolution("conv_non_negative", {1, 4, 5, 5}, {4, 4, 3, 3}, {padding({1, 1})}, true, {0, 6}));
  all.push_back(convolution("conv_negative", {1, 4, 5, 5}, {4, 4, 3, 3}, {padding({1, 1})}, true, {-6, 0}));
  return all;
}

std::vector<Case> grouped() {
  return {
      convolution("conv_groups2", {1, 4, 5, 5}, {6, 2, 3, 3}, {padding({1, 1}), groups(2)}),
      convolution("conv_groups3", {1, 9, 5, 5}, {6, 3, 3, 3}, {padding({1, 1}), groups(3)}),
      convolution("conv_groups2_no_bias", {1, 8, 8, 8}, {4, 4, 3, 3}, {groups(2)}, false),
      convolution("conv_groups2_batch2", {2, 4, 4, 4}, {4, 2, 3, 3}, {stride({2, 2}), padding({1, 1}), groups(2)}),
      convolution("conv_groups4_1x1", {1, 16, 8, 8}, {16, 4, 1, 1}, {groups(4)}),
      convolution("conv_groups4_1x3", {1, 16, 4, 8}, {16, 4, 1, 3}, {groups(4)}),
      convolution("conv_groups2_one_output_each", {1, 6, 4, 4}, {2, 3, 3, 3}, {groups(2)}),
      convolution("depthwise_3x3", {1, 8, 6, 6}, {8, 1, 3, 3}, {padding({1, 1}), groups(8)}),
      convolution("depthwise_3x3_stride2", {1, 8, 7, 8}, {8, 1, 3, 3}, {stride({2, 2}), padding({1, 1}), groups(8)}),
      convolution("depthwise_3x3_no_bias", {1, 8, 8, 8}, {8, 1, 3, 3}, {padding({1, 1}), groups(8)}, false),
      convolution("depthwise_5x5", {1, 6, 7, 7}, {6, 1, 5, 5}, {padding({2, 2}), groups(6)}),
      convolution("depthwise_1x1", {1, 5, 3, 3}, {5, 1, 1, 1}, {groups(5)}),
      convolution("depthwise_2x2_same", {1, 4, 5, 5}, {4, 1, 2, 2}, {same, groups(4)}),
      convolution("depthwise_dilation2", {1, 4, 7, 7}, {4, 1, 3, 3}, {padding({2, 2}), dilation({2, 2}), groups(4)}),
      convolution("depthwise_whole_image", {1, 5, 4, 4}, {5, 1, 4, 4}, {groups(5)}),
      convolution("depthwise_odd_channels", {1, 7, 5, 5}, {7, 1, 3, 3}, {padding({1, 1}), groups(7)}),
      convolution("depthwise_channels17", {1, 17, 4, 4}, {17, 1, 3, 3}, {padding({1, 1}), groups(17)}),
      convolution("depthwise_multiplier2", {1, 4, 5, 5}, {8, 1, 3, 3}, {padding({1, 1}), groups(4)}),
      convolution("depthwise_multiplier3", {1, 3, 5, 5}, {9, 1, 3, 3}, {padding({1, 1}), groups(3)}),
      convolution("depthwise_batch2", {2, 4, 5, 5}, {4, 1, 3, 3}, {padding({1, 1}), groups(4)}),
      convolution("depthwise_non_negative", {1, 4, 5, 5}, {4, 1, 3, 3}, {padding({1, 1}), groups(4)}, true, {0, 4}),
      convolution("depthwise_one_channel", {1, 1, 5, 5}, {1, 1, 3, 3}, {padding({1, 1})}, true, {0, 4}),
      convolution("depthwise_one_channel_to_five", {1, 1, 5, 5}, {5, 1, 3, 3}, {padding({1, 1})}),
  };
}

std::vector<Case> sequences() {
  return {
      convolution("conv1d", {1, 4, 9}, {3, 4, 3}),
      convolution("conv1d_padding1", {1, 4, 8}, {3, 4, 3}, {padding({1})}),
      convolution("conv1d_dilation2", {1, 4, 8}, {4, 4, 3}, {padding({2}), dilation({2})}),
      convolution("conv1d_groups2", {1, 4, 8}, {4, 2, 3}, {padding({1}), groups(2)}),
      convolution("conv1d_depthwise", {1, 6, 8}, {6, 1, 3}, {padding({1}), groups(6)}),
      convolution("conv1d_same2", {1, 1, 16}, {1, 1, 2}, {same}),
      convolution("conv1d_same4", {1, 1, 16}, {1, 1, 4}, {same}),
      convolution("conv1d_same6", {1, 2, 16}, {3, 2, 6}, {same}),
      convolution("conv1d_stride2", {1, 3, 11}, {5, 3, 5}, {stride({2}), padding({2})}),
      convolution("conv1d_1", {1, 5, 7}, {3, 5, 1}),
      convolution("conv1d_batch2", {2, 3, 8}, {4, 3, 3}, {padding({1})}),
  };
}

/// Leading and trailing padding differ: rows 0/1 and columns 1/1, kernel 5 with 1/2, and TensorFlow's 0/1 on both axes.
std::vector<Case> asymmetric() {
  const auto padded = [](const std::string& name, const Shape& input, const Shape& weights, Integers pad, Integers strides) {
    Network n;
    n.input("x", input).then("p", "constant_pad_nd.default", "x", {list("pad", std::move(pad)), {"value", 0.0}});
    n.layer("y", "conv2d.default", "p", weights, {stride(std::move(strides)), groups(input[1] / weights[1])});
    return Case{name, n};
  };
  return {
      padded("conv_rows0_1_columns1_1", {1, 8, 8, 7}, {8, 8, 3, 3}, {1, 1, 0, 1}, {2, 2}),
      padded("conv_5x5_padding1_2", {1, 4, 8, 8}, {4, 4, 5, 5}, {1, 2, 1, 2}, {2, 2}),
      padded("conv_padding_as_tensorflow", {1, 4, 8, 16}, {4, 4, 3, 3}, {0, 1, 0, 1}, {2, 2}),
      padded("depthwise_padding_as_tensorflow", {1, 4, 8, 6}, {4, 1, 3, 3}, {0, 1, 0, 1}, {2, 2}),
      padded("conv_one_sided", {1, 3, 4, 4}, {3, 3, 2, 2}, {0, 1, 1, 0}, {1, 1}),
  };
}

/// Weights of one sign at the end of their range: the largest sums there can be.
std::vector<Case> extremes() {
  std::vector<Case> all;
  for (const float sign : {1.0f, -1.0f})
    for (const std::int64_t group : {1, 16}) {
      const Shape weights = {16, 16 / group, 3, 3};
      Network n;
      n.input("x", {1, 16, 5, 5}).constant("w", weights, std::vector<float>(static_cast<std::size_t>(element_count(weights)), sign));
      n.node("y", "aten.conv2d.default", {{"input", to("x")}, {"weight", to("w")}, padding({1, 1}), groups(group)});
      all.push_back({std::string(group == 1 ? "conv" : "depthwise") + (sign > 0 ? "_largest_weights" : "_smallest_weights"), n});
    }
  return all;
}

}  // namespace

std::vector<Case> convolution_cases() {
  std::vector<Case> all;
  for (auto make : {kernels, strides, channels, grouped, sequences, asymmetric, extremes})
    for (auto& one : make()) all.push_back(std::move(one));
  return all;
}

}  // namespace corten::test
