// SPDX-License-Identifier: Apache-2.0
// Means and sums over every set of axes.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

Case reduction(const std::string& op, const std::string& target, const std::string& kind, const Shape& shape, Arguments arguments) {
  Network n;
  n.input("x", shape, {-1, 2}).then("y", target, "x", std::move(arguments));
  return {op + "_" + kind, n};
}

std::string name_of(unsigned set) {
  std::string name = "axes";
  for (int axis = 0; axis < 4; ++axis)
    if (set >> axis & 1) name += "_" + std::to_string(axis);
  return name;
}

Integers axes_of(unsigned set) {
  Integers axes;
  for (int axis = 0; axis < 4; ++axis)
    if (set >> axis & 1) axes.push_back(axis);
  return axes;
}

}  // namespace

std::vector<Case> reduction_cases() {
  std::vector<Case> all;
  for (unsigned set = 1; set < 16; ++set) {
    const bool keep = set % 2 == 0;
    all.push_back(reduction("mean", "mean.dim", name_of(set), {2, 3, 4, 5}, {list("dim", axes_of(set)), {"keepdim", keep}}));
    all.push_back(reduction("sum", "sum.dim_IntList", name_of(set), {2, 3, 4, 5}, {list("dim", axes_of(set)), {"keepdim", !keep}}));
  }
  for (const std::string op : {"mean", "sum"}) {
    const auto target = op == "mean" ? "mean.dim" : "sum.dim_IntList";
    all.push_back(reduction(op, op + ".default", "all", {1, 3, 4}, {}));
    all.push_back(reduction(op, target, "rank1", {9}, {list("dim", {0}), {"keepdim", true}}));
    all.push_back(reduction(op, target, "rank5", {1, 2, 3, 2, 3}, {list("dim", {2, 4})}));
    all.push_back(reduction(op, target, "negative_axis", {2, 6}, {list("dim", {-1})}));
    all.push_back(reduction(op, target, "global_odd_channels", {1, 7, 7, 7}, {list("dim", {2, 3})}));
  }
  return all;
}

}  // namespace corten::test
