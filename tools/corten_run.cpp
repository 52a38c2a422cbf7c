// SPDX-License-Identifier: Apache-2.0
// corten run: the interpreter at any stage.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "compiler/formats/npy.h"
#include "compiler/interpret/interpret.h"
#include "tools/corten_arguments.h"

namespace corten::cli {
namespace {

void write_value(const std::string& folder, const std::string& name, const Tensor& tensor) {
  const auto bytes = write_npy(tensor);
  std::ofstream file(std::filesystem::path(folder) / (name + ".npy"), std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int run_command(const Arguments& arguments) {
  if (arguments.stage == "emitted") {
    auto emitted = arguments;
    emitted.core = "host";
    return simulate_command(emitted);
  }
  if (arguments.input.empty()) return fail({error("no input was given", {}, "give samples with --input FILE")}, arguments);
  CORTEN_OR_FAIL(auto options, arguments, compile_options(arguments));
  Progress calibrating("calibrating");
  options.quantize.progress = std::ref(calibrating);
  CORTEN_OR_FAIL(auto loaded, arguments, load_model(arguments.model, options));
  CORTEN_OR_FAIL(const auto graph, arguments, bring_to_stage(std::move(loaded), *parse_stage(arguments.stage), options));
  CORTEN_OR_FAIL(const auto samples, arguments, read_samples(graph, arguments.input));
  if (std::error_code code; !arguments.dump.empty() && (std::filesystem::create_directories(arguments.dump, code), code))
    return fail({error("can't be written", {arguments.dump, "", "", "", ""})}, arguments);
  std::vector<std::vector<Tensor>> outputs;
  Progress progress("running");
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const bool dump = s == 0 && !arguments.dump.empty();
    auto result = interpret(graph, samples[s], dump ? ValueWatcher([&](ValueId id, const Tensor& tensor) { write_value(arguments.dump, graph.value(id).name, tensor); }) : ValueWatcher{});
    if (!result) return fail(result.diagnostics(), arguments);
    outputs.push_back(std::move(*result));
    progress(s + 1, samples.size());
  }
  if (arguments.output.empty()) return 0;
  if (auto status = write_outputs(graph, outputs, arguments.output); !status) return fail(status.diagnostics(), arguments);
  return 0;
}

}  // namespace corten::cli
