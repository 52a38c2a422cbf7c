// SPDX-License-Identifier: Apache-2.0
// From the bytes of a .pt2 file to a source graph.
#include "compiler/frontends/pt2.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unordered_set>

#include "compiler/frontends/functionalize.h"
#include "compiler/frontends/pt2_archive.h"
#include "compiler/frontends/pt2_inference_only.h"
#include "compiler/frontends/pt2_program.h"
#include "compiler/frontends/pt2_scope.h"

namespace corten {
namespace {

using namespace pt2;

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;

Result<std::vector<std::byte>> read_file(const std::string& path, const Origin& origin) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(path, failure);
  if (failure) return error(fmt::format("can't read the file ({})", failure.message()), origin);
  if (size > most_file_bytes) return error(fmt::format("found a file of {} bytes, expected at most {}", size, most_file_bytes), origin);
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file) return error("can't read the file", origin);
  return bytes;
}

Result<Program> program_of(const Archive& archive, const Origin& origin) {
  CORTEN_TRY(const auto document, archive.program());
  return read_program(document.root(), origin);
}

std::unordered_set<std::string> values_read(const Program& program) {
  std::unordered_set<std::string> names(program.outputs.begin(), program.outputs.end());
  for (const auto& node : program.nodes)
    for (const auto& [name, argument] : node.arguments) {
      if (const auto* one = std::get_if<SourceRef>(&argument)) names.insert(one->name);
      if (const auto* several = std::get_if<std::vector<SourceRef>>(&argument))
        for (const auto& one : *several) names.insert(one.name);
    }
  return names;
}

Result<std::vector<SourceValue>> describe_values(const Program& program) {
  std::vector<SourceValue> values;
  Diagnostics problems;
  for (const auto& node : program.nodes)
    for (const auto& output : node.outputs) {
      const auto found = program.facts.find(output);
      if (output.empty() || found == program.facts.end() || !found->second.scalar) continue;
      const auto& facts = found->second;
      if (facts.problem.empty()) values.push_back({output, *facts.scalar->element, facts.shape});
      else if (problems.size() < max_diagnostics) problems.push_back(error(fmt::format("value '{}' {}", shown(output), facts.problem), node.origin));
    }
  if (!problems.empty()) return problems;
  return values;
}

Status check_described(const StateInput& state, const ValueFacts& facts, const Tensor& tensor) {
  if (!facts.problem.empty() || !facts.scalar) return {};
  if (facts.shape == tensor.shape && facts.scalar->element == tensor.element) return {};
  return error(fmt::format("'{}' is {} {} in the archive, but the graph expects {} {}", shown(state.request.name), to_string(tensor.element),
                           to_string(tensor.shape), to_string(*facts.scalar->element), to_string(facts.shape)),
               state.request.origin);
}

Result<std::vector<SourceConstant>> load_constants(const Archive& archive, const Program& program) {
  const auto read = values_read(program);
  std::vector<ConstantRequest> requests;
  std::vector<const StateInput*> states;
  for (const auto& state : program.state) {
    if (!read.contains(state.value)) continue;
    requests.push_back(state.request);
    states.push_back(&state);
  }
  CORTEN_TRY(auto tensors, archive.load(requests));
  std::vector<SourceConstant> constants;
  for (std::size_t i = 0; i < states.size(); ++i) {
    CORTEN_CHECK(check_described(*states[i], program.facts.at(states[i]->value), tensors[i]));
    constants.push_back({states[i]->value, std::move(tensors[i]), states[i]->request.origin});
  }
  return constants;
}

}  // namespace

Result<SourceGraph> read_pt2(std::span<const std::byte> bytes, const std::string& name) {
  Origin origin;
  origin.file = name;
  CORTEN_TRY(const auto archive, Archive::open(bytes, origin));
  CORTEN_TRY(auto program, program_of(archive, origin));
  CORTEN_CHECK(functionalize(program));
  remove_dead_nodes(program);
  CORTEN_CHECK(check_inference_only(program));
  if (program.outputs.empty()) return error("found a model without outputs", origin);
  SourceGraph graph;
  graph.name = std::filesystem::path(name).stem().string();
  CORTEN_TRY(graph.values, describe_values(program));
  CORTEN_TRY(graph.constants, load_constants(archive, program));
  graph.inputs = std::move(program.inputs);
  graph.nodes = std::move(program.nodes);
  graph.outputs = std::move(program.outputs);
  graph.warnings = std::move(program.warnings);
  return graph;
}

Result<SourceGraph> read_pt2(const std::string& path) {
  Origin origin;
  origin.file = path;
  CORTEN_TRY(const auto bytes, read_file(path, origin));
  return read_pt2(bytes, path);
}

}  // namespace corten
