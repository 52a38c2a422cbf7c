// SPDX-License-Identifier: Apache-2.0
// Instructions per multiply-accumulate of single layers, against what CMSIS-NN executes on the same layer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "compiler/ir/text.h"
#include "simulate/run_program.h"

namespace corten {
namespace {

/// Shapes are NHWC and, for weights, as the operator has them; CMSIS-NN's instructions per MAC were measured in QEMU on
/// its kernels called directly (GCC 12.2, -O3).
struct LayerCase {
  std::string_view name, op;
  Shape x, w, y;
  std::array<int, 2> stride;
  std::array<int, 4> padding;
  double cmsis_m4, cmsis_m55;
};

const LayerCase layer_cases[] = {
    {"fully connected 640 to 128", "quantized_linear", {1, 640}, {128, 640}, {1, 128}, {}, {}, 1.95, 0.49},
    {"fully connected per channel 640 to 128", "quantized_linear_per_channel", {1, 640}, {128, 640}, {1, 128}, {}, {}, 1.97, 0.50},
    {"fully connected 64 to 12", "quantized_linear", {1, 64}, {12, 64}, {1, 12}, {}, {}, 2.83, 0.87},
    {"1x1 48x48 8 to 16", "quantized_conv2d", {1, 48, 48, 8}, {16, 1, 1, 8}, {1, 48, 48, 16}, {1, 1}, {}, 6.63, 2.18},
    {"1x1 24x24 32 to 32", "quantized_conv2d", {1, 24, 24, 32}, {32, 1, 1, 32}, {1, 24, 24, 32}, {1, 1}, {}, 2.69, 0.62},
    {"1x1 12x12 64 to 64", "quantized_conv2d", {1, 12, 12, 64}, {64, 1, 1, 64}, {1, 12, 12, 64}, {1, 1}, {}, 2.08, 0.39},
    {"1x1 6x6 128 to 128", "quantized_conv2d", {1, 6, 6, 128}, {128, 1, 1, 128}, {1, 6, 6, 128}, {1, 1}, {}, 1.83, 0.28},
    {"1x1 25x5 64 to 64", "quantized_conv2d", {1, 25, 5, 64}, {64, 1, 1, 64}, {1, 25, 5, 64}, {1, 1}, {}, 2.09, 0.40},
    {"1x1 stride 2 32x32 16 to 32", "quantized_conv2d", {1, 32, 32, 16}, {32, 1, 1, 16}, {1, 16, 16, 32}, {2, 2}, {}, 4.29, 1.08},
    {"3x3 32x32 3 to 16", "quantized_conv2d", {1, 32, 32, 3}, {16, 3, 3, 3}, {1, 32, 32, 16}, {1, 1}, {1, 1, 1, 1}, 4.82, 1.36},
    {"3x3 32x32 16 to 16", "quantized_conv2d", {1, 32, 32, 16}, {16, 3, 3, 16}, {1, 32, 32, 16}, {1, 1}, {1, 1, 1, 1}, 2.33, 0.39},
    {"3x3 8x8 64 to 64", "quantized_conv2d", {1, 8, 8, 64}, {64, 3, 3, 64}, {1, 8, 8, 64}, {1, 1}, {1, 1, 1, 1}, 1.76, 0.21},
    {"3x3 stride 2 96x96 3 to 8", "quantized_conv2d", {1, 96, 96, 3}, {8, 3, 3, 3}, {1, 48, 48, 8}, {2, 2}, {0, 0, 1, 1}, 6.15, 1.99},
    {"10x4 stride 2 49x10 1 to 64", "quantized_conv2d", {1, 49, 10, 1}, {64, 10, 4, 1}, {1, 25, 5, 64}, {2, 2}, {4, 1, 5, 1}, 3.47, 0.90},
    {"depthwise 3x3 48x48x8", "quantized_depthwise_conv2d", {1, 48, 48, 8}, {1, 3, 3, 8}, {1, 48, 48, 8}, {1, 1}, {1, 1, 1, 1}, 9.95, 5.21},
    {"depthwise 3x3 24x24x32", "quantized_depthwise_conv2d", {1, 24, 24, 32}, {1, 3, 3, 32}, {1, 24, 24, 32}, {1, 1}, {1, 1, 1, 1}, 8.87, 2.69},
    {"depthwise 3x3 6x6x128", "quantized_depthwise_conv2d", {1, 6, 6, 128}, {1, 3, 3, 128}, {1, 6, 6, 128}, {1, 1}, {1, 1, 1, 1}, 8.08, 2.32},
    {"depthwise 10x1 24x1x128", "quantized_depthwise_conv2d", {1, 24, 1, 128}, {1, 10, 1, 128}, {1, 15, 1, 128}, {1, 1}, {}, 12.30, 2.86},
};

bool is_linear(const LayerCase& layer) { return layer.w.size() == 2; }
std::int64_t outputs(const LayerCase& layer) { return layer.y.back(); }

/// Random weights, biases of zero, a right shift as trained layers have it.
std::vector<std::byte> constants(const LayerCase& layer) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(static_cast<std::size_t>(element_count(layer.w)));
  for (auto& byte : bytes) byte = static_cast<std::byte>(random() % 255 - 127);
  for (std::int32_t value : {0, 0x60000000, -9}) {
    std::vector<std::int32_t> channels(static_cast<std::size_t>(outputs(layer)), value);
    const auto* raw = reinterpret_cast<const std::byte*>(channels.data());
    bytes.insert(bytes.end(), raw, raw + channels.size() * sizeof value);
  }
  return bytes;
}

std::string graph_text(const LayerCase& layer) {
  const auto weights = element_count(layer.w), channels = outputs(layer);
  auto text = fmt::format("graph layer integer rounding double\ninput %x: i8{} quantized(scale 1, zero_point 0)\nconstant %w: i8{} = bytes 0 {}\n", to_string(layer.x), to_string(layer.w), weights);
  const bool per_channel = layer.op != "quantized_linear";
  auto offset = weights;
  for (const char* name : {"b", "m", "s"}) {
    if (per_channel || *name == 'b') text += fmt::format("constant %{}: i32[{}] = bytes {} {}\n", name, channels, offset, 4 * channels);
    offset += 4 * channels;
  }
  std::string fields = per_channel ? "output_zero_point 0" : "multiplier 1610612736, shift -9, output_zero_point 0";
  if (!is_linear(layer))
    fields = fmt::format("stride [{}, {}], padding [{}, {}, {}, {}], input_zero_point 0, output_zero_point 0", layer.stride[0], layer.stride[1], layer.padding[0], layer.padding[1],
                         layer.padding[2], layer.padding[3]);
  if (layer.op == "quantized_depthwise_conv2d") fields = fmt::format("groups {}, {}", layer.x[3], fields);
  return text + fmt::format("%y: i8{} quantized(scale 1, zero_point 0) = cortex_m.{}(%x, %w, {}) {{{}, low -128, high 127}} as layer\noutput %y\n", to_string(layer.y), layer.op,
                            per_channel ? "%b, %m, %s" : "%b", fields);
}

double instructions_per_mac(const LayerCase& layer, std::string_view core) {
  const auto graph = parse(graph_text(layer), constants(layer), "layer.cir");
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.diagnostics().front().message);
  if (!graph.ok()) return 0;
  const auto program = make_program(*graph, *find_core(core), {});
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.diagnostics().front().message);
  if (!program.ok()) return 0;
  const auto run = run_program(*program, random_samples(program->graph, 1, 1));
  EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.diagnostics().front().message);
  return run.ok() ? static_cast<double>(run->instructions.front()) / static_cast<double>(program->macs) : 0;
}

class Speed : public testing::TestWithParam<LayerCase> {};

/// Template kernels stay within 1.6 times CMSIS-NN; a generated kernel has its own, tighter test.
TEST_P(Speed, IsComparableToCmsisNn) {
  constexpr double allowed = 1.6;
  const auto& layer = GetParam();
  const auto m4 = instructions_per_mac(layer, "cortex-m4"), m55 = instructions_per_mac(layer, "cortex-m55");
  fmt::print("{:<40} M4 {:.2f} (CMSIS-NN {:.2f})   M55 {:.2f} ({:.2f})\n", layer.name, m4, layer.cmsis_m4, m55, layer.cmsis_m55);
  EXPECT_GT(m4, 0);
  EXPECT_LE(m4, allowed * layer.cmsis_m4);
  EXPECT_GT(m55, 0);
  EXPECT_LE(m55, allowed * layer.cmsis_m55);
}

INSTANTIATE_TEST_SUITE_P(Layers, Speed, testing::ValuesIn(layer_cases), [](const auto& info) { return identifier(info.param.name); });

}  // namespace
}  // namespace corten
