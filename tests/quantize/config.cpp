// SPDX-License-Identifier: Apache-2.0
// Which setting applies to which node, and what is said about settings that are wrong.
#include "compiler/quantize/config.h"

#include <gtest/gtest.h>

namespace corten {
namespace {

const NodeKey linear{"linear_3", "aten.linear.default", "head.0.fc", "torch.nn.modules.linear.Linear"};
const NodeKey convolution{"conv2d", "aten.conv2d.default", "features.4.conv", "torch.nn.modules.conv.Conv2d"};
const NodeKey other{"linear", "aten.linear.default", "header", "my.package.Linear"};

QuantizerConfig read(std::string_view json) { return read_quantizer_config(json, "q.json").value(); }

std::string first_error(std::string_view json) {
  const auto result = read_quantizer_config(json, "q.json");
  if (result) return "no error";
  EXPECT_EQ(result.diagnostics()[0].origin.file, "q.json");
  const auto& [message, origin, help, severity] = result.diagnostics()[0];
  return help.empty() ? message : message + "; " + help;
}

TEST(QuantizerConfig, Defaults) {
  const QuantizerConfig config;
  EXPECT_EQ(config.config_for(convolution, true), INT8_PER_CHANNEL);
  EXPECT_EQ(config.config_for(linear, false), INT8_PER_TENSOR);
  EXPECT_EQ(config.activation_observer(), ObserverKind::Histogram);
  EXPECT_EQ(config.io(), IoConfig{});
}

TEST(QuantizerConfig, WeightGrid) {
  EXPECT_EQ(INT8_PER_TENSOR.weights.grid(), (Grid{Symmetry::Symmetric, -128, 127}));
  EXPECT_EQ((WeightConfig{.narrow = true}).grid(), (Grid{Symmetry::Symmetric, -127, 127}));
}

TEST(QuantizerConfig, LaterWins) {
  QuantizerConfig config;
  config.set_node_name("linear_3", INT8_PER_CHANNEL);
  config.set_global(INT8_PER_TENSOR);
  EXPECT_EQ(config.config_for(linear), INT8_PER_TENSOR);
  EXPECT_EQ(config.config_for(convolution, true), INT8_PER_TENSOR);
  config.set_module_name("head", std::nullopt);
  EXPECT_EQ(config.config_for(linear), std::nullopt);
  config.set_node_target("aten.linear", INT8_PER_CHANNEL);
  EXPECT_EQ(config.config_for(linear), INT8_PER_CHANNEL);
}

bool module_matches(const std::string& path, const NodeKey& node) {
  QuantizerConfig config;
  config.set_module_name(path, std::nullopt);
  return !config.config_for(node);
}

TEST(QuantizerConfig, ModulesByWholePathComponents) {
  EXPECT_TRUE(module_matches("head", linear));
  EXPECT_TRUE(module_matches("head.0", linear));
  EXPECT_TRUE(module_matches("head.0.fc", linear));
  EXPECT_FALSE(module_matches("head.0.f", linear));
  EXPECT_FALSE(module_matches("head", other));
  EXPECT_FALSE(module_matches("0.fc", linear));
  EXPECT_FALSE(module_matches("head.0.fc.weight", linear));
}

bool target_matches(const std::string& target, const NodeKey& node) {
  QuantizerConfig config;
  config.set_node_target(target, std::nullopt);
  return !config.config_for(node);
}

TEST(QuantizerConfig, TargetSpellings) {
  for (const char* target : {"aten.linear.default", "aten.linear", "torch.ops.aten.linear.default", "torch.ops.aten.linear"})
    EXPECT_TRUE(target_matches(target, linear)) << target;
  NodeKey full = linear;
  full.target = "torch.ops.aten.linear.default";
  EXPECT_TRUE(target_matches("aten.linear.default", full));
  EXPECT_FALSE(target_matches("aten.lin", linear));
  EXPECT_FALSE(target_matches("aten.linear.out", linear));
  EXPECT_FALSE(target_matches("aten.linear", convolution));
  EXPECT_TRUE(target_matches("FULLY_CONNECTED", {"dense", "FULLY_CONNECTED", "", ""}));
}

bool type_matches(const std::string& type, const NodeKey& node) {
  QuantizerConfig config;
  config.set_module_type(type, std::nullopt);
  return !config.config_for(node);
}

TEST(QuantizerConfig, ModuleTypes) {
  EXPECT_TRUE(type_matches("torch.nn.modules.linear.Linear", linear));
  EXPECT_TRUE(type_matches("torch.nn.Linear", linear));
  EXPECT_TRUE(type_matches("Linear", linear));
  EXPECT_TRUE(type_matches("Linear", other));
  EXPECT_FALSE(type_matches("torch.nn.Linear", other));
  EXPECT_FALSE(type_matches("other.package.Linear", other));
  EXPECT_FALSE(type_matches("torch.nn.Conv2d", linear));
}

TEST(QuantizerConfig, UnusedSettings) {
  QuantizerConfig config;
  config.set_global(INT8_PER_TENSOR);
  config.set_node_name("linear_2", INT8_PER_CHANNEL);
  config.set_module_name("head", INT8_PER_CHANNEL);
  config.set_module_type("torch.nn.GRU", std::nullopt);
  const auto warnings = config.unused({linear, convolution, other});
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].message, "set_node_name: no node has the name 'linear_2'");
  EXPECT_EQ(warnings[0].help, "did you mean 'linear_3'?");
  EXPECT_EQ(warnings[0].severity, Severity::Warning);
  EXPECT_EQ(warnings[1].message, "set_module_type: no node has the module type 'torch.nn.GRU'");
}

TEST(ReadQuantizerConfig, WholeSchema) {
  const auto config = read(R"([
    {"set_global": "INT8_PER_TENSOR"},
    {"set_module_name": "head", "config": "INT8_PER_CHANNEL"},
    {"set_node_target": "aten.linear.default", "config": "INT8_PER_CHANNEL_CONFIG"},
    {"set_node_name": "linear_3", "config": null},
    {"set_module_type": "torch.nn.Conv2d", "config": {"weights": "per_channel", "observer": "minmax", "narrow": true}},
    {"set_io": {"input": "int8", "output": "int16"}} ])");
  EXPECT_EQ(config.config_for(linear), std::nullopt);
  EXPECT_EQ(config.config_for(other), INT8_PER_CHANNEL);
  EXPECT_EQ(config.config_for(convolution), (QuantizationConfig{{true, ObserverKind::MinMax, true}}));
  EXPECT_EQ(config.config_for({"add", "aten.add.Tensor", "", ""}), INT8_PER_TENSOR);
  EXPECT_EQ(config.io(), (IoConfig{{{Element::I8}}, {{Element::I16}}}));
}

TEST(ReadQuantizerConfig, EmptyListChangesNothing) { EXPECT_EQ(read("[]").config_for(linear), INT8_PER_TENSOR); }

TEST(ReadQuantizerConfig, EndsWithGrids) {
  const auto config = read(R"([{"set_io": {"input": [{"element": "uint8", "scale": 0.5, "zero_point": 128}, "float32"]}},
                               {"set_io": {"output": {"element": "int8", "scale": 0.25}}}])");
  const IoConfig expected{{{Element::U8, per_tensor(0.5f, 128, 0, 255)}, {Element::F32}}, {{Element::I8, per_tensor(0.25f, 0)}}};
  EXPECT_EQ(config.io(), expected);
}

TEST(ReadQuantizerConfig, SyntaxErrorsNameTheLine) {
  EXPECT_EQ(first_error("[\n {\"set_global\": }\n]"), "line 2 is not JSON: Invalid value");
  EXPECT_EQ(first_error(""), "line 1 is not JSON: The document is empty");
  EXPECT_EQ(first_error("{}"), "settings are an object, expected a list of entries");
}

TEST(ReadQuantizerConfig, WrongEntries) {
  EXPECT_EQ(first_error("[7]"), "entry 1: entry is 7, expected an object with one set_* key");
  EXPECT_EQ(first_error(R"([{"set_global": null}, {}])"),
            "entry 2: no setting, expected one of set_global, set_node_target, set_node_name, set_module_name, set_module_type, "
            "set_io");
  EXPECT_EQ(first_error(R"([{"set_nod_name": "a", "config": null}])"),
            "entry 1: unknown setting \"set_nod_name\", expected set_global, set_node_target, set_node_name, set_module_name, "
            "set_module_type, set_io; did you mean \"set_node_name\"?");
  EXPECT_EQ(first_error(R"([{"set_node_name": "a", "set_module_name": "b", "config": null}])"),
            "entry 1: both set_node_name and set_module_name, expected one setting per entry");
  EXPECT_EQ(first_error(R"([{"set_node_name": "a", "confg": null}])"),
            "entry 1 (set_node_name): unknown key \"confg\", expected set_node_name, config; did you mean \"config\"?");
  EXPECT_EQ(first_error(R"([{"set_node_name": "a"}])"),
            "entry 1 (set_node_name): no \"config\", expected a preset, an object, or null to leave it in float");
  EXPECT_EQ(first_error(R"([{"set_node_name": 3, "config": null}])"), "entry 1 (set_node_name): set_node_name is 3, expected a name");
  EXPECT_EQ(first_error(R"([{"set_global": "INT8_PER_TENSOR", "config": null}])"),
            "entry 1 (set_global): unknown key \"config\", expected set_global");
}

TEST(ReadQuantizerConfig, WrongConfigs) {
  EXPECT_EQ(first_error(R"([{"set_global": "INT8_PER_CHANEL"}])"),
            "entry 1 (set_global): unknown preset \"INT8_PER_CHANEL\", expected INT8_PER_TENSOR, INT8_PER_CHANNEL; did you mean "
            "\"INT8_PER_CHANNEL\"?");
  EXPECT_EQ(first_error(R"([{"set_global": true}])"),
            "entry 1 (set_global): config is true, expected a preset, an object, or null to leave it in float");
  EXPECT_EQ(first_error(R"([{"set_global": {"wieghts": "per_tensor"}}])"),
            "entry 1 (set_global): unknown key \"wieghts\", expected weights, observer, narrow; did you mean \"weights\"?");
  EXPECT_EQ(first_error(R"([{"set_global": {"narrow": true}}])"),
            "entry 1 (set_global): no \"weights\" in the config, expected \"per_tensor\" or \"per_channel\"");
  EXPECT_EQ(first_error(R"([{"set_global": {"weights": "per_row"}}])"),
            "entry 1 (set_global): unknown granularity of weights \"per_row\", expected per_tensor, per_channel");
  EXPECT_EQ(first_error(R"([{"set_global": {"weights": "per_tensor", "observer": "histogram"}}])"),
            "entry 1 (set_global): observer is \"histogram\", expected \"minmax\", the only one for weights");
  EXPECT_EQ(first_error(R"([{"set_global": {"weights": "per_tensor", "narrow": 1}}])"),
            "entry 1 (set_global): narrow is 1, expected true or false");
}

TEST(ReadQuantizerConfig, WrongEnds) {
  EXPECT_EQ(first_error(R"([{"set_io": "int8"}])"), "entry 1 (set_io): set_io is \"int8\", expected an object with input, output or both");
  EXPECT_EQ(first_error(R"([{"set_io": {"inputs": "int8"}}])"),
            "entry 1 (set_io): unknown key \"inputs\", expected input, output; did you mean \"input\"?");
  EXPECT_EQ(first_error(R"([{"set_io": {"input": "int9"}}])"),
            "entry 1 (set_io): unknown element type \"int9\", expected int8, uint8, int16, int32, float32; did you mean \"int8\"?");
  EXPECT_EQ(first_error(R"([{"set_io": {"input": 8}}])"),
            "entry 1 (set_io): input is 8, expected an element type (int8, uint8, int16, int32, float32)");
  EXPECT_EQ(first_error(R"([{"set_io": {"input": {"element": "int8", "scale": 0}}}])"),
            "entry 1 (set_io): scale of input is 0, expected a number above 0");
  EXPECT_EQ(first_error(R"([{"set_io": {"input": ["int8", {"element": "int8", "scale": 1, "zero_point": 128}]}}])"),
            "entry 1 (set_io): zero point of input[1] is 128, expected an integer in [-128, 127]");
  EXPECT_EQ(first_error(R"([{"set_io": {"input": {"element": "int8", "zero_point": 1}}}])"),
            "entry 1 (set_io): input has a zero point without a scale");
  EXPECT_EQ(first_error(R"([{"set_io": {"input": {"element": "float32", "scale": 1}}}])"),
            "entry 1 (set_io): input is float32, expected no scale or zero point");
}

TEST(ReadQuantizerConfig, CollectsAnErrorPerEntry) {
  const auto result = read_quantizer_config(R"([{"set_global": 1}, {"set_global": null}, 3])", "q.json");
  ASSERT_FALSE(result);
  ASSERT_EQ(result.diagnostics().size(), 2u);
  EXPECT_TRUE(result.diagnostics()[1].message.starts_with("entry 3"));
}

}  // namespace
}  // namespace corten
