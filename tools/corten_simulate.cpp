// SPDX-License-Identifier: Apache-2.0
// corten simulate and verify: programs on simulated cores.
#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <filesystem>
#include <fstream>

#include "compiler/formats/npy.h"
#include "compiler/interpret/interpret.h"
#include "simulate/board.h"
#include "simulate/run_program.h"
#include "tools/corten_arguments.h"

namespace corten::cli {
namespace {

Result<std::vector<Sample>> samples_for(const Graph& graph, const Arguments& arguments) {
  if (!arguments.input.empty()) return read_samples(graph, arguments.input);
  if (arguments.random > 0) return random_samples(graph, static_cast<std::size_t>(arguments.random), arguments.seed);
  return error("no input was given", {}, "give samples with --input FILE or --random N");
}

void add_measured(rapidjson::Document& report, const Run& run) {
  if (run.instructions.empty()) return;  // this machine measures nothing
  auto& memory = report.GetAllocator();
  report["flash"].AddMember("code_bytes", static_cast<std::int64_t>(run.code_bytes), memory);
  report["flash"]["constant_bytes"].SetInt64(static_cast<std::int64_t>(run.constant_bytes));
  report["ram"].AddMember("stack_bytes", static_cast<std::int64_t>(run.stack_bytes), memory);
  rapidjson::Value instructions(rapidjson::kObjectType), each(rapidjson::kArrayType);
  for (auto count : run.instructions) each.PushBack(static_cast<std::uint64_t>(count), memory);
  instructions.AddMember("per_inference", each, memory);
  instructions.AddMember("start_up", 0, memory);
  report.AddMember("instructions", instructions, memory);
  if (!run.cycles_modelled.empty()) report.AddMember("cycles_modelled", static_cast<std::uint64_t>(run.cycles_modelled.front()), memory);
  for (rapidjson::SizeType i = 0; i < report["layers"].Size() && i < run.layers.size(); ++i) {
    report["layers"][i].AddMember("instructions", static_cast<std::uint64_t>(run.layers[i].instructions), memory);
    report["layers"][i].AddMember("cycles_modelled", static_cast<std::uint64_t>(run.layers[i].cycles_modelled), memory);
  }
}

Status write_report(const std::string& compiled, const Run& run, const std::string& path) {
  rapidjson::Document report;
  report.Parse(compiled.c_str());
  add_measured(report, run);
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  report.Accept(writer);
  std::ofstream file(path);
  file << buffer.GetString() << "\n";
  if (!file) return error("can't be written", {path, "", "", "", ""});
  return {};
}

/// Every value of the first inference, named as in the graph.
Status dump_values(const Program& program, const Run& run, const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  for (std::size_t v = 0; v < program.graph.values.size(); ++v) {
    if (program.plan.buffer_of_value[v] < 0) continue;
    const auto bytes = write_npy(value_in_arena(program, run, static_cast<ValueId>(v)));
    std::ofstream file(std::filesystem::path(folder) / (program.graph.values[v].name + ".npy"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) return error("can't be written", {folder, "", "", "", ""});
  }
  return {};
}

void print_summary(const SimulatedProgram& program, const Core& core, std::size_t inferences, const Run& run) {
  fmt::print("{} on {}: {} inference{}\n", program.name, core.name, inferences, inferences == 1 ? "" : "s");
  if (!run.instructions.empty()) fmt::print("  instructions  {}\n", run.instructions.front());
  if (!run.cycles_modelled.empty()) fmt::print("  cycles        {} (modelled)\n", run.cycles_modelled.front());
  if (!run.instructions.empty()) fmt::print("  flash         {} code + {} constants\n", run.code_bytes, run.constant_bytes);
  fmt::print("  arena         {}\n", program.arena_bytes);
  if (!run.instructions.empty()) fmt::print("  stack         {}\n", run.stack_bytes);
}

/// Runs `f`, showing that it goes on.
template <class F>
auto watched(const Core& core, F&& f) {
  const Elapsed elapsed(fmt::format("simulating on {}", core.name));
  return f();
}

/// The files and lines that a run leaves.
int deliver(const SimulatedProgram& program, const Core& core, const Graph& graph, const std::string& report, const Run& run, const Arguments& arguments) {
  const auto outputs = output_tensors(graph, run);
  if (!arguments.json.empty())
    if (auto status = write_report(report, run, arguments.json); !status) return fail(status.diagnostics(), arguments);
  if (!arguments.output.empty())
    if (auto status = write_outputs(graph, outputs, arguments.output); !status) return fail(status.diagnostics(), arguments);
  print_summary(program, core, outputs.size(), run);
  return 0;
}

int simulate_folder(const Arguments& arguments) {
  CORTEN_OR_FAIL(const auto compiled, arguments, read_compiled(arguments.model));
  CORTEN_OR_FAIL(const auto samples, arguments, samples_for(compiled.ends, arguments));
  CORTEN_OR_FAIL(const auto run, arguments, watched(*compiled.core, [&] { return run_compiled(compiled, samples); }));
  return deliver(compiled.program, *compiled.core, compiled.ends, compiled.report, run, arguments);
}

Result<CompileOptions> options_with_progress(const Arguments& arguments, Progress& progress) {
  CORTEN_TRY(auto options, compile_options(arguments));
  options.quantize.progress = std::ref(progress);
  if (!arguments.dump.empty()) options.plan.keep_intermediates = true;
  return options;
}

// ---- verify ---------------------------------------------------------------------------------------------------------

struct Expected {
  std::vector<Sample> samples;
  std::vector<std::vector<Tensor>> outputs;
};

/// Where two tensors of one type differ first; −1 if they don't.
std::int64_t first_difference(const Tensor& a, const Tensor& b) {
  const auto each = element_bytes(a.element);
  for (std::size_t i = 0; i < a.bytes.size(); ++i)
    if (a.bytes[i] != b.bytes[i]) return static_cast<std::int64_t>(i / each);
  return -1;
}

/// Runs once more with every value kept, and says which layer differs first.
std::string first_differing_layer(const Graph& graph, const Core& core, const Sample& sample) {
  auto program = make_program(graph, core, {.keep_intermediates = true});
  if (!program) return "";
  const auto run = run_program(*program, {sample}, {}, {.dump_arena = true});
  if (!run) return "";
  std::vector<Tensor> values(program->graph.values.size());
  if (!interpret(program->graph, sample, [&](ValueId id, const Tensor& tensor) { values[static_cast<std::size_t>(id)] = tensor; })) return "";
  for (const auto& node : program->graph.nodes)
    for (auto id : node.outputs) {
      const auto found = value_in_arena(*program, *run, id);
      if (const auto at = first_difference(values[static_cast<std::size_t>(id)], found); at >= 0)
        return fmt::format("layer {} differs first, at element {} of {}", node.name, at, to_string(program->graph.type(id).shape));
    }
  return "no layer differs when every value is kept: the memory plan is at fault";
}

/// Inferences of the run that differ from what is expected.
std::size_t count_differences(const Program& program, const Run& run, const Expected& expected, std::size_t& first) {
  const auto found = output_tensors(program.graph, run);
  std::size_t count = 0;
  for (std::size_t s = 0; s < expected.outputs.size(); ++s)
    if (s >= found.size() || found[s] != expected.outputs[s]) {
      if (count++ == 0) first = s;
    }
  return count;
}

enum class Outcome { Equal, Different, Failed };

Outcome verify_core(const Graph& graph, const Core& core, const Expected& expected, const Arguments& arguments, const PlanOptions& plan_options) {
  const auto program = make_program(graph, core, plan_options);
  if (!program) return fail(program.diagnostics(), arguments), Outcome::Failed;
  const auto run = watched(core, [&] { return run_program(*program, expected.samples); });
  if (!run && arguments.core == "all" && does_not_fit(run.diagnostics())) {
    fmt::print("{:<16} skipped: the program does not fit its memory\n", core.name);
    return Outcome::Equal;
  }
  if (!run) return fail(run.diagnostics(), arguments), Outcome::Failed;
  std::size_t first = 0;
  const auto different = count_differences(*program, *run, expected, first);
  if (different == 0) {
    fmt::print("{:<16} {} of {} inferences equal in every byte\n", core.name, expected.outputs.size(), expected.outputs.size());
    return Outcome::Equal;
  }
  fmt::print("{:<16} {} of {} inferences differ; in number {} {}\n", core.name, different, expected.outputs.size(), first, first_differing_layer(graph, core, expected.samples[first]));
  return Outcome::Different;
}

std::vector<const Core*> cores_to_verify(const std::string& name) {
  if (name == "all") return simulated_cores();
  return {find_core(name)};
}

}  // namespace

int simulate_command(const Arguments& arguments) {
  if (std::filesystem::is_directory(arguments.model)) return simulate_folder(arguments);
  Progress progress("calibrating");
  CORTEN_OR_FAIL(const auto options, arguments, options_with_progress(arguments, progress));
  CORTEN_OR_FAIL(const auto program, arguments, compile(arguments.model, *find_core(arguments.core), options));
  CORTEN_OR_FAIL(const auto samples, arguments, samples_for(program.graph, arguments));
  CORTEN_OR_FAIL(const auto run, arguments, watched(*program.core, [&] { return run_program(program, samples, {}, {.dump_arena = !arguments.dump.empty()}); }));
  if (!arguments.dump.empty())
    if (auto status = dump_values(program, run, arguments.dump); !status) return fail(status.diagnostics(), arguments);
  return deliver(describe(program, {}), *program.core, program.graph, emit_report(program), run, arguments);
}

int verify_command(const Arguments& arguments) {
  Progress progress("calibrating");
  CORTEN_OR_FAIL(const auto options, arguments, options_with_progress(arguments, progress));
  CORTEN_OR_FAIL(auto loaded, arguments, load_model(arguments.model, options));
  CORTEN_OR_FAIL(const auto graph, arguments, bring_to_stage(std::move(loaded), Stage::Integer, options));
  Expected expected;
  CORTEN_OR_FAIL(expected.samples, arguments, samples_for(graph, arguments));
  for (const auto& sample : expected.samples) {
    CORTEN_OR_FAIL(auto outputs, arguments, interpret(graph, sample));
    expected.outputs.push_back(std::move(outputs));
  }
  bool different = false, failed = false;
  for (const auto* core : cores_to_verify(arguments.core)) {
    const auto outcome = verify_core(graph, *core, expected, arguments, options.plan);
    different = different || outcome == Outcome::Different;
    failed = failed || outcome == Outcome::Failed;
  }
  return different ? 3 : failed ? 1 : 0;
}

}  // namespace corten::cli
