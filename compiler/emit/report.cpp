// SPDX-License-Identifier: Apache-2.0
// NAME.json: what is known of a program before it runs.
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "compiler/emit/emit.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

using Json = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void text(Json& json, const char* key, std::string_view value) {
  json.Key(key);
  json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void number(Json& json, const char* key, std::int64_t value) {
  json.Key(key);
  json.Int64(value);
}

/// Bytes of the arena in use while node n runs.
std::int64_t live_bytes(const Plan& plan, std::size_t n) {
  std::int64_t sum = 0;
  for (const auto& buffer : plan.buffers)
    if (buffer.first <= static_cast<int>(n) && static_cast<int>(n) <= buffer.last) sum += buffer.bytes;
  return sum;
}

template <class T>
void write_list(Json& json, const char* key, const std::vector<T>& items) {
  json.Key(key);
  json.StartArray();
  for (auto item : items) json.Int64(item);
  json.EndArray();
}

void write_layer(const Program& program, std::size_t n, Json& json) {
  const auto& node = program.graph.nodes[n];
  const auto& layer = program.layers[n];
  json.StartObject();
  text(json, "name", node.name);
  text(json, "operator", node.op->name());
  text(json, "kernel", layer.calls.empty() ? "" : layer.calls.front().kernel);
  number(json, "macs", layer.macs);
  number(json, "arena_bytes", live_bytes(program.plan, n));
  text(json, "origin", leading_origin(node).source);
  json.EndObject();
}

/// Name, type and place of each end, so that a compiled program can be run without its model.
void write_ends(const Program& program, const char* key, const std::vector<ProgramEnd>& ends, const std::vector<std::vector<int>>& orders, Json& json) {
  json.Key(key);
  json.StartArray();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& type = program.graph.type(ends[i].value);
    json.StartObject();
    text(json, "name", ends[i].name);
    text(json, "accessor", ends[i].accessor);
    text(json, "element", to_string(type.element));
    write_list(json, "shape", type.shape);
    write_list(json, "order", orders[i]);
    if (type.quantization) {
      json.Key("scale");
      json.Double(type.quantization->scale());
      number(json, "zero_point", type.quantization->zero_point());
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string emit_report(const Program& program) {
  rapidjson::StringBuffer buffer;
  Json json(buffer);
  json.SetIndent(' ', 2);
  json.StartObject();
  text(json, "model", program.graph.name);
  text(json, "core", program.core->name);
  text(json, "rounding", program.graph.rounding == Rounding::Double ? "double" : "single");
  number(json, "macs", program.macs);
  json.Key("flash");
  json.StartObject();
  number(json, "constant_bytes", constant_bytes(program));
  json.EndObject();
  json.Key("ram");
  json.StartObject();
  number(json, "arena_bytes", program.plan.arena_bytes);
  number(json, "arena_lower_bound_bytes", program.plan.lower_bound_bytes);
  number(json, "state_bytes", 0);
  json.EndObject();
  write_ends(program, "inputs", program.inputs, program.graph.input_orders, json);
  write_ends(program, "outputs", program.outputs, program.graph.output_orders, json);
  json.Key("layers");
  json.StartArray();
  for (std::size_t n = 0; n < program.graph.nodes.size(); ++n)
    if (!program.graph.nodes[n].op->alias()) write_layer(program, n, json);
  json.EndArray();
  json.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace corten
