// SPDX-License-Identifier: Apache-2.0
// Prints and parses graphs.
#include "compiler/ir/text.h"

#include <fmt/ranges.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/ir/number_text.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

// ---- printing -------------------------------------------------------------------------------------------------------

template <class T>
std::string list_text(const std::vector<T>& items) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i ? ", " : "") + number_text(items[i]);
  return text + "]";
}

std::string print_quantization(const Quantization& q) {
  std::string text = q.per_channel() ? fmt::format("axis {}, scales {}, zero_points {}", q.axis, list_text(q.scales), list_text(q.zero_points))
                                     : fmt::format("scale {}, zero_point {}", number_text(q.scales[0]), q.zero_points[0]);
  if (q.low != -128 || q.high != 127) text += fmt::format(", low {}, high {}", q.low, q.high);
  return fmt::format(" quantized({})", text);
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') { result += "\\n"; continue; }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string print_origin(const Origin& origin) {
  std::string text;
  const auto field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, quoted(value));
  };
  field("file", origin.file);
  field("node", origin.node);
  field("target", origin.target);
  field("module", origin.module);
  field("module_type", origin.module_type);
  field("source", origin.source);
  return fmt::format(" at {{{}}}", text);
}

std::string print_origins(const std::vector<Origin>& origins) {
  std::string text;
  for (const auto& origin : origins) text += print_origin(origin);
  return text;
}

template <class T>
std::string elements_text(const Tensor& tensor) {
  std::vector<T> items(tensor.as<T>().begin(), tensor.as<T>().end());
  return list_text(items);
}

std::string inline_text(const Tensor& tensor) {
  switch (tensor.element) {
    case Element::F32: return elements_text<float>(tensor);
    case Element::I8: return elements_text<std::int8_t>(tensor);
    case Element::U8:
    case Element::Bool: return elements_text<std::uint8_t>(tensor);
    case Element::I16: return elements_text<std::int16_t>(tensor);
    case Element::I32: return elements_text<std::int32_t>(tensor);
    case Element::I64: return elements_text<std::int64_t>(tensor);
  }
  return {};
}

/// How an end lies, where that isn't the framework's order.
std::string print_order(const std::vector<std::vector<int>>& orders, std::size_t i) {
  return i < orders.size() && !orders[i].empty() ? " order " + list_text(orders[i]) : "";
}

std::string reference(const Graph& graph, ValueId id) { return id == no_value ? "_" : "%" + graph.value(id).name; }

void print_constant(const Value& value, std::size_t inline_limit, GraphText& out) {
  const auto& tensor = *value.constant;
  std::string data;
  if (static_cast<std::size_t>(tensor.elements()) <= inline_limit) {
    data = inline_text(tensor);
  } else {
    data = fmt::format("bytes {} {}", out.constants.size(), tensor.bytes.size());
    out.constants.insert(out.constants.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  out.text += fmt::format("constant %{}: {} = {}{}\n", value.name, print_type(value.type), data, print_origins(value.origins));
}

// ---- parsing --------------------------------------------------------------------------------------------------------

/// Reads one line from the left; the first mismatch is kept and everything after it does nothing.
class Line {
 public:
  Line(std::string_view text, const Origin& origin) : rest_(text), origin_(origin) {}

  bool starts_with(std::string_view word) const { return rest_.starts_with(word); }
  bool accept(std::string_view word) {
    if (!ok() || !rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (ok() && !accept(word)) fail(fmt::format("expected '{}', found '{}'", word, rest_.substr(0, 20)));
  }
  /// Letters, digits, '_' and '.'.
  std::string word() {
    std::size_t n = 0;
    while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_' || rest_[n] == '.' || rest_[n] == '-' || rest_[n] == '+')) ++n;
    if (ok() && n == 0) fail(fmt::format("expected a word, found '{}'", rest_.substr(0, 20)));
    return take(n);
  }
  template <class T>
  T number() {
    T value{};
    const auto text = word();
    if (ok() && !parse_number(text, value)) fail(fmt::format("'{}' is not a number", text));
    return value;
  }
  std::string bracketed() {
    const auto end = rest_.find(']');
    if (!rest_.starts_with('[') || end == std::string_view::npos) {
      fail("expected a list");
      return {};
    }
    return take(end + 1);
  }
  template <class T>
  std::vector<T> list() {
    auto items = parse_list<T>(bracketed());
    if (ok() && !items) fail("a list holds something that is not a number");
    return items.value_or(std::vector<T>{});
  }
  std::string quoted_text() {
    expect("\"");
    std::string text;
    while (ok()) {
      if (rest_.empty()) { fail("a quoted text does not end"); break; }
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') break;
      if (c != '\\') { text += c; continue; }
      if (rest_.empty()) continue;
      text += rest_.front() == 'n' ? '\n' : rest_.front();
      rest_.remove_prefix(1);
    }
    return text;
  }
  bool done() const { return rest_.empty() || !ok(); }
  void end() {
    if (ok() && !rest_.empty()) fail(fmt::format("nothing more expected, found '{}'", rest_.substr(0, 20)));
  }
  void fail(std::string message) {
    if (ok()) error_ = error(std::move(message), origin_);
  }
  bool ok() const { return !error_; }
  const Diagnostic& failure() const { return *error_; }

 private:
  std::string take(std::size_t n) {
    std::string text(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return text;
  }
  std::string_view rest_;
  Origin origin_;
  std::optional<Diagnostic> error_;
};

Quantization parse_quantization(Line& line) {
  Quantization q;
  if (line.accept("axis ")) {
    q.axis = line.number<int>();
    line.expect(", scales ");
    q.scales = line.list<float>();
    line.expect(", zero_points ");
    q.zero_points = line.list<std::int32_t>();
    if (q.scales.empty() || q.scales.size() != q.zero_points.size()) line.fail("scales and zero_points differ in count");
  } else {
    line.expect("scale ");
    q.scales = {line.number<float>()};
    line.expect(", zero_point ");
    q.zero_points = {line.number<std::int32_t>()};
  }
  if (line.accept(", low ")) {
    q.low = line.number<std::int32_t>();
    line.expect(", high ");
    q.high = line.number<std::int32_t>();
  }
  line.expect(")");
  return q;
}

Type parse_type(Line& line) {
  Type type;
  const auto name = line.word();
  const auto element = parse_element(name);
  if (!element) line.fail(fmt::format("unknown element '{}'", name));
  type.element = element.value_or(Element::F32);
  type.shape = line.list<std::int64_t>();
  std::int64_t count = 1;
  for (auto extent : type.shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > (std::int64_t{1} << 40)) {
      line.fail("shape is negative or too large");
      type.shape.clear();
      break;
    }
  if (line.accept(" quantized(")) type.quantization = parse_quantization(line);
  return type;
}

std::vector<Origin> parse_origins(Line& line) {
  std::vector<Origin> origins;
  while (line.accept(" at {")) {
    Origin origin;
    while (line.ok() && !line.accept("}")) {
      const auto field = line.word();
      line.expect(" ");
      const auto text = line.quoted_text();
      if (field == "file") origin.file = text;
      else if (field == "node") origin.node = text;
      else if (field == "target") origin.target = text;
      else if (field == "module") origin.module = text;
      else if (field == "source") origin.source = text;
      else if (field == "module_type") origin.module_type = text;
      else line.fail(fmt::format("unknown origin field '{}'", field));
      line.accept(", ");
    }
    origins.push_back(std::move(origin));
  }
  return origins;
}

template <class T>
Tensor inline_tensor(Line& line, const Type& type) {
  const auto items = line.list<T>();
  if (line.ok() && static_cast<std::int64_t>(items.size()) != element_count(type.shape)) line.fail("the list has another element count than the type");
  return line.ok() ? Tensor::of<T>(type.element, type.shape, items) : Tensor{};
}

Tensor parse_inline(Line& line, const Type& type) {
  switch (type.element) {
    case Element::F32: return inline_tensor<float>(line, type);
    case Element::I8: return inline_tensor<std::int8_t>(line, type);
    case Element::U8:
    case Element::Bool: return inline_tensor<std::uint8_t>(line, type);
    case Element::I16: return inline_tensor<std::int16_t>(line, type);
    case Element::I32: return inline_tensor<std::int32_t>(line, type);
    case Element::I64: return inline_tensor<std::int64_t>(line, type);
  }
  return {};
}

Tensor parse_data(Line& line, const Type& type, std::span<const std::byte> constants) {
  if (!line.accept("bytes ")) return parse_inline(line, type);
  const auto offset = line.number<std::uint64_t>();
  line.expect(" ");
  const auto size = line.number<std::uint64_t>();
  if (!line.ok()) return {};
  if (size != byte_size(type) || offset > constants.size() || size > constants.size() - offset) {
    line.fail("the constant lies outside the bytes beside the text, or has another size than its type");
    return {};
  }
  Tensor tensor(type.element, type.shape);
  std::memcpy(tensor.bytes.data(), constants.data() + offset, size);
  return tensor;
}

class Parser {
 public:
  Parser(std::span<const std::byte> constants, std::string file) : constants_(constants), file_(std::move(file)) {}

  Result<Graph> parse(std::string_view text) {
    int number = 0;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      ++number;
      Line line(text.substr(0, end), {file_, "", "", "", fmt::format("{}:{}", file_, number)});
      if (!line.done() && !line.starts_with("//")) parse_line(line);
      if (!line.ok()) return line.failure();
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (graph_.name.empty()) return error("expected a line 'graph NAME STAGE rounding MODE'", {file_, "", "", "", ""});
    return std::move(graph_);
  }

 private:
  void parse_line(Line& line) {
    if (graph_.name.empty()) return parse_head(line);
    if (line.accept("input ")) {
      graph_.inputs.push_back(parse_value(line));
      graph_.input_orders.push_back(parse_order(line));
    } else if (line.accept("output ")) {
      graph_.outputs.push_back(parse_reference(line));
      graph_.output_orders.push_back(parse_order(line));
    } else if (line.accept("constant ")) {
      parse_constant(line);
    } else {
      parse_node(line);
    }
    line.end();
  }

  static std::vector<int> parse_order(Line& line) { return line.accept(" order ") ? line.list<int>() : std::vector<int>{}; }

  void parse_head(Line& line) {
    line.expect("graph ");
    graph_.name = line.word();
    line.expect(" ");
    const auto stage = parse_stage(line.word());
    if (!stage) line.fail("unknown stage");
    graph_.stage = stage.value_or(Stage::Imported);
    line.expect(" rounding ");
    const auto rounding = line.word();
    if (rounding != "double" && rounding != "single") line.fail("rounding is neither double nor single");
    graph_.rounding = rounding == "single" ? Rounding::Single : Rounding::Double;
    line.end();
  }

  ValueId parse_value(Line& line) {
    line.expect("%");
    const auto name = line.word();
    line.expect(": ");
    auto type = parse_type(line);
    const auto id = static_cast<ValueId>(graph_.values.size());
    if (line.ok() && !ids_.emplace(name, id).second) line.fail(fmt::format("%{} is defined twice", name));
    graph_.values.push_back({name, std::move(type)});
    return id;
  }

  ValueId parse_reference(Line& line) {
    line.expect("%");
    const auto name = line.word();
    const auto found = ids_.find(name);
    if (found != ids_.end()) return found->second;
    line.fail(fmt::format("%{} is not defined yet", name));
    return no_value;
  }

  void parse_constant(Line& line) {
    const auto id = parse_value(line);
    line.expect(" = ");
    auto tensor = parse_data(line, graph_.type(id), constants_);
    graph_.value(id).constant = std::make_shared<const Tensor>(std::move(tensor));
    graph_.value(id).origins = parse_origins(line);
  }

  void parse_node(Line& line) {
    Node node;
    do node.outputs.push_back(parse_value(line));
    while (line.accept(", "));
    line.expect(" = ");
    const auto name = line.word();
    node.op = find_operator(name);
    if (line.ok() && !node.op) line.fail(fmt::format("unknown operator '{}'", name));
    line.expect("(");
    while (line.ok() && !line.accept(")")) {
      node.inputs.push_back(line.accept("_") ? no_value : parse_reference(line));
      line.accept(", ");
    }
    if (!line.ok()) return;
    node.parameters = parse_parameters(line, *node.op);
    line.expect(" as ");
    node.name = line.word();
    node.origins = parse_origins(line);
    graph_.nodes.push_back(std::move(node));
  }

  static ParametersPtr parse_parameters(Line& line, const Operator& op) {
    std::vector<std::pair<std::string, std::string>> fields;
    if (line.accept(" {"))
      while (line.ok() && !line.accept("}")) {
        auto name = line.word();
        line.expect(" ");
        fields.emplace_back(std::move(name), line.starts_with("[") ? line.bracketed() : line.word());
        line.accept(", ");
      }
    FieldReader reader(std::move(fields));
    auto result = op.parse_parameters(reader);
    if (const auto problem = reader.problem(); !problem.empty()) line.fail(problem);
    return result;
  }

  std::span<const std::byte> constants_;
  std::string file_;
  Graph graph_;
  std::map<std::string, ValueId, std::less<>> ids_;
};

bool same_values(const Graph& a, const Graph& b) {
  if (a.values.size() != b.values.size()) return false;
  std::map<std::string_view, const Value*> by_name;
  for (const auto& value : b.values) by_name[value.name] = &value;
  for (const auto& value : a.values) {
    const auto found = by_name.find(value.name);
    if (found == by_name.end()) return false;
    const auto& other = *found->second;
    if (!(value.type == other.type) || value.origins != other.origins || !value.constant != !other.constant) return false;
    if (value.constant && !(*value.constant == *other.constant)) return false;
  }
  return true;
}

}  // namespace

std::string print_type(const Type& type) {
  return fmt::format("{}{}{}", to_string(type.element), to_string(type.shape), type.quantization ? print_quantization(*type.quantization) : "");
}

std::string print_node(const Graph& graph, const Node& node) {
  std::vector<std::string> outputs, inputs;
  for (auto id : node.outputs) outputs.push_back(fmt::format("%{}: {}", graph.value(id).name, print_type(graph.type(id))));
  for (auto id : node.inputs) inputs.push_back(reference(graph, id));
  const auto fields = node.parameters->print();
  return fmt::format("{} = {}({}){} as {}{}", fmt::join(outputs, ", "), node.op->name(), fmt::join(inputs, ", "),
                     fields.empty() ? "" : " {" + fields + "}", node.name, print_origins(node.origins));
}

GraphText print(const Graph& graph, std::size_t inline_limit) {
  GraphText out;
  out.text = fmt::format("graph {} {} rounding {}\n", graph.name, to_string(graph.stage), graph.rounding == Rounding::Double ? "double" : "single");
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    out.text += fmt::format("input {}: {}{}\n", reference(graph, graph.inputs[i]), print_type(graph.type(graph.inputs[i])), print_order(graph.input_orders, i));
  for (const auto& value : graph.values)
    if (value.constant) print_constant(value, inline_limit, out);
  for (const auto& node : graph.nodes) out.text += print_node(graph, node) + "\n";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    out.text += fmt::format("output {}{}\n", reference(graph, graph.outputs[i]), print_order(graph.output_orders, i));
  return out;
}

Result<Graph> parse(std::string_view text, std::span<const std::byte> constants, const std::string& file) {
  return Parser(constants, file).parse(text);
}

bool operator==(const Graph& a, const Graph& b) {
  const auto lines = [](const Graph& graph) {
    std::string text = fmt::format("{} {} {}\n", graph.name, to_string(graph.stage), static_cast<int>(graph.rounding));
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) text += reference(graph, graph.inputs[i]) + print_order(graph.input_orders, i) + "\n";
    for (const auto& node : graph.nodes) text += print_node(graph, node) + "\n";
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) text += reference(graph, graph.outputs[i]) + print_order(graph.output_orders, i) + "\n";
    return text;
  };
  return lines(a) == lines(b) && same_values(a, b);
}

namespace {
Result<std::string> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return error("can't be read", {path, "", "", "", ""});
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
}  // namespace

Result<Graph> read_graph(const std::string& path) {
  CORTEN_TRY(const auto text, read_whole(path));
  const auto beside = read_whole(path + ".constants");
  const std::string constants = beside ? *beside : std::string();
  return parse(text, std::as_bytes(std::span(constants)), path);
}

Status write_graph(const Graph& graph, const std::string& path) {
  const auto out = print(graph);
  std::ofstream text(path, std::ios::binary), constants(path + ".constants", std::ios::binary);
  text << out.text;
  constants.write(reinterpret_cast<const char*>(out.constants.data()), static_cast<std::streamsize>(out.constants.size()));
  if (!text || !constants) return error("can't be written", {path, "", "", "", ""});
  return {};
}

}  // namespace corten
