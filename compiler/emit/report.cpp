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
  json.Key("layers");
  json.StartArray();
  for (std::size_t n = 0; n < program.graph.nodes.size(); ++n)
    if (!program.graph.nodes[n].op->alias()) write_layer(program, n, json);
  json.EndArray();
  json.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace corten
