// SPDX-License-Identifier: Apache-2.0
// The order of the passes, with its reasons: the compiler's table of contents.
#include <algorithm>
#include <array>

#include "compiler/ir/verify.h"
#include "compiler/passes/pass.h"

namespace corten {
namespace {

constexpr std::array pipeline = {
    // Float graph. Constants first: later rules ask whether weights are constant.
    Pass{"fold_constants", "compute at compile time what depends on constants alone", fold_constants},
    // Before fusion, so that a reshape doesn't stand between two operators that fuse.
    Pass{"sink_reshapes", "move reshapes below element-by-element operators", sink_reshapes},
    // Before clamps: conv → batch norm → relu leaves conv → relu.
    Pass{"fold_batch_norm", "fold batch norms into the layer before them", fold_batch_norm},
    Pass{"fold_pad", "let convolutions do the zero padding in front of them", fold_pad},
    // Before quantization: the range is observed where the clamp has been.
    Pass{"fuse_clamp", "let the operator before a relu-like operator clamp", fuse_clamp},
    Pass{"merge_reshapes", "one reshape or transpose instead of several", merge_reshapes},
    Pass{"fold_transpose", "reorder weights instead of flattened images", fold_transpose},
    Pass{"merge_reshapes", "again: folding a transpose leaves reshapes in a row", merge_reshapes},
    // Quantized graph; the quantizer (quantize/quantizer.h) has run between.
    Pass{"fold_quantization", "move quantization into types", fold_quantization},
    Pass{"cut_ends", "give the ends the integers that lie inside", cut_ends},
    Pass{"lower", "turn quantized operators into integer operators", lower},
};

}  // namespace

std::span<const Pass> passes() { return pipeline; }

const Pass* find_pass(std::string_view name) {
  const auto found = std::find_if(pipeline.begin(), pipeline.end(), [&](const Pass& pass) { return pass.name == name; });
  return found == pipeline.end() ? nullptr : found;
}

Status run_passes(Graph& graph, std::string_view first, std::string_view last, const PassWatcher& watcher) {
  const auto begin = std::find_if(pipeline.begin(), pipeline.end(), [&](const Pass& pass) { return pass.name == first; });
  const auto end = std::find_if(pipeline.rbegin(), pipeline.rend(), [&](const Pass& pass) { return pass.name == last; }).base();
  for (auto pass = begin; pass < end; ++pass) {
    CORTEN_CHECK(pass->run(graph));
    CORTEN_CHECK(verify(graph));
    if (watcher) watcher(*pass, graph);
  }
  return {};
}

}  // namespace corten
