// SPDX-License-Identifier: Apache-2.0
// Runs named passes on the text of a graph.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/pass.h"

namespace {

int fail(const corten::Diagnostics& diagnostics) {
  for (const auto& diagnostic : diagnostics)
    fmt::print(stderr, "{}{}error: {}\n", diagnostic.origin.source, diagnostic.origin.source.empty() ? "" : ": ", diagnostic.message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs passes on a graph's text and prints the result.", "corten_opt");
  std::string file = "-";
  std::vector<std::string> names;
  bool list = false;
  app.add_option("file", file, "a .cir file, or - for standard input");
  app.add_option("--pass", names, "pass to run (repeatable, in order)");
  app.add_flag("--list", list, "list the passes");
  CLI11_PARSE(app, argc, argv);
  if (list) {
    for (const auto& pass : corten::passes()) fmt::print("{:<20} {}\n", pass.name, pass.summary);
    return 0;
  }
  const std::string text = file == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : std::string();
  auto graph = file == "-" ? corten::parse(text, {}, "standard input") : corten::read_graph(file);
  if (!graph) return fail(graph.diagnostics());
  for (const auto& name : names) {
    const auto* pass = corten::find_pass(name);
    if (!pass) return fail({corten::error("no pass is called " + name)});
    if (auto status = pass->run(*graph); !status) return fail(status.diagnostics());
    if (auto status = corten::verify(*graph); !status) return fail(status.diagnostics());
  }
  fmt::print("{}", corten::print(*graph, static_cast<std::size_t>(-1)).text);
  return 0;
}
