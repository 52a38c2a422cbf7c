// SPDX-License-Identifier: Apache-2.0
// Reads back what `corten compile` wrote about a program.
#include <fmt/format.h>
#include <rapidjson/document.h>

#include <fstream>
#include <iterator>

#include "simulate/run_program.h"

namespace corten {
namespace {

namespace fs = std::filesystem;

Diagnostic not_ours(const fs::path& path) {
  return error("is no report of a compiled program", {path.string(), "", "", "", ""}, "give the folder that `corten compile -o` wrote");
}

/// The one .json of the folder.
Result<fs::path> find_report(const fs::path& folder) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure))
    if (entry.path().extension() == ".json") return entry.path();
  return error("holds no compiled program", {folder.string(), "", "", "", ""}, "give the folder that `corten compile -o` wrote");
}

template <class T>
std::vector<T> list(const rapidjson::Value& json) {
  std::vector<T> items;
  if (json.IsArray())
    for (const auto& item : json.GetArray()) items.push_back(static_cast<T>(item.IsInt64() ? item.GetInt64() : 0));
  return items;
}

bool read_ends(const rapidjson::Value& json, std::vector<End>& ends, std::vector<ValueId>& ids, std::vector<std::vector<int>>& orders, Graph& graph) {
  if (!json.IsArray()) return false;
  for (const auto& end : json.GetArray()) {
    for (const char* key : {"name", "accessor", "element", "shape", "order"})
      if (!end.IsObject() || !end.HasMember(key)) return false;
    const auto element = parse_element(end["element"].GetString());
    if (!element) return false;
    Type type{*element, list<std::int64_t>(end["shape"]), {}};
    if (end.HasMember("scale")) type.quantization = per_tensor(static_cast<float>(end["scale"].GetDouble()), end["zero_point"].GetInt());
    ends.push_back({end["accessor"].GetString(), byte_size(type)});
    ids.push_back(static_cast<ValueId>(graph.values.size()));
    orders.push_back(list<int>(end["order"]));
    graph.values.push_back({end["name"].GetString(), std::move(type)});
  }
  return true;
}

}  // namespace

Result<CompiledProgram> read_compiled(const fs::path& folder) {
  CORTEN_TRY(const auto path, find_report(folder));
  std::ifstream file(path);
  CompiledProgram compiled;
  compiled.report.assign(std::istreambuf_iterator<char>(file), {});
  rapidjson::Document json;
  json.Parse(compiled.report.c_str());
  if (json.HasParseError() || !json.IsObject()) return not_ours(path);
  for (const char* key : {"model", "core", "ram", "inputs", "outputs", "layers"})
    if (!json.HasMember(key)) return not_ours(path);
  compiled.core = find_core(json["core"].GetString());
  compiled.ends.name = compiled.program.name = json["model"].GetString();
  compiled.program.folder = folder;
  compiled.program.arena_bytes = json["ram"]["arena_bytes"].GetUint64();
  auto& ends = compiled.ends;
  if (!compiled.core || !read_ends(json["inputs"], compiled.program.inputs, ends.inputs, ends.input_orders, ends)) return not_ours(path);
  if (!read_ends(json["outputs"], compiled.program.outputs, ends.outputs, ends.output_orders, ends)) return not_ours(path);
  for (const auto& layer : json["layers"].GetArray()) compiled.program.layers.push_back(std::string("layers::") + layer["name"].GetString());
  return compiled;
}

}  // namespace corten
