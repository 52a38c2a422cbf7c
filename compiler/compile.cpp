// SPDX-License-Identifier: Apache-2.0
// The whole journey on one page.
#include "compiler/compile.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "compiler/frontends/pt2.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/ops/import.h"

namespace corten {
namespace {

namespace fs = std::filesystem;

Result<Graph> import_pt2(const std::string& path, const CompileOptions& options) {
  CORTEN_TRY(const auto source, read_pt2(path));
  if (options.warn && !source.warnings.empty()) options.warn(source.warnings);
  return import_graph(source, {.framework_layout = options.framework_layout});
}

Status clean_up(Graph& graph, const CompileOptions& options) { return run_passes(graph, passes().front().name, "merge_reshapes", options.watcher); }

Result<Graph> annotate(Graph graph, const CompileOptions& options) {
  if (options.calibrate.empty())
    return error("the model is in float and there are no samples to calibrate it with", {}, "give samples with --calibrate FILE");
  CORTEN_TRY(const auto samples, read_samples(graph, options.calibrate));
  auto quantize_options = options.quantize;
  quantize_options.warn = options.warn;
  return quantize(std::move(graph), samples, quantize_options);
}

Status to_integers(Graph& graph, const CompileOptions& options) {
  if (options.io == Io::Quantized) CORTEN_CHECK(run_passes(graph, "cut_ends", "cut_ends", options.watcher));
  return run_passes(graph, "lower", "lower", options.watcher);
}

}  // namespace

Result<Graph> load_model(const std::string& path, const CompileOptions& options) {
  const Origin file{path, "", "", "", ""};
  if (!fs::exists(path)) return error("there is no such file", file);
  const auto extension = fs::path(path).extension();
  if (extension != ".pt2" && extension != ".cir")
    return error(fmt::format("models of type '{}' can't be read", extension.string()), file, "give a .pt2 file (torch.export.save) or a .cir file (corten quantize)");
  CORTEN_TRY(auto graph, extension == ".cir" ? read_graph(path) : import_pt2(path, options));
  if (!options.name.empty()) graph.name = identifier(options.name);
  CORTEN_CHECK(verify(graph));
  return graph;
}

Result<Graph> bring_to_stage(Graph graph, Stage stage, const CompileOptions& options) {
  if (graph.stage < Stage::Annotated && stage >= Stage::Annotated) {
    CORTEN_CHECK(clean_up(graph, options));
    CORTEN_TRY(graph, annotate(std::move(graph), options));
    CORTEN_CHECK(verify(graph));
  }
  if (graph.stage < Stage::Folded && stage >= Stage::Folded) CORTEN_CHECK(run_passes(graph, "fold_quantization", "fold_quantization", options.watcher));
  if (graph.stage < Stage::Integer && stage >= Stage::Integer) {
    graph.rounding = options.rounding;
    CORTEN_CHECK(to_integers(graph, options));
  }
  return graph;
}

Result<Graph> graph_after_pass(const std::string& path, std::string_view last, const CompileOptions& options) {
  CORTEN_TRY(auto graph, load_model(path, options));
  const auto* folding = find_pass("fold_quantization");
  if (find_pass(last) < folding) {
    CORTEN_CHECK(run_passes(graph, passes().front().name, last, options.watcher));
    return graph;
  }
  CORTEN_TRY(auto annotated, bring_to_stage(std::move(graph), Stage::Annotated, options));
  CORTEN_CHECK(run_passes(annotated, folding->name, last, options.watcher));
  return annotated;
}

Result<Program> compile(const std::string& path, const Core& core, const CompileOptions& options) {
  CORTEN_TRY(auto graph, load_model(path, options));
  CORTEN_TRY(auto integer, bring_to_stage(std::move(graph), Stage::Integer, options));
  CORTEN_TRY(auto program, make_program(std::move(integer), core, options.plan));
  program.source = path;
  return program;
}

Status write_files(const Files& files, const std::string& folder) {
  const auto fail = [](const fs::path& path) { return error("can't be written", {path.string(), "", "", "", ""}); };
  std::error_code code;
  const fs::path whole(folder), partial(folder + ".partial");
  fs::remove_all(partial, code);
  for (const auto& [name, text] : files) {
    fs::create_directories((partial / name).parent_path(), code);
    std::ofstream file(partial / name, std::ios::binary);
    file << text;
    if (!file.flush()) {
      fs::remove_all(partial, code);
      return fail(whole / name);
    }
  }
  fs::create_directories(whole, code);
  for (const auto& [name, text] : files) {
    fs::create_directories((whole / name).parent_path(), code);
    fs::rename(partial / name, whole / name, code);
    if (code) {
      std::error_code ignored;
      fs::remove_all(partial, ignored);
      return fail(whole / name);
    }
  }
  fs::remove_all(partial, code);
  return {};
}

}  // namespace corten
