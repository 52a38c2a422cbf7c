// SPDX-License-Identifier: Apache-2.0
// What the user asks of the quantizer: which nodes, how their weights, and what the graph's ends look like.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/ir/type.h"
#include "compiler/quantize/observer.h"
#include "corten/result.h"

namespace corten {

/// Weights are symmetric int8 in [−128, 127], or in [−127, 127] when narrow.
struct WeightConfig {
  bool per_channel = false;
  ObserverKind observer = ObserverKind::MinMax;
  bool narrow = false;

  Grid grid() const { return {.symmetry = Symmetry::Symmetric, .low = narrow ? -127 : -128}; }
  friend bool operator==(const WeightConfig&, const WeightConfig&) = default;
};

/// How one node is quantized. Activations are affine int8, the bias int32.
struct QuantizationConfig {
  WeightConfig weights = {};
  friend bool operator==(const QuantizationConfig&, const QuantizationConfig&) = default;
};

inline constexpr QuantizationConfig INT8_PER_TENSOR{.weights = {.per_channel = false}};
inline constexpr QuantizationConfig INT8_PER_CHANNEL{.weights = {.per_channel = true}};

/// A node in the words of the user's framework.
struct NodeKey {
  std::string name;         // "linear_3"
  std::string target;       // "aten.linear.default"
  std::string module;       // "head.0.fc"
  std::string module_type;  // "torch.nn.modules.linear.Linear"
};

/// Element type, and if given the grid, of one input or output of the graph.
struct EndConfig {
  Element element = Element::I8;
  std::optional<Quantization> quantization = {};
  friend bool operator==(const EndConfig&, const EndConfig&) = default;
};

/// Ends in the graph's order. One entry stands for all, none leaves them to the compiler's own choice.
struct IoConfig {
  std::vector<EndConfig> inputs = {};
  std::vector<EndConfig> outputs = {};
  friend bool operator==(const IoConfig&, const IoConfig&) = default;
};

/// Settings in the order they were made; the last one that names a node decides. No config means: leave it in float.
class QuantizerConfig {
 public:
  using Setting = std::optional<QuantizationConfig>;

  void set_global(Setting config);
  /// An ATen target with or without `torch.ops.`, and with or without the overload.
  void set_node_target(std::string target, Setting config);
  void set_node_name(std::string name, Setting config);
  /// The module of this path with everything inside: "head" names "head" and "head.0.fc", not "header".
  void set_module_name(std::string path, Setting config);
  /// A class by its full name, by the name it is imported by ("torch.nn.Conv2d"), or by its last part ("Conv2d").
  void set_module_type(std::string type, Setting config);
  void set_io(IoConfig io) { io_ = std::move(io); }
  void set_activation_observer(ObserverKind kind) { activation_observer_ = kind; }

  /// How to quantize `node`; nothing to leave it in float. Nodes that no setting names get min-max weights, per channel
  /// if `per_channel` (the operator's default: convolutions yes, linear no).
  Setting config_for(const NodeKey& node, bool per_channel = false) const;
  /// A warning for each setting that names none of `nodes`.
  Diagnostics unused(const std::vector<NodeKey>& nodes) const;
  const IoConfig& io() const { return io_; }
  ObserverKind activation_observer() const { return activation_observer_; }

 private:
  enum class By { Global, Target, Name, Module, ModuleType };
  struct Entry {
    By by;
    std::string what;
    Setting config;
  };
  static bool names(const Entry& entry, const NodeKey& node);
  static Diagnostic unused(const Entry& entry, const std::vector<NodeKey>& nodes);

  std::vector<Entry> entries_;
  IoConfig io_;
  ObserverKind activation_observer_ = ObserverKind::Histogram;
};

/// Reads the list that `--quantize` takes (docs/numerics.md shows one). `file` is the name for diagnostics.
/// Errors: not JSON; an entry that isn't one known `set_*` with known keys; all of them up to max_diagnostics.
Result<QuantizerConfig> read_quantizer_config(std::string_view json, const std::string& file);

}  // namespace corten
