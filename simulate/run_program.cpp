// SPDX-License-Identifier: Apache-2.0
// Emits into a temporary folder, builds, runs, and takes results apart.
#include "simulate/run_program.h"

#include <cstring>

#include "compiler/compile.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

/// A folder that is gone when this is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "corten-XXXXXX").string();
    if (mkdtemp(pattern.data())) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Tensor tensor_from(const Type& type, const std::byte* bytes) {
  Tensor tensor(type.element, type.shape);
  std::memcpy(tensor.bytes.data(), bytes, tensor.bytes.size());
  return tensor;
}

Result<Run> build_and_run(const Core& core, const SimulatedProgram& program, const std::filesystem::path& folder, const std::vector<Sample>& samples,
                          const BuildOptions& build_options, const SimulateOptions& options) {
  CORTEN_TRY(const auto elf, build(core, {program}, folder, build_options));
  CORTEN_TRY(auto runs, simulate(elf, {input_bytes(samples)}, options));
  return std::move(runs.front());
}

Result<Run> emit_and_run(const Program& program, const Core& core, const std::vector<Sample>& samples, const BuildOptions& build_options, const SimulateOptions& options) {
  const TemporaryFolder folder;
  const auto source = folder.path() / "program";
  CORTEN_CHECK(write_files(emit(program, true), source.string()));
  return build_and_run(core, describe(program, source), folder.path() / "build", samples, build_options, options);
}

}  // namespace

SimulatedProgram describe(const Program& program, const std::filesystem::path& folder) {
  SimulatedProgram described;
  described.name = program.graph.name;
  described.folder = folder;
  described.arena_bytes = static_cast<std::size_t>(program.plan.arena_bytes);
  for (const auto& end : program.inputs) described.inputs.push_back({end.accessor, byte_size(program.graph.type(end.value))});
  for (const auto& end : program.outputs) described.outputs.push_back({end.accessor, byte_size(program.graph.type(end.value))});
  for (const auto& node : program.graph.nodes)
    if (!node.op->alias()) described.layers.push_back("layers::" + node.name);
  return described;
}

std::vector<std::byte> input_bytes(const std::vector<Sample>& samples) {
  std::vector<std::byte> bytes;
  for (const auto& sample : samples)
    for (const auto& tensor : sample) bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

std::vector<std::vector<Tensor>> output_tensors(const Graph& graph, const Run& run) {
  std::vector<std::vector<Tensor>> inferences;
  for (std::size_t at = 0; at < run.outputs.size();) {
    auto& outputs = inferences.emplace_back();
    for (auto id : graph.outputs) {
      outputs.push_back(tensor_from(graph.type(id), run.outputs.data() + at));
      at += outputs.back().bytes.size();
    }
  }
  return inferences;
}

Tensor value_in_arena(const Program& program, const Run& run, ValueId id, std::size_t inference) {
  const auto at = inference * static_cast<std::size_t>(program.plan.arena_bytes) + static_cast<std::size_t>(program.plan.offset(id));
  return tensor_from(program.graph.type(id), run.arena.data() + at);
}

Result<Run> run_program(const Program& program, const std::vector<Sample>& samples, const BuildOptions& build_options, const SimulateOptions& options) {
  return emit_and_run(program, *program.core, samples, build_options, options);
}

Result<Run> run_on_host(const Program& program, const std::vector<Sample>& samples, BuildOptions build_options, const SimulateOptions& options) {
  build_options.host_kernels = program.core->isa;
  return emit_and_run(program, *find_core("host"), samples, build_options, options);
}

Result<Run> run_compiled(const CompiledProgram& compiled, const std::vector<Sample>& samples, const BuildOptions& build_options, const SimulateOptions& options) {
  const TemporaryFolder folder;
  return build_and_run(*compiled.core, compiled.program, folder.path(), samples, build_options, options);
}

}  // namespace corten
