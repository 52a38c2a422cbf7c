// SPDX-License-Identifier: Apache-2.0
// Options, diagnostics and progress of the command line.
#include "tools/corten_arguments.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/ir/text.h"

namespace corten::cli {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string place(const Origin& origin) {
  std::string text = origin.node;
  if (!origin.target.empty()) text += fmt::format("{}({})", text.empty() ? "" : " ", origin.target);
  if (!origin.module.empty()) text += fmt::format("{}module {}", text.empty() ? "" : ", ", origin.module);
  return text;
}

void print_text(const Diagnostic& diagnostic, const Arguments& arguments) {
  const auto file = diagnostic.origin.file.empty() ? std::filesystem::path(arguments.model).filename().string() : diagnostic.origin.file;
  fmt::print(stderr, "{}{}: {}\n", file.empty() ? "" : file + ": ", diagnostic.severity == Severity::Error ? "error" : "warning", diagnostic.message);
  if (const auto at = place(diagnostic.origin); !at.empty()) fmt::print(stderr, "  at {}\n", at);
  if (!diagnostic.origin.source.empty()) fmt::print(stderr, "  from {}\n", diagnostic.origin.source);
  if (!diagnostic.help.empty()) fmt::print(stderr, "  help: {}\n", diagnostic.help);
}

void print_json(const Diagnostics& diagnostics) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json(buffer);
  const auto field = [&](const char* key, const std::string& value) {
    json.Key(key);
    json.String(value.c_str(), static_cast<rapidjson::SizeType>(value.size()));
  };
  json.StartArray();
  for (const auto& diagnostic : diagnostics) {
    json.StartObject();
    field("severity", diagnostic.severity == Severity::Error ? "error" : "warning");
    field("message", diagnostic.message);
    field("file", diagnostic.origin.file);
    field("node", diagnostic.origin.node);
    field("target", diagnostic.origin.target);
    field("module", diagnostic.origin.module);
    field("source", diagnostic.origin.source);
    field("help", diagnostic.help);
    json.EndObject();
  }
  json.EndArray();
  fmt::print(stderr, "{}\n", buffer.GetString());
}

void print(const Diagnostics& diagnostics, const Arguments& arguments) {
  if (arguments.error_format == "json") return print_json(diagnostics);
  for (const auto& diagnostic : diagnostics) print_text(diagnostic, arguments);
}

}  // namespace

int fail(const Diagnostics& diagnostics, const Arguments& arguments) {
  print(diagnostics, arguments);
  return 1;
}

Progress::Progress(std::string what) : what_(std::move(what)), start_(seconds()) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::operator()(std::size_t done, std::size_t all) {
  if (!isatty(STDERR_FILENO) || seconds() - start_ < 1) return;
  shown_ = true;
  fmt::print(stderr, "\r{} {}/{}", what_, done, all);
}

Elapsed::Elapsed(std::string what) {
  if (!isatty(STDERR_FILENO)) return;
  thread_ = std::thread([this, what = std::move(what)] {
    std::unique_lock lock(mutex_);
    for (int second = 1; !finished_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }); ++second)
      fmt::print(stderr, "\r{}, {} s", what, second);
    fmt::print(stderr, "\r\033[K");
  });
}

Elapsed::~Elapsed() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  finished_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<CompileOptions> compile_options(const Arguments& arguments) {
  CompileOptions options;
  options.calibrate = arguments.calibrate;
  options.rounding = arguments.rounding == "single" ? Rounding::Single : Rounding::Double;
  options.io = arguments.io == "quantized" ? Io::Quantized : Io::Float;
  options.framework_layout = arguments.io_layout == "model";
  options.name = arguments.name;
  options.plan = {.keep_input = arguments.keep_input, .keep_intermediates = arguments.keep_intermediates};
  options.warn = [&arguments](const Diagnostics& diagnostics) { print(diagnostics, arguments); };
  options.quantize.allow_float = {arguments.allow_float.begin(), arguments.allow_float.end()};
  if (!arguments.quantize.empty()) {
    std::ifstream file(arguments.quantize);
    if (!file || std::filesystem::is_directory(arguments.quantize)) return error("can't be read", {arguments.quantize, "", "", "", ""});
    const std::string json(std::istreambuf_iterator<char>(file), {});
    CORTEN_TRY(options.quantize.config, read_quantizer_config(json, arguments.quantize));
  }
  if (!arguments.stop_after.empty() && !find_pass(arguments.stop_after))
    return error(fmt::format("no pass is called {}", arguments.stop_after), {}, "`corten_opt --list` lists them");
  if (arguments.print_changed)
    options.watcher = [before = std::string()](const Pass& pass, const Graph& graph) mutable {
      auto after = print(graph, 0).text;
      if (after != before) fmt::print(stderr, "// after {}\n{}", pass.name, after);
      before = std::move(after);
    };
  return options;
}

}  // namespace corten::cli
