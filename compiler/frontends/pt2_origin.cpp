// SPDX-License-Identifier: Apache-2.0
// Reading of nn_module_stack and stack_trace.
#include "compiler/frontends/pt2_origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace corten::pt2 {
namespace {

constexpr std::size_t most_code_bytes = 160;

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// getattr(L['self'].features, '4').conv → L['self'].features.4.conv, innermost call first.
std::string without_getattr(std::string path) {
  constexpr std::string_view call = "getattr(";
  for (int i = 0; i < 32; ++i) {
    const auto start = path.rfind(call);
    if (start == std::string::npos) break;
    const auto comma = path.find(',', start);
    const auto open = comma == std::string::npos ? comma : path.find_first_of("'\"", comma);
    const auto close = open == std::string::npos ? open : path.find(')', open);
    if (close == std::string::npos || close < open + 2) break;
    const auto object = path.substr(start + call.size(), comma - start - call.size());
    const auto attribute = path.substr(open + 1, close - open - 2);
    path = path.substr(0, start) + object + "." + attribute + path.substr(close + 1);
  }
  return path;
}

// [4], ['name'] and ["name"] become .4 and .name.
std::string dotted(std::string_view path) {
  std::string result;
  for (const char c : path) {
    if (c == '[') result += '.';
    else if (c != ']' && c != '\'' && c != '"') result += c;
  }
  return result;
}

std::string without_root(std::string path) {
  if (path.starts_with("L.")) {
    const auto dot = path.find('.', 2);
    return dot == std::string::npos ? "" : path.substr(dot + 1);
  }
  if (path == "self") return "";
  return path.starts_with("self.") ? path.substr(5) : path;
}

std::string without_modules_dictionaries(std::string path) {
  for (const std::string_view part : {"._modules.", "_modules."})
    for (auto at = path.find(part); at != std::string::npos; at = path.find(part)) path.replace(at, part.size(), part.front() == '.' ? "." : "");
  return path;
}

std::string readable(std::string_view path) {
  // A module called twice carries the call's number.
  const auto call_number = path.rfind('@');
  if (call_number != std::string_view::npos) path = path.substr(0, call_number);
  return without_modules_dictionaries(without_root(dotted(without_getattr(std::string(path)))));
}

struct Frame {
  std::string_view file;
  std::string_view line;
  std::string_view function;
  std::string_view code;
};

std::string_view next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

// File "net.py", line 57, in forward
std::optional<Frame> parse_frame(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("File \"")) return std::nullopt;
  line.remove_prefix(6);
  const auto quote = line.find('"');
  const auto number = line.find(", line ", quote == std::string_view::npos ? 0 : quote);
  if (quote == std::string_view::npos || number == std::string_view::npos) return std::nullopt;
  const auto rest = line.substr(number + 7);
  const auto comma = rest.find(',');
  const auto in = rest.find("in ");
  return Frame{line.substr(0, quote), rest.substr(0, comma), in == std::string_view::npos ? "" : trim(rest.substr(in + 3)), ""};
}

// Generated code ("<eval_with_key>.0") isn't the user's either.
bool inside_torch(std::string_view file) {
  if (file.starts_with('<')) return true;
  std::string path;
  for (const char c : file)
    if (const char slashed = c == '\\' ? '/' : c; slashed != '/' || path.empty() || path.back() != '/') path += slashed;
  for (const std::string_view folder : {"-packages/torch/", "-packages/torchao/"})
    if (path.find(folder) != std::string::npos) return true;
  return false;
}

std::string formatted(const Frame& frame) {
  const auto slash = frame.file.find_last_of("/\\");
  const auto file = slash == std::string_view::npos ? frame.file : frame.file.substr(slash + 1);
  return fmt::format("{}:{} in {}: {}", file, frame.line, frame.function, frame.code.substr(0, most_code_bytes));
}

}  // namespace

std::string module_path(std::string_view nn_module_stack) {
  const auto last = nn_module_stack.substr(nn_module_stack.rfind(';') + 1);
  const auto first_comma = last.find(',');
  const auto last_comma = last.rfind(',');
  if (first_comma == std::string_view::npos || last_comma <= first_comma) return {};
  return readable(last.substr(first_comma + 1, last_comma - first_comma - 1));
}

std::string module_type(std::string_view nn_module_stack) {
  const auto comma = nn_module_stack.rfind(',');
  return comma == std::string_view::npos ? std::string() : std::string(trim(nn_module_stack.substr(comma + 1)));
}

std::string source_line(std::string_view stack_trace) {
  std::optional<Frame> innermost;
  std::optional<Frame> innermost_outside_torch;
  while (!stack_trace.empty()) {
    auto frame = parse_frame(next_line(stack_trace));
    if (!frame) continue;
    auto rest = stack_trace;
    const auto code = next_line(rest);
    if (!parse_frame(code)) frame->code = trim(code);
    innermost = frame;
    if (!inside_torch(frame->file)) innermost_outside_torch = frame;
  }
  if (innermost_outside_torch) return formatted(*innermost_outside_torch);
  return innermost ? formatted(*innermost) : std::string();
}

}  // namespace corten::pt2
