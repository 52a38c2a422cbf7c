// SPDX-License-Identifier: Apache-2.0
// Small networks with random parameters, written in the words of the framework.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontends/source_graph.h"

namespace corten::test {

using Arguments = std::vector<std::pair<std::string, SourceArgument>>;
using Integers = std::vector<std::int64_t>;

inline SourceRef to(std::string name) { return {std::move(name)}; }
inline std::pair<std::string, SourceArgument> argument(std::string name, std::int64_t value) { return {std::move(name), value}; }
inline std::pair<std::string, SourceArgument> list(std::string name, Integers values) { return {std::move(name), std::move(values)}; }

/// The same pseudo-random numbers everywhere: the standard fixes no distribution.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed * 2654435761u + 12345u) {}
  std::uint32_t bits() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  float between(float low, float high) { return low + (high - low) * (static_cast<float>(bits()) / 16777216.0f); }
  std::vector<float> reals(std::int64_t count, float low, float high) {
    std::vector<float> result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(between(low, high));
    return result;
  }

 private:
  std::uint32_t state_;
};

/// What a network's input is calibrated with.
struct Range {
  float low = -1, high = 1;
};

class Network {
 public:
  explicit Network(std::uint32_t seed = 1) : random_(seed) { source_.name = "net"; }

  Network& input(const std::string& name, Shape shape, Range range = {}) {
    source_.inputs.push_back({name, Element::F32, std::move(shape)});
    ranges_.push_back(range);
    return *this;
  }
  Network& constant(const std::string& name, Shape shape, const std::vector<float>& values) {
    source_.constants.push_back({name, Tensor::of<float>(Element::F32, std::move(shape), values), {"net.pt2", name, "", "", ""}});
    return *this;
  }
  Network& random(const std::string& name, const Shape& shape, Range range = {}) {
    return constant(name, shape, random_.reals(element_count(shape), range.low, range.high));
  }
  /// A node whose outputs are the network's, until the next one or outputs().
  Network& node(const std::string& name, const std::string& target, Arguments arguments, std::vector<std::string> outputs = {}) {
    if (outputs.empty()) outputs = {name};
    source_.nodes.push_back({target, std::move(arguments), outputs, {"net.pt2", name, target, "", ""}});
    source_.outputs = std::move(outputs);
    return *this;
  }
  /// A node that takes `from` as its "self".
  Network& then(const std::string& name, const std::string& target, const std::string& from, Arguments more = {}) {
    more.insert(more.begin(), {"self", to(from)});
    return node(name, "aten." + target, std::move(more));
  }
  /// A layer with random weights and, unless told otherwise, bias.
  Network& layer(const std::string& name, const std::string& target, const std::string& from, const Shape& weights, Arguments more = {}, bool bias = true) {
    random(name + "_weight", weights);
    more.insert(more.begin(), {{"input", to(from)}, {"weight", to(name + "_weight")}});
    if (bias) {
      random(name + "_bias", {weights[0]});
      more.emplace_back("bias", to(name + "_bias"));
    }
    return node(name, "aten." + target, std::move(more));
  }
  Network& batch_norm(const std::string& name, const std::string& from, std::int64_t channels) {
    random(name + "_weight", {channels}, {0.5f, 2}).random(name + "_bias", {channels}).random(name + "_mean", {channels}).random(name + "_var", {channels}, {0.25f, 2});
    return node(name, "aten.batch_norm.default",
                {{"input", to(from)}, {"weight", to(name + "_weight")}, {"bias", to(name + "_bias")}, {"running_mean", to(name + "_mean")},
                 {"running_var", to(name + "_var")}, {"training", false}, {"momentum", 0.1}, {"eps", 1e-5}, {"cudnn_enabled", true}});
  }
  Network& outputs(std::vector<std::string> names) {
    source_.outputs = std::move(names);
    return *this;
  }

  const SourceGraph& source() const { return source_; }
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  SourceGraph source_;
  std::vector<Range> ranges_;
  Random random_;
};

}  // namespace corten::test
