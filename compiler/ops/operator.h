// SPDX-License-Identifier: Apache-2.0
// What an operator is: one file in this folder, from framework spellings to emitted kernel call.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/patch.h"
#include "compiler/ops/clamp_range.h"
#include "compiler/ops/layer.h"
#include "corten/cores.h"

namespace corten {

class Import;

/// How a framework writes an operator, and the function that turns such a node into nodes of the graph.
struct Spelling {
  std::string_view target;            // "aten.conv2d.default"
  Status (*import)(Import&) = nullptr;
};

/// How the quantizer treats a node.
struct QuantizationRule {
  enum class Output {
    Observed,  // its own observer
    Shared,    // one grid for the output and every activation input
    Fixed,     // known from the operator: `fixed`
  };
  Output output = Output::Observed;
  Quantization fixed = {};
  int weight = -1;             // input that holds weights
  int weight_axis = -1;        // axis of per-channel scales
  bool per_channel = false;    // the default for this operator
  int bias = -1;               // input that is int32 at input scale × weight scale
  bool inputs_quantized = true;  // false: the node stays as it is (plumbing on integers)
};

/// One operator of the graph. Hooks that an operator doesn't have keep the default.
class Operator {
 public:
  virtual ~Operator() = default;

  /// "conv2d", or "cortex_m.quantized_conv2d" at the integer stage.
  virtual std::string_view name() const = 0;
  virtual std::span<const Spelling> spellings() const { return {}; }
  /// Names of the inputs in order: "x, weights, bias?" where '?' marks one that may be absent; "x, …" for any number.
  virtual std::string_view inputs() const { return "x"; }
  /// What it accepts, in a line for `corten ops`.
  virtual std::string_view limits() const { return ""; }

  /// Types of the outputs from types of the inputs, or why the inputs don't fit. Quantization is left out.
  virtual Result<std::vector<Type>> infer(const Call& call) const = 0;
  /// The meaning. Real operators get and give f32; integer operators the integers themselves.
  virtual std::vector<Tensor> evaluate(const Call& call, std::span<const Tensor* const> inputs) const = 0;
  /// Whether evaluate() works on integers: quantize, dequantize and all of the integer stage.
  virtual bool integer() const { return false; }

  /// The parameters with `range` folded into the output's clamp; null when this operator can't clamp.
  virtual ParametersPtr with_clamp(const Call&, const ClampRange&) const { return nullptr; }
  virtual QuantizationRule quantization(const Call&) const { return {}; }
  /// Adds the integer nodes that compute this node (whose types are quantized) and replaces its outputs.
  virtual Status lower(const Call& call, Patch& patch) const;

  /// The kernel call of an integer node.
  virtual Result<Layer> emit(const Call& call, Isa isa) const;
  /// Inputs whose memory the output may take over, since each element is read before its place is written.
  virtual std::vector<int> in_place_inputs(const Call&) const { return {}; }
  /// Whether the output is the input's bytes unchanged, so that no code is needed.
  virtual bool alias() const { return false; }

  virtual ParametersPtr parse_parameters(FieldReader& reader) const = 0;
};

/// An operator with parameter struct P (P has `template <class F> void fields(F&& field)`).
template <class P>
class OperatorWith : public Operator {
 public:
  ParametersPtr parse_parameters(FieldReader& reader) const override {
    P value;
    value.fields([&](std::string_view name, auto& field) { reader.field(name, field); });
    return parameters(std::move(value));
  }
};

/// Whether a node has the inputs that its operator names, or what is wrong with them. Everything else an operator does relies on it.
Status check_inputs(const Call& call);

/// Every operator of the folder, sorted by name.
std::span<const Operator* const> operators();
const Operator* find_operator(std::string_view name);
/// The operator of that name; it must exist.
const Operator& op(std::string_view name);

/// Puts an operator into the list above: `static const Register<Conv2d> conv2d;` at the end of its file.
class RegisterOperator {
 public:
  explicit RegisterOperator(const Operator& op);
};
template <class T>
class Register {
  T operator_;
  RegisterOperator entry_{operator_};
};

}  // namespace corten
