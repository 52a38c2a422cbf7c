// SPDX-License-Identifier: Apache-2.0
// What a front end hands over: a model file's nodes as its framework wrote them, with origins, knowing no operator.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/tensor.h"
#include "corten/result.h"

namespace corten {

/// Names a value of the source graph.
struct SourceRef {
  std::string name;
  friend bool operator==(const SourceRef&, const SourceRef&) = default;
};

/// An argument as written; monostate = None. Scalars keep the kind the file has (hardtanh's bounds may be int or double).
using SourceArgument = std::variant<std::monostate, SourceRef, std::vector<SourceRef>, bool, std::int64_t, double, std::string,
                                    std::vector<bool>, std::vector<std::int64_t>, std::vector<double>, Element>;

struct SourceNode {
  std::string target;  // "aten.conv2d.default", "quantized_decomposed.quantize_per_tensor.default"
  std::vector<std::pair<std::string, SourceArgument>> arguments;  // by schema name; arguments left at their default are absent
  std::vector<std::string> outputs;                               // names; a list result has one per element, unused results are ""
  Origin origin;
};

struct SourceValue {
  std::string name;
  Element element = Element::F32;
  Shape shape;  // logical shape as the framework sees it (NCHW); symbolic batch = 1
};

struct SourceConstant {
  std::string name;  // value name in the graph: "p_conv_weight"
  Tensor tensor;     // contiguous; f64, f16 and bf16 are converted to f32
  Origin origin;     // node = fully qualified name: "conv.weight"
};

struct SourceGraph {
  std::string name;  // file stem
  std::vector<SourceValue> inputs;
  std::vector<SourceConstant> constants;
  std::vector<SourceNode> nodes;      // in execution order, functional: no node changes an earlier value
  std::vector<std::string> outputs;   // value names
  std::vector<SourceValue> values;    // element and shape of every node output the file describes
  Diagnostics warnings;
};

}  // namespace corten
