// SPDX-License-Identifier: Apache-2.0
// Operators that move elements: reshapes, permutations, concatenations, slices, pads.
#include "tests/executors/cases.h"

namespace corten::test {
namespace {

Case moved(const std::string& name, const Shape& input, const std::string& target, Arguments arguments) {
  Network n;
  n.input("x", input).then("y", target, "x", std::move(arguments));
  return {name, n, 0};
}

std::pair<std::string, SourceArgument> dim(std::int64_t value) { return argument("dim", value); }

std::vector<Case> reshapes() {
  return {
      moved("view", {1, 4, 3, 2}, "view.default", {list("size", {2, 12})}),
      moved("reshape_inferred", {2, 6}, "reshape.default", {list("shape", {3, -1})}),
      moved("flatten_image", {1, 4, 3, 2}, "flatten.using_ints", {argument("start_dim", 1)}),
      moved("flatten_rank5", {1, 2, 3, 2, 2}, "flatten.using_ints", {argument("start_dim", 1), argument("end_dim", 3)}),
      moved("unflatten", {2, 12}, "unflatten.int", {dim(1), list("sizes", {3, -1})}),
      moved("squeeze", {1, 3, 1, 4}, "squeeze.dims", {list("dim", {0, 2})}),
      moved("unsqueeze", {3, 4}, "unsqueeze.default", {dim(1)}),
      moved("permute_image", {1, 4, 3, 2}, "permute.default", {list("dims", {0, 2, 3, 1})}),
      moved("permute_rank5", {1, 2, 3, 2, 4}, "permute.default", {list("dims", {0, 3, 1, 4, 2})}),
      moved("permute_rank3", {2, 3, 4}, "permute.default", {list("dims", {2, 0, 1})}),
      moved("transpose", {3, 5}, "transpose.int", {argument("dim0", 0), argument("dim1", 1)}),
      moved("transpose_batches", {2, 3, 4}, "transpose.int", {argument("dim0", -1), argument("dim1", -2)}),
      moved("t", {4, 3}, "t.default", {}),
      moved("clone", {1, 3, 2, 2}, "clone.default", {}),
  };
}

/// A permutation that a computing node reads: it can't be a mere renumbering of axes.
std::vector<Case> transposes() {
  Network shuffle, flat, attention;
  shuffle.input("x", {1, 6, 3, 3}).then("v", "view.default", "x", {list("size", {1, 2, 3, 3, 3})}).then("p", "permute.default", "v", {list("dims", {0, 2, 1, 3, 4})});
  shuffle.then("r", "reshape.default", "p", {list("shape", {1, 6, 3, 3})}).layer("y", "conv2d.default", "r", {4, 6, 1, 1});
  flat.input("x", {1, 3, 4, 2}).then("p", "permute.default", "x", {list("dims", {0, 3, 2, 1})}).then("f", "flatten.using_ints", "p", {argument("start_dim", 1)}).layer("y", "linear.default", "f", {4, 24});
  attention.input("x", {1, 3, 4}).then("t", "transpose.int", "x", {argument("dim0", 1), argument("dim1", 2)}).layer("y", "linear.default", "t", {5, 3});
  return {{"channel_shuffle", shuffle}, {"permute_flatten_linear", flat}, {"transpose_linear", attention}};
}

Case cat(const std::string& name, const std::vector<Shape>& shapes, std::int64_t axis, const std::string& target = "cat.default") {
  Network n;
  std::vector<SourceRef> tensors;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto input = "x" + std::to_string(i);
    n.input(input, shapes[i], {-1 - static_cast<float>(i), 1});
    tensors.push_back(to(input));
  }
  n.node("y", "aten." + target, {{"tensors", tensors}, dim(axis)});
  return {name, n};
}

std::vector<Case> cats() {
  std::vector<Case> all = {
      cat("cat_channels", {{1, 3, 4, 4}, {1, 5, 4, 4}}, 1),
      cat("cat_rows", {{1, 3, 2, 4}, {1, 3, 4, 4}, {1, 3, 1, 4}}, 2),
      cat("cat_columns", {{1, 3, 4, 2}, {1, 3, 4, 1}, {1, 3, 4, 3}, {1, 3, 4, 4}}, 3),
      cat("cat_batch", {{1, 3, 2, 2}, {2, 3, 2, 2}}, 0),
      cat("cat_rank1", {{3}, {4}}, 0),
      cat("cat_rank5", {{1, 2, 1, 2, 2}, {1, 2, 3, 2, 2}}, 2),
      cat("cat_last_axis", {{2, 3}, {2, 1}, {2, 5}}, -1),
      cat("stack", {{2, 3}, {2, 3}}, 1, "stack.default"),
      cat("stack_last", {{2, 3}, {2, 3}, {2, 3}}, -1, "stack.default"),
  };
  Network twice;
  twice.input("x", {1, 2, 3, 3}).node("y", "aten.cat.default", {{"tensors", std::vector<SourceRef>{to("x"), to("x")}}, dim(1)});
  all.push_back({"cat_same_tensor_twice", twice});
  Network constant;
  constant.input("x", {1, 4}).random("c", {1, 3}).node("y", "aten.cat.default", {{"tensors", std::vector<SourceRef>{to("c"), to("x")}}, dim(1)});
  all.push_back({"cat_constant", constant});
  // The branches' own grids differ from the one of the result and from each other's.
  Network grids;
  grids.input("x", {1, 3, 4, 4}).then("a", "sigmoid.default", "x").layer("b", "conv2d.default", "x", {5, 3, 1, 1});
  grids.node("y", "aten.cat.default", {{"tensors", std::vector<SourceRef>{to("a"), to("b"), to("x")}}, dim(1)}).outputs({"y", "a"});
  all.push_back({"cat_grids", grids, 2});
  return all;
}

std::vector<Case> slices() {
  std::vector<Case> all = {
      moved("slice_channels", {1, 6, 3, 3}, "slice.Tensor", {dim(1), argument("start", 1), argument("end", 4)}),
      moved("slice_rows_step2", {1, 3, 7, 3}, "slice.Tensor", {dim(2), argument("start", 1), argument("end", 7), argument("step", 2)}),
      moved("slice_columns_step3", {1, 3, 3, 8}, "slice.Tensor", {dim(3), argument("start", 0), argument("end", std::int64_t{9223372036854775807}), argument("step", 3)}),
      moved("slice_channels_step2", {1, 7, 2, 2}, "slice.Tensor", {dim(1), argument("start", 0), argument("end", 7), argument("step", 2)}),
      moved("slice_negative", {1, 9}, "slice.Tensor", {dim(1), argument("start", -5), argument("end", -1)}),
      moved("slice_batch", {3, 4}, "slice.Tensor", {dim(0), argument("start", 1), argument("end", 3)}),
      moved("slice_rank1", {9}, "slice.Tensor", {dim(0), argument("start", 2), argument("end", 9), argument("step", 3)}),
      moved("slice_rank5", {1, 2, 5, 2, 2}, "slice.Tensor", {dim(2), argument("start", 1), argument("end", 4)}),
      moved("select", {1, 3, 4, 2}, "select.int", {dim(1), argument("index", 2)}),
      moved("select_negative", {2, 3, 4}, "select.int", {dim(-1), argument("index", -2)}),
      moved("narrow", {1, 3, 5, 2}, "narrow.default", {dim(2), argument("start", 1), argument("length", 3)}),
  };
  const auto parts = [&](const std::string& name, const std::string& target, Arguments arguments, std::vector<std::string> outputs) {
    Network n;
    arguments.insert(arguments.begin(), {"self", to("x")});
    n.input("x", {1, 7, 3, 2}).node("parts", "aten." + target, std::move(arguments), std::move(outputs));
    all.push_back({name, n, 0});
  };
  parts("split", "split.Tensor", {argument("split_size", 3), dim(1)}, {"a", "b", "c"});
  parts("split_with_sizes", "split_with_sizes.default", {list("split_sizes", {1, 4, 2}), dim(1)}, {"a", "b", "c"});
  parts("chunk", "chunk.default", {argument("chunks", 2), dim(2)}, {"a", "b"});
  parts("unbind", "unbind.int", {dim(3)}, {"a", "b"});
  return all;
}

Case padded(const std::string& name, const Shape& input, Integers pad, double value, Range range = {-1, 1}) {
  Network n;
  n.input("x", input, range).then("y", "constant_pad_nd.default", "x", {list("pad", std::move(pad)), {"value", value}});
  return {name, n, 0};
}

std::vector<Case> pads() {
  return {
      padded("pad_image", {1, 3, 4, 4}, {1, 2, 0, 3}, 0.0),
      padded("pad_value", {1, 3, 4, 4}, {1, 1, 1, 1}, 0.7),
      padded("pad_value_outside", {1, 3, 3, 3}, {1, 1, 1, 1}, -5.0),
      padded("pad_channels", {1, 3, 2, 2}, {0, 0, 0, 0, 2, 1}, 0.0),
      padded("pad_batch", {1, 2, 2, 2}, {0, 1, 0, 0, 0, 0, 1, 0}, 0.0),
      padded("pad_rank1", {7}, {2, 3}, 0.5),
      padded("pad_rank5", {1, 2, 2, 3, 2}, {1, 0, 0, 2, 1, 1}, 0.0),
      padded("pad_negative", {1, 3, 5, 5}, {-1, 2, 1, -2}, 0.0),
      padded("pad_non_negative", {1, 6}, {2, 2}, 0.0, {0, 3}),
  };
}

}  // namespace

std::vector<Case> movement_cases() {
  std::vector<Case> all;
  for (auto make : {reshapes, transposes, cats, slices, pads})
    for (auto& one : make()) all.push_back(std::move(one));
  return all;
}

}  // namespace corten::test
