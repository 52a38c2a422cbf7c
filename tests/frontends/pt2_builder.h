// SPDX-License-Identifier: Apache-2.0
// Writes small .pt2 archives for tests, and prints what the reader makes of them.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontends/pt2.h"
#include "tests/formats/zip_writer.h"

namespace corten::test {

// Arguments as the file spells them.
inline std::string argument(const std::string& name, const std::string& value) {
  return fmt::format(R"({{"name":"{}","arg":{},"kind":1}})", name, value);
}
inline std::string tensor(const std::string& name, const std::string& value) {
  return argument(name, fmt::format(R"({{"as_tensor":{{"name":"{}"}}}})", value));
}
inline std::string integer(const std::string& name, std::int64_t value) { return argument(name, fmt::format(R"({{"as_int":{}}})", value)); }
inline std::string integers(const std::string& name, const std::vector<std::int64_t>& values) {
  return argument(name, fmt::format(R"({{"as_ints":[{}]}})", fmt::join(values, ",")));
}
inline std::string truth(const std::string& name, bool value) { return argument(name, fmt::format(R"({{"as_bool":{}}})", value)); }

/// A program in the layout of PyTorch 2.9 and later. Values are float32 unless said otherwise.
class Pt2Builder {
 public:
  Pt2Builder& value(const std::string& name, const std::vector<std::int64_t>& shape, int scalar = 7) {
    std::vector<std::string> sizes;
    for (const auto extent : shape) sizes.push_back(fmt::format(R"({{"as_int":{}}})", extent));
    return value_of_sizes(name, sizes, scalar);
  }
  /// Sizes as JSON.
  Pt2Builder& value_of_sizes(const std::string& name, const std::vector<std::string>& sizes, int scalar = 7) {
    std::vector<std::string> strides(sizes.size(), R"({"as_int":1})");
    for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = product(strides[i], sizes[i]);
    values_.push_back(fmt::format(R"("{}":{})", name, meta(sizes, strides, scalar)));
    return *this;
  }
  Pt2Builder& strided_value(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    values_.push_back(fmt::format(R"("{}":{})", name, meta(as_ints(shape), as_ints(strides), 7)));
    return *this;
  }
  Pt2Builder& input(const std::string& name, const std::vector<std::int64_t>& shape, int scalar = 7) {
    value(name, shape, scalar);
    return bare_input(name);
  }
  Pt2Builder& bare_input(const std::string& name) {
    return raw_input(reference(name), fmt::format(R"({{"user_input":{{"arg":{}}}}})", reference(name)));
  }
  Pt2Builder& raw_input(const std::string& input_json, const std::string& specification) {
    inputs_.push_back(input_json);
    input_specifications_.push_back(specification);
    return *this;
  }
  Pt2Builder& buffer(const std::string& name, const std::string& full_name, const std::vector<std::int64_t>& shape, const std::string& bytes,
                     bool persistent = true, int scalar = 7) {
    value(name, shape, scalar);
    raw_input(reference(name), fmt::format(R"({{"buffer":{{"arg":{{"name":"{}"}},"buffer_name":"{}","persistent":{}}}}})", name, full_name, persistent));
    return weight(full_name, shape, bytes, scalar);
  }
  Pt2Builder& weight(const std::string& full_name, const std::vector<std::int64_t>& shape, const std::string& bytes, int scalar = 7) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    const auto path = fmt::format("weight_{}", weights_.size());
    config_.push_back(fmt::format(R"("{}":{{"path_name":"{}","is_param":true,"use_pickle":false,"tensor_meta":{}}})", full_name, path,
                                  meta(as_ints(shape), as_ints(strides), scalar)));
    weights_.push_back({"archive/data/weights/" + path, bytes});
    return *this;
  }
  /// One tensor result, described as `shape`.
  Pt2Builder& node(const std::string& target, const std::vector<std::string>& arguments, const std::string& output,
                   const std::vector<std::int64_t>& shape, int scalar = 7) {
    value(output, shape, scalar);
    return raw_node(target, arguments, {reference(output)});
  }
  Pt2Builder& raw_node(const std::string& target, const std::vector<std::string>& arguments, const std::vector<std::string>& outputs,
                       const std::string& metadata = "") {
    nodes_.push_back(fmt::format(R"({{"target":"torch.ops.{}","inputs":[{}],"outputs":[{}],"metadata":{{{}}}}})", target, fmt::join(arguments, ","),
                                 fmt::join(outputs, ","), metadata));
    return *this;
  }
  Pt2Builder& output(const std::string& name) { return raw_output(reference(name), fmt::format(R"({{"user_output":{{"arg":{}}}}})", reference(name))); }
  Pt2Builder& raw_output(const std::string& output_json, const std::string& specification) {
    outputs_.push_back(output_json);
    output_specifications_.push_back(specification);
    return *this;
  }
  Pt2Builder& integer_value(const std::string& name, const std::string& sym_int) {
    integers_.push_back(fmt::format(R"("{}":{})", name, sym_int));
    return *this;
  }

  static std::string reference(const std::string& name) { return fmt::format(R"({{"as_tensor":{{"name":"{}"}}}})", name); }

  std::string graph() const {
    return fmt::format(R"({{"inputs":[{}],"outputs":[{}],"nodes":[{}],"tensor_values":{{{}}},"sym_int_values":{{{}}},"sym_bool_values":{{}}}})",
                       fmt::join(inputs_, ","), fmt::join(outputs_, ","), fmt::join(nodes_, ","), fmt::join(values_, ","), fmt::join(integers_, ","));
  }
  std::string program() const {
    return fmt::format(R"({{"graph_module":{{"graph":{},"signature":{{"input_specs":[{}],"output_specs":[{}]}}}},"schema_version":{{"major":8,"minor":20}}}})",
                       graph(), fmt::join(input_specifications_, ","), fmt::join(output_specifications_, ","));
  }
  std::vector<Member> members() const {
    std::vector<Member> result = weights_;
    result.push_back({"archive/archive_format", "pt2"});
    result.push_back({"archive/byteorder", "little"});
    result.push_back({"archive/models/model.json", program()});
    result.push_back({"archive/data/weights/model_weights_config.json", fmt::format(R"({{"config":{{{}}}}})", fmt::join(config_, ","))});
    return result;
  }
  Result<SourceGraph> read() const { return read_pt2(write_zip(members()), "net.pt2"); }

 private:
  static std::vector<std::string> as_ints(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> result;
    for (const auto number : numbers) result.push_back(fmt::format(R"({{"as_int":{}}})", number));
    return result;
  }
  // Only exact for numbers; strides of symbolic tensors don't matter here.
  static std::string product(const std::string& a, const std::string& b) {
    long long x = 0;
    long long y = 0;
    if (std::sscanf(a.c_str(), "{\"as_int\":%lld", &x) != 1 || std::sscanf(b.c_str(), "{\"as_int\":%lld", &y) != 1) return a;
    return fmt::format(R"({{"as_int":{}}})", x * y);
  }
  static std::string meta(const std::vector<std::string>& sizes, const std::vector<std::string>& strides, int scalar) {
    return fmt::format(R"({{"dtype":{},"sizes":[{}],"requires_grad":false,"device":{{"type":"cpu","index":null}},"strides":[{}],"storage_offset":{{"as_int":0}},"layout":7}})",
                       scalar, fmt::join(sizes, ","), fmt::join(strides, ","));
  }

  std::vector<std::string> inputs_, input_specifications_, outputs_, output_specifications_, nodes_, values_, integers_, config_;
  std::vector<Member> weights_;
};

inline std::string print(const SourceArgument& argument) {
  struct Print {
    std::string operator()(std::monostate) { return "none"; }
    std::string operator()(const SourceRef& value) { return value.name; }
    std::string operator()(const std::vector<SourceRef>& values) {
      std::vector<std::string> names;
      for (const auto& value : values) names.push_back(value.name);
      return fmt::format("({})", fmt::join(names, ", "));
    }
    std::string operator()(bool value) { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) { return fmt::format("{}", value); }
    std::string operator()(double value) { return fmt::format("{}f", value); }
    std::string operator()(const std::string& value) { return "'" + value + "'"; }
    std::string operator()(const std::vector<bool>& values) { return fmt::format("{} bools", values.size()); }
    std::string operator()(const std::vector<std::int64_t>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }
    std::string operator()(const std::vector<double>& values) { return fmt::format("[{}]f", fmt::join(values, ", ")); }
    std::string operator()(Element value) { return std::string(to_string(value)); }
  };
  return std::visit(Print{}, argument);
}

/// One line per node, "mul_ = mul.Tensor(self=view, other=2)", then one with the outputs.
inline std::string print(const SourceGraph& graph) {
  std::string text;
  for (const auto& node : graph.nodes) {
    std::vector<std::string> arguments;
    for (const auto& [name, value] : node.arguments) arguments.push_back(name + "=" + print(value));
    const auto target = node.target.starts_with("aten.") ? node.target.substr(5) : node.target;
    text += fmt::format("{} = {}({})\n", fmt::join(node.outputs, ", "), target, fmt::join(arguments, ", "));
  }
  return text + fmt::format("return {}\n", fmt::join(graph.outputs, ", "));
}

inline std::string print(const Result<SourceGraph>& result) {
  if (result) return print(*result);
  std::string text;
  for (const auto& problem : result.diagnostics())
    text += fmt::format("error: {}{}\n", problem.message, problem.origin.node.empty() ? "" : " at " + problem.origin.node);
  return text;
}

}  // namespace corten::test
