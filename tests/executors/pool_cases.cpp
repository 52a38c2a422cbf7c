// SPDX-License-Identifier: Apache-2.0
// Pooling: windows, strides, padding, rounding of the output's extent, divisors.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

Case pool(const std::string& name, const std::string& target, const Shape& input, Arguments arguments, int steps, Range range = {-2, 1}) {
  Network n;
  n.input("x", input, range).then("y", target, "x", std::move(arguments));
  return {name, n, steps};
}

std::pair<std::string, SourceArgument> kernel(Integers values) { return list("kernel_size", std::move(values)); }
std::pair<std::string, SourceArgument> stride(Integers values) { return list("stride", std::move(values)); }
std::pair<std::string, SourceArgument> padding(Integers values) { return list("padding", std::move(values)); }
std::pair<std::string, SourceArgument> size(Integers values) { return list("output_size", std::move(values)); }
const std::pair<std::string, SourceArgument> ceil_mode{"ceil_mode", true}, padding_not_counted{"count_include_pad", false};

Case max(const std::string& name, const Shape& input, Arguments arguments) { return pool("max_pool_" + name, "max_pool2d.default", input, std::move(arguments), 0); }
Case average(const std::string& name, const Shape& input, Arguments arguments) { return pool("avg_pool_" + name, "avg_pool2d.default", input, std::move(arguments), 1); }

std::vector<Case> maxima() {
  return {
      max("2x2", {1, 4, 6, 6}, {kernel({2, 2})}),
      max("3x3_stride2_padding1", {1, 5, 7, 6}, {kernel({3, 3}), stride({2, 2}), padding({1, 1})}),
      max("overlapping", {1, 3, 5, 5}, {kernel({3, 3}), stride({1, 1})}),
      max("3x2_stride1x2", {1, 3, 5, 6}, {kernel({3, 2}), stride({1, 2}), padding({1, 0})}),
      max("ceil", {1, 3, 5, 6}, {kernel({2, 2}), stride({2, 2}), ceil_mode}),
      max("ceil_padding", {1, 1, 6, 6}, {kernel({3, 3}), stride({2, 2}), padding({1, 1}), ceil_mode}),
      max("dilation2", {1, 2, 6, 5}, {kernel({2, 2}), stride({1, 1}), list("dilation", {2, 2})}),
      max("batch2", {2, 1, 4, 4}, {kernel({2, 2})}),
      max("whole_image", {1, 6, 4, 4}, {kernel({4, 4})}),
      max("channels17", {1, 17, 4, 4}, {kernel({2, 2})}),
      max("1x1_stride2", {1, 3, 5, 5}, {kernel({1, 1}), stride({2, 2})}),
      pool("max_pool1d", "max_pool1d.default", {1, 3, 9}, {kernel({3}), stride({2}), padding({1})}, 0),
      pool("max_pool_with_indices", "max_pool2d_with_indices.default", {1, 3, 4, 4}, {kernel({2, 2})}, 0),
      pool("adaptive_max_pool", "adaptive_max_pool2d.default", {1, 3, 6, 6}, {size({2, 3})}, 0),
  };
}

std::vector<Case> averages() {
  return {
      average("2x2", {1, 4, 6, 6}, {kernel({2, 2})}),
      average("3x3_padding1", {1, 5, 7, 6}, {kernel({3, 3}), stride({2, 2}), padding({1, 1})}),
      average("3x3_padding1_not_counted", {1, 5, 7, 6}, {kernel({3, 3}), stride({2, 2}), padding({1, 1}), padding_not_counted}),
      average("overlapping", {1, 3, 5, 5}, {kernel({3, 3}), stride({1, 1})}),
      average("ceil", {1, 3, 5, 6}, {kernel({2, 2}), stride({2, 2}), ceil_mode}),
      average("ceil_padding", {1, 1, 6, 6}, {kernel({3, 3}), stride({2, 2}), padding({1, 1}), ceil_mode}),
      average("ceil_padding_not_counted", {1, 1, 6, 6}, {kernel({3, 3}), stride({2, 2}), padding({1, 1}), ceil_mode, padding_not_counted}),
      average("divisor3", {1, 3, 4, 4}, {kernel({2, 2}), argument("divisor_override", 3)}),
      average("divisor1", {1, 3, 4, 4}, {kernel({2, 2}), argument("divisor_override", 1)}),
      average("divisor_padding", {1, 3, 5, 5}, {kernel({3, 3}), stride({2, 2}), padding({1, 1}), argument("divisor_override", 7)}),
      average("batch2", {2, 1, 4, 4}, {kernel({2, 2})}),
      average("whole_image", {1, 6, 5, 5}, {kernel({5, 5})}),
      average("1x4_stride1x2", {1, 2, 3, 8}, {kernel({1, 4}), stride({1, 2})}),
      pool("avg_pool_non_negative_padding", "avg_pool2d.default", {1, 3, 5, 5}, {kernel({3, 3}), stride({2, 2}), padding({1, 1})}, 1, {0, 5}),
      pool("avg_pool1d", "avg_pool1d.default", {1, 3, 9}, {kernel({3}), stride({2}), padding({1})}, 1),
      pool("adaptive_avg_pool_global", "adaptive_avg_pool2d.default", {1, 6, 5, 5}, {size({1, 1})}, 1),
      pool("adaptive_avg_pool_7_to_3", "adaptive_avg_pool2d.default", {1, 2, 7, 7}, {size({3, 3})}, 1),
      pool("adaptive_avg_pool_uneven", "adaptive_avg_pool2d.default", {1, 3, 5, 4}, {size({3, 3})}, 1),
      pool("adaptive_avg_pool_uneven_batch2", "adaptive_avg_pool2d.default", {2, 3, 5, 7}, {size({2, 3})}, 1),
      pool("adaptive_avg_pool_larger", "adaptive_avg_pool2d.default", {1, 2, 3, 3}, {size({5, 4})}, 1),
      pool("adaptive_avg_pool1d", "adaptive_avg_pool1d.default", {1, 3, 5}, {size({2})}, 1),
  };
}

Case clamped(const std::string& name, const std::string& target, int steps) {
  Network n;
  n.input("x", {1, 3, 6, 6}, {-4, 8}).then("p", target, "x", {kernel({2, 2})}).then("y", "relu6.default", "p");
  return {name, n, steps};
}

}  // namespace

std::vector<Case> pool_cases() {
  std::vector<Case> all = {clamped("max_pool_relu6", "max_pool2d.default", 1), clamped("avg_pool_relu6", "avg_pool2d.default", 1)};
  for (auto make : {maxima, averages})
    for (auto& one : make()) all.push_back(std::move(one));
  return all;
}

}  // namespace corten::test
