// SPDX-License-Identifier: Apache-2.0
// The command line: commands, options and help.
#include <CLI/CLI.hpp>

#include "tools/corten_arguments.h"

namespace {

using corten::cli::Arguments;

const std::vector<std::string> cores = [] {
  std::vector<std::string> names;
  for (const auto& core : corten::cores()) names.emplace_back(core.name);
  return names;
}();

void add_model(CLI::App* command, Arguments& a, const std::string& what = ".pt2 or .cir file") { command->add_option("model", a.model, what)->required()->type_name("MODEL"); }

void add_errors(CLI::App* command, Arguments& a) {
  command->add_option("--error-format", a.error_format, "how diagnostics are written")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
}

void add_core(CLI::App* command, Arguments& a, bool all) {
  auto names = cores;
  if (all) names.push_back("all");
  command->add_option("--core", a.core, "processor")->check(CLI::IsMember(names))->capture_default_str();
}

/// Options that decide what the integer graph means.
void add_meaning(CLI::App* command, Arguments& a) {
  command->add_option("--calibrate", a.calibrate, "samples for a float model: .npy, .npz (first axis = samples) or a folder")->type_name("F");
  command->add_option("--quantize", a.quantize, "quantizer configuration")->type_name("F.json");
  command->add_option("--rounding", a.rounding, "requantization")->check(CLI::IsMember({"double", "single"}))->capture_default_str();
  command->add_option("--io", a.io, "elements at the ends")->check(CLI::IsMember({"quantized", "float", "model"}))->capture_default_str();
  command->add_option("--io-layout", a.io_layout, "layout at the ends")->check(CLI::IsMember({"nhwc", "model"}))->capture_default_str();
  command->add_option("--allow-float", a.allow_float, "node that may stay in float (repeatable)")->type_name("NAME");
  command->add_option("--name", a.name, "namespace, prefix and stem of the program (default: the file's stem)")->type_name("N");
  command->add_flag("--print-changed", a.print_changed, "print the graph after each pass that changed it");
  add_errors(command, a);
}

/// Options that decide how it is laid out.
void add_layout(CLI::App* command, Arguments& a) {
  command->add_flag("--keep-input", a.keep_input, "the input buffer stays whole after run");
  command->add_flag("--keep-intermediates", a.keep_intermediates, "every value stays in the arena after run");
  command->add_flag("--no-fuse", a.no_fuse, "layer by layer (this version never does otherwise)");
  command->add_flag("--no-shrink", a.no_shrink, "leave dead channels in (this version never removes them)");
  command->add_flag("--no-runtime", a.no_runtime, "leave the runtime headers out");
}

void add_files(CLI::App* command, Arguments& a) {
  command->add_option("--input", a.input, ".npy, .npz or raw bytes; several inputs: comma-separated")->type_name("F");
  command->add_option("--output", a.output, ".npy or raw bytes; several outputs: comma-separated")->type_name("F");
}

using Command = int (*)(const Arguments&);

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& help, Command function, Command& chosen) {
  auto* command = app.add_subcommand(name, help);
  command->callback([function, &chosen] { chosen = function; });
  return command;
}

void add_commands(CLI::App& app, Arguments& a, Command& chosen) {
  using namespace corten::cli;
  auto* compile = add_command(app, "compile", "emit a program", compile_command, chosen);
  add_model(compile, a), add_core(compile, a, false), add_meaning(compile, a), add_layout(compile, a);
  auto* folder = compile->add_option("-o,--out", a.output, "folder for the program")->type_name("DIR");
  compile->add_option("--stop-after", a.stop_after, "print the graph after this pass and stop")->type_name("PASS");
  compile->callback([&chosen, &a, folder] {
    if (folder->empty() && a.stop_after.empty()) throw CLI::RequiredError("--out");
    chosen = compile_command;
  });

  auto* simulate = add_command(app, "simulate", "compile, build and run on a simulated core", simulate_command, chosen);
  add_model(simulate, a, ".pt2 or .cir file, or the folder of a compiled program"), add_core(simulate, a, false), add_meaning(simulate, a), add_layout(simulate, a), add_files(simulate, a);
  simulate->add_option("--random", a.random, "inferences on random inputs instead of --input")->type_name("N");
  simulate->add_option("--json", a.json, "write the report with what was measured")->type_name("F");
  simulate->add_option("--dump", a.dump, "write every value of the first inference (implies --keep-intermediates)")->type_name("DIR");

  auto* run = add_command(app, "run", "run on this machine, at any stage", run_command, chosen);
  add_model(run, a), add_meaning(run, a), add_files(run, a);
  run->add_option("--stage", a.stage, "stage to run at")->check(CLI::IsMember({"imported", "annotated", "folded", "integer", "emitted"}))->capture_default_str();
  run->add_option("--dump", a.dump, "write every value of the first inference")->type_name("DIR");

  auto* verify = add_command(app, "verify", "compare simulated cores with the integer interpreter, bit for bit", verify_command, chosen);
  add_model(verify, a), add_core(verify, a, true), add_meaning(verify, a), add_layout(verify, a);
  verify->add_option("--input", a.input, "inputs to compare on")->type_name("F");
  verify->add_option("--random", a.random, "compare on N random inputs")->type_name("N");
  verify->add_option("--seed", a.seed, "of the random inputs")->capture_default_str();

  auto* quantize = add_command(app, "quantize", "float graph to quantized graph", quantize_command, chosen);
  add_model(quantize, a), add_meaning(quantize, a);
  quantize->add_option("-o,--out", a.output, "quantized graph")->required()->type_name("OUT.cir");

  auto* inspect = add_command(app, "inspect", "the graph as text", inspect_command, chosen);
  add_model(inspect, a), add_core(inspect, a, false), add_meaning(inspect, a);
  inspect->add_option("--stage", a.stage, "stage to show")->check(CLI::IsMember({"imported", "annotated", "folded", "integer"}))->capture_default_str();
  inspect->add_flag("--table", a.table, "one line per layer of the program");

  auto* trace = add_command(app, "trace", "how one parameter travels to the emitted code", trace_command, chosen);
  add_model(trace, a), add_core(trace, a, false), add_meaning(trace, a);
  trace->add_option("parameter", a.parameter, "as the model names it: features.4.conv.weight")->required()->type_name("NAME");

  add_command(app, "ops", "operators, their spellings and limits", ops_command, chosen);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Corten: trained networks as integer programs for Arm Cortex-M, proven bit for bit.", "corten");
  app.require_subcommand(1);
  Arguments arguments;
  Command chosen = nullptr;
  add_commands(app, arguments, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return chosen(arguments);
}
