// SPDX-License-Identifier: Apache-2.0
// Every operator at counts of channels and elements around the widths that kernels work in.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

constexpr std::int64_t widths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65};

std::string named(const std::string& what, std::int64_t width) { return what + "_width" + std::to_string(width); }

const auto padding1 = list("padding", {1, 1});

Case depthwise(std::int64_t width) {
  Network n(static_cast<std::uint32_t>(width));
  n.input("x", {1, width, 4, 5}).layer("y", "conv2d.default", "x", {width, 1, 3, 3}, {padding1, argument("groups", width)});
  return {named("depthwise", width), n};
}

Case outputs(std::int64_t width) {
  Network n(static_cast<std::uint32_t>(width));
  n.input("x", {1, 5, 2, 3}).layer("y", "conv2d.default", "x", {width, 5, 3, 3}, {padding1});
  return {named("conv_outputs", width), n};
}

Case depths(std::int64_t width) {
  Network n(static_cast<std::uint32_t>(width));
  n.input("x", {1, width, 3, 3}).layer("y", "conv2d.default", "x", {5, width, 2, 2});
  return {named("conv_depth", width), n};
}

Case columns(std::int64_t width) {
  Network n(static_cast<std::uint32_t>(width));
  n.input("x", {1, 3, 2, width}).layer("y", "conv2d.default", "x", {4, 3, 3, 3}, {padding1});
  return {named("conv_columns", width), n};
}

Case pixels(std::int64_t width) {
  Network n(static_cast<std::uint32_t>(width));
  n.input("x", {1, 6, 1, width}).layer("y", "conv2d.default", "x", {7, 6, 1, 1});
  return {named("conv_1x1_pixels", width), n};
}

Case rows(std::int64_t width) {
  Network n(static_cast<std::uint32_t>(width));
  n.input("x", {width, 7}).layer("y", "linear.default", "x", {3, 7});
  return {named("linear_rows", width), n};
}

Case pooled(const std::string& target, std::int64_t width, int steps) {
  Network n;
  n.input("x", {1, width, 4, 4}, {-2, 1}).then("y", target + "2d.default", "x", {list("kernel_size", {3, 3}), list("stride", {1, 1}), padding1});
  return {named(target, width), n, steps};
}

Case binary(const std::string& target, std::int64_t width) {
  Network n;
  n.input("a", {2, width}).input("b", {2, width}, {-1, 2}).then("y", target + ".Tensor", "a", {{"other", to("b")}});
  return {named(target, width), n};
}

Case broadcast(const std::string& target, std::int64_t width) {
  Network n;
  n.input("a", {1, width, 2, 3}).input("b", {1, width, 1, 1}, {-1, 2}).then("y", target + ".Tensor", "a", {{"other", to("b")}});
  return {named(target + "_channel", width), n};
}

Case unary(const std::string& target, std::int64_t width, Arguments arguments = {}, int steps = 1) {
  Network n;
  n.input("x", {1, 2, width}, {-3, 2}).then("y", target, "x", std::move(arguments));
  return {named(target.substr(0, target.find('.')), width), n, steps};
}

Case requantized(std::int64_t width) {
  Network n;
  n.input("a", {1, width}).input("b", {1, width}, {-3, 5}).node("y", "aten.cat.default", {{"tensors", std::vector<SourceRef>{to("a"), to("b")}}, argument("dim", 1)});
  return {named("cat", width), n};
}

}  // namespace

std::vector<Case> width_cases() {
  std::vector<Case> all;
  for (const auto width : widths) {
    for (auto& one : {depthwise(width), outputs(width), depths(width), columns(width), pixels(width), rows(width), pooled("max_pool", width, 0), pooled("avg_pool", width, 1),
                      binary("add", width), binary("mul", width), broadcast("sub", width), unary("relu.default", width), unary("sigmoid.default", width),
                      unary("softmax.int", width, {argument("dim", 2)}, 2), unary("mean.dim", width, {list("dim", {1})}), requantized(width)})
      all.push_back(one);
  }
  return all;
}

}  // namespace corten::test
