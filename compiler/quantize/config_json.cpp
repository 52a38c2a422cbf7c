// SPDX-License-Identifier: Apache-2.0
// Reads the quantizer's settings from JSON and says precisely what is wrong with them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include "compiler/formats/json.h"
#include "compiler/quantize/config.h"
#include "compiler/quantize/nearest.h"

namespace corten {
namespace {

using Json = rapidjson::Value;
using Words = std::span<const std::string_view>;

std::string_view text(const Json& json) { return {json.GetString(), json.GetStringLength()}; }

/// What `json` is, as a reader of the file would call it.
std::string describe(const Json& json) {
  if (json.IsString()) return fmt::format("\"{}\"", text(json));
  if (json.IsNull()) return "null";
  if (json.IsBool()) return json.GetBool() ? "true" : "false";
  if (json.IsNumber()) return fmt::format("{}", json.GetDouble());
  return json.IsArray() ? "a list" : "an object";
}

const Json* field(const Json& object, std::string_view name) {
  const auto member = object.FindMember(Json(rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size()))));
  return member == object.MemberEnd() ? nullptr : &member->value;
}

struct NamedElement {
  std::string_view name;
  Element element;
};
constexpr std::array named_elements = {NamedElement{"int8", Element::I8}, NamedElement{"uint8", Element::U8},
                                       NamedElement{"int16", Element::I16}, NamedElement{"int32", Element::I32},
                                       NamedElement{"float32", Element::F32}};
constexpr std::array<std::string_view, 6> setting_names = {"set_global",      "set_node_target", "set_node_name",
                                                           "set_module_name", "set_module_type", "set_io"};

std::string_view setting_name(std::size_t i) { return setting_names[i]; }

/// The reader of one entry of the list; `where` names it in messages.
class Entry {
 public:
  Entry(const Json& json, std::string where, const std::string& file) : json_(json), where_(std::move(where)), file_(file) {}

  Status apply_to(QuantizerConfig& config) {
    if (!json_.IsObject()) return wrong("entry", json_, "an object with one set_* key");
    std::vector<std::string_view> present;
    for (const auto name : setting_names)
      if (field(json_, name)) present.push_back(name);
    if (present.empty()) return missing_setting();
    if (present.size() > 1) return problem(fmt::format("both {} and {}, expected one setting per entry", present[0], present[1]));
    where_ += fmt::format(" ({})", present[0]);
    const Json& value = *field(json_, present[0]);
    if (present[0] == setting_name(5)) return apply_io(value, config);
    if (present[0] == setting_name(0)) return apply_global(value, config);
    return apply_named(present[0], value, config);
  }

 private:
  Diagnostic problem(std::string message, std::string help = {}) const {
    return error(fmt::format("{}: {}", where_, message), {.file = file_, .node = {}, .target = {}, .module = {}, .source = {}},
                 std::move(help));
  }

  Diagnostic wrong(std::string_view what, const Json& found, std::string_view expected) const {
    return problem(fmt::format("{} is {}, expected {}", what, describe(found), expected));
  }

  static std::string suggestion(std::string_view word, Words known) {
    const auto near = nearest(word, known);
    return near.empty() ? "" : fmt::format("did you mean \"{}\"?", near);
  }

  Diagnostic unknown(std::string_view what, std::string_view word, Words known) const {
    return problem(fmt::format("unknown {} \"{}\", expected {}", what, word, fmt::join(known, ", ")), suggestion(word, known));
  }

  Diagnostic missing_setting() const {
    for (const auto& member : json_.GetObject())
      if (text(member.name) != "config") return unknown("setting", text(member.name), setting_names);
    return problem(fmt::format("no setting, expected one of {}", fmt::join(setting_names, ", ")));
  }

  Status check_keys(const Json& object, Words known) const {
    for (const auto& member : object.GetObject())
      if (std::find(known.begin(), known.end(), text(member.name)) == known.end())
        return unknown("key", text(member.name), known);
    return {};
  }

  Status apply_global(const Json& value, QuantizerConfig& config) const {
    constexpr std::array known = {setting_names[0]};
    CORTEN_CHECK(check_keys(json_, known));
    CORTEN_TRY(const auto setting, read_setting(value));
    config.set_global(setting);
    return {};
  }

  Status apply_named(std::string_view name, const Json& value, QuantizerConfig& config) const {
    const std::array<std::string_view, 2> known = {name, "config"};
    CORTEN_CHECK(check_keys(json_, known));
    if (!value.IsString() || value.GetStringLength() == 0) return wrong(name, value, "a name");
    const Json* chosen = field(json_, "config");
    if (!chosen) return problem("no \"config\", expected a preset, an object, or null to leave it in float");
    CORTEN_TRY(const auto setting, read_setting(*chosen));
    const std::string what(text(value));
    if (name == setting_name(1)) config.set_node_target(what, setting);
    if (name == setting_name(2)) config.set_node_name(what, setting);
    if (name == setting_name(3)) config.set_module_name(what, setting);
    if (name == setting_name(4)) config.set_module_type(what, setting);
    return {};
  }

  Result<QuantizerConfig::Setting> read_setting(const Json& json) const {
    constexpr std::array<std::string_view, 4> presets = {"INT8_PER_TENSOR", "INT8_PER_CHANNEL", "INT8_PER_TENSOR_CONFIG",
                                                         "INT8_PER_CHANNEL_CONFIG"};
    if (json.IsNull()) return QuantizerConfig::Setting{};
    if (json.IsObject()) return read_weights(json);
    if (!json.IsString()) return wrong("config", json, "a preset, an object, or null to leave it in float");
    const auto preset = std::find(presets.begin(), presets.end(), text(json));
    if (preset == presets.end()) return unknown("preset", text(json), Words(presets).first(2));
    return QuantizerConfig::Setting((preset - presets.begin()) % 2 ? INT8_PER_CHANNEL : INT8_PER_TENSOR);
  }

  Result<QuantizerConfig::Setting> read_weights(const Json& json) const {
    constexpr std::array<std::string_view, 3> known = {"weights", "observer", "narrow"};
    constexpr std::array<std::string_view, 2> granularities = {"per_tensor", "per_channel"};
    CORTEN_CHECK(check_keys(json, known));
    QuantizationConfig config;
    if (const Json* weights = field(json, "weights")) {
      if (!weights->IsString()) return wrong("weights", *weights, "\"per_tensor\" or \"per_channel\"");
      const auto found = std::find(granularities.begin(), granularities.end(), text(*weights));
      if (found == granularities.end()) return unknown("granularity of weights", text(*weights), granularities);
      config.weights.per_channel = *found == granularities[1];
    } else {
      return problem("no \"weights\" in the config, expected \"per_tensor\" or \"per_channel\"");
    }
    if (const Json* observer = field(json, "observer"); observer && !(observer->IsString() && text(*observer) == "minmax"))
      return wrong("observer", *observer, "\"minmax\", the only one for weights");
    if (const Json* narrow = field(json, "narrow")) {
      if (!narrow->IsBool()) return wrong("narrow", *narrow, "true or false");
      config.weights.narrow = narrow->GetBool();
    }
    return QuantizerConfig::Setting(config);
  }

  Status apply_io(const Json& value, QuantizerConfig& config) const {
    constexpr std::array known = {setting_names[5]};
    constexpr std::array<std::string_view, 2> ends = {"input", "output"};
    CORTEN_CHECK(check_keys(json_, known));
    if (!value.IsObject()) return wrong("set_io", value, "an object with input, output or both");
    CORTEN_CHECK(check_keys(value, ends));
    IoConfig io = config.io();
    if (const Json* input = field(value, ends[0])) {
      CORTEN_TRY(io.inputs, read_ends(*input, ends[0]));
    }
    if (const Json* output = field(value, ends[1])) {
      CORTEN_TRY(io.outputs, read_ends(*output, ends[1]));
    }
    config.set_io(io);
    return {};
  }

  Result<std::vector<EndConfig>> read_ends(const Json& json, std::string_view what) const {
    std::vector<EndConfig> ends;
    if (!json.IsArray()) {
      CORTEN_TRY(const auto end, read_end(json, what));
      return std::vector{end};
    }
    for (const auto& one : json.GetArray()) {
      CORTEN_TRY(const auto end, read_end(one, fmt::format("{}[{}]", what, ends.size())));
      ends.push_back(end);
    }
    return ends;
  }

  Result<EndConfig> read_end(const Json& json, std::string_view what) const {
    constexpr std::array<std::string_view, 3> known = {"element", "scale", "zero_point"};
    if (!json.IsObject()) {
      CORTEN_TRY(const Element element, read_element(json, what));
      return EndConfig{element};
    }
    CORTEN_CHECK(check_keys(json, known));
    const Json* element_name = field(json, known[0]);
    if (!element_name) return problem(fmt::format("no \"element\" in {}", what));
    CORTEN_TRY(const Element element, read_element(*element_name, what));
    CORTEN_TRY(const auto quantization, read_grid(json, element, what));
    return EndConfig{element, quantization};
  }

  Result<Element> read_element(const Json& json, std::string_view what) const {
    std::vector<std::string_view> names;
    for (const auto& [name, element] : named_elements) names.push_back(name);
    if (!json.IsString()) return wrong(what, json, fmt::format("an element type ({})", fmt::join(names, ", ")));
    for (const auto& [name, element] : named_elements)
      if (name == text(json)) return element;
    return unknown("element type", text(json), names);
  }

  Result<std::optional<Quantization>> read_grid(const Json& json, Element element, std::string_view what) const {
    const Json* scale = field(json, "scale");
    const Json* zero_point = field(json, "zero_point");
    if (!scale && !zero_point) return std::optional<Quantization>{};
    if (element == Element::F32) return problem(fmt::format("{} is float32, expected no scale or zero point", what));
    if (!scale) return problem(fmt::format("{} has a zero point without a scale", what));
    const float value = scale->IsNumber() ? static_cast<float>(scale->GetDouble()) : 0.0f;
    if (!(value > 0) || !std::isfinite(value)) return wrong(fmt::format("scale of {}", what), *scale, "a number above 0");
    const auto [low, high] = range_of(element);
    if (zero_point && (!zero_point->IsInt() || zero_point->GetInt() < low || zero_point->GetInt() > high))
      return wrong(fmt::format("zero point of {}", what), *zero_point, fmt::format("an integer in [{}, {}]", low, high));
    return std::optional(per_tensor(value, zero_point ? zero_point->GetInt() : 0, low, high));
  }

  static std::pair<std::int32_t, std::int32_t> range_of(Element element) {
    switch (element) {
      case Element::I8: return {-128, 127};
      case Element::U8: return {0, 255};
      case Element::I16: return {-32768, 32767};
      default: return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    }
  }

  const Json& json_;
  std::string where_;
  const std::string& file_;
};

Diagnostic syntax_error(const rapidjson::Document& document, std::string_view json, const std::string& file) {
  const auto before = json.substr(0, document.GetErrorOffset());
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  Diagnostic diagnostic = error(fmt::format("line {} is not JSON: {}", line, rapidjson::GetParseError_En(document.GetParseError())));
  if (diagnostic.message.ends_with('.')) diagnostic.message.pop_back();
  diagnostic.origin.file = file;
  return diagnostic;
}

}  // namespace

Result<QuantizerConfig> read_quantizer_config(std::string_view json, const std::string& file) {
  if (corten::json::has_overlong_number(json)) return error("a number has more than 128 characters", {file, "", "", "", ""});
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(json.data(), json.size());
  if (document.HasParseError()) return syntax_error(document, json, file);
  if (!document.IsArray()) {
    Diagnostic diagnostic = error(fmt::format("settings are {}, expected a list of entries", describe(document)));
    diagnostic.origin.file = file;
    return diagnostic;
  }
  QuantizerConfig config;
  Diagnostics diagnostics;
  for (rapidjson::SizeType i = 0; i < document.Size() && diagnostics.size() < max_diagnostics; ++i) {
    const Status status = Entry(document[i], fmt::format("entry {}", i + 1), file).apply_to(config);
    if (!status.ok()) diagnostics.push_back(status.diagnostics().front());
  }
  if (!diagnostics.empty()) return diagnostics;
  return config;
}

}  // namespace corten
