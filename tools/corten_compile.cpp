// SPDX-License-Identifier: Apache-2.0
// corten compile, quantize, inspect, ops.
#include <fmt/format.h>

#include "compiler/ir/text.h"
#include "compiler/ops/operator.h"
#include "tools/corten_arguments.h"

namespace corten::cli {
namespace {

void print_table(const Program& program) {
  fmt::print("{:<24} {:<38} {:<18} {:>10} {:>8}\n", "layer", "operator", "output", "MACs", "arena");
  for (std::size_t n = 0; n < program.graph.nodes.size(); ++n) {
    const auto& node = program.graph.nodes[n];
    if (node.op->alias()) continue;
    fmt::print("{:<24} {:<38} {:<18} {:>10} {:>8}\n", node.name, node.op->name(), to_string(program.graph.type(node.outputs[0]).shape), program.layers[n].macs,
               program.plan.offset(node.outputs[0]));
  }
  fmt::print("{} MACs, {} constant bytes, arena {} bytes (lower bound {})\n", program.macs, constant_bytes(program), program.plan.arena_bytes, program.plan.lower_bound_bytes);
}

}  // namespace

int compile_command(const Arguments& arguments) {
  CORTEN_OR_FAIL(auto options, arguments, compile_options(arguments));
  Progress progress("calibrating");
  options.quantize.progress = std::ref(progress);
  if (!arguments.stop_after.empty()) {
    CORTEN_OR_FAIL(const auto graph, arguments, graph_after_pass(arguments.model, arguments.stop_after, options));
    fmt::print("{}", print(graph).text);
    return 0;
  }
  CORTEN_OR_FAIL(const auto program, arguments, compile(arguments.model, *find_core(arguments.core), options));
  if (auto status = write_files(emit(program, !arguments.no_runtime), arguments.output); !status) return fail(status.diagnostics(), arguments);
  return 0;
}

int quantize_command(const Arguments& arguments) {
  CORTEN_OR_FAIL(auto options, arguments, compile_options(arguments));
  Progress progress("calibrating");
  options.quantize.progress = std::ref(progress);
  CORTEN_OR_FAIL(auto graph, arguments, load_model(arguments.model, options));
  CORTEN_OR_FAIL(auto quantized, arguments, bring_to_stage(std::move(graph), Stage::Annotated, options));
  if (auto status = write_graph(quantized, arguments.output); !status) return fail(status.diagnostics(), arguments);
  return 0;
}

int inspect_command(const Arguments& arguments) {
  CORTEN_OR_FAIL(auto options, arguments, compile_options(arguments));
  Progress progress("calibrating");
  options.quantize.progress = std::ref(progress);
  if (arguments.table) {
    CORTEN_OR_FAIL(const auto program, arguments, compile(arguments.model, *find_core(arguments.core), options));
    print_table(program);
    return 0;
  }
  CORTEN_OR_FAIL(auto graph, arguments, load_model(arguments.model, options));
  CORTEN_OR_FAIL(const auto shown, arguments, bring_to_stage(std::move(graph), *parse_stage(arguments.stage), options));
  fmt::print("{}", print(shown).text);
  return 0;
}

int ops_command(const Arguments&) {
  for (const auto* op : operators()) {
    if (op->spellings().empty()) continue;
    fmt::print("{}({})\n", op->name(), op->inputs());
    for (const auto& spelling : op->spellings()) fmt::print("    {}\n", spelling.target);
    if (!op->limits().empty()) fmt::print("    limits: {}\n", op->limits());
  }
  return 0;
}

}  // namespace corten::cli
