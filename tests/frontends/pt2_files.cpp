// SPDX-License-Identifier: Apache-2.0
// Real .pt2 files of PyTorch 2.6, 2.13 and 2.14. Expected constants were printed by PyTorch.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "compiler/frontends/pt2.h"
#include "compiler/frontends/pt2_archive.h"
#include "tests/formats/zip_writer.h"
#include "tests/frontends/pt2_builder.h"
#include "tests/support/shared_data.h"

namespace corten {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pt2_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".pt2") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::byte> file_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return test::to_bytes(text);
}

// Every name that is read is defined before, and every node can be traced to its file.
void expect_sound(const SourceGraph& graph, const std::string& path) {
  std::set<std::string> defined;
  for (const auto& input : graph.inputs) EXPECT_TRUE(defined.insert(input.name).second);
  for (const auto& constant : graph.constants) {
    EXPECT_TRUE(defined.insert(constant.name).second);
    EXPECT_EQ(constant.tensor.bytes.size(), static_cast<std::size_t>(constant.tensor.elements()) * element_bytes(constant.tensor.element));
    EXPECT_FALSE(constant.origin.node.empty());
  }
  const auto expect_defined = [&](const std::string& name) { EXPECT_TRUE(name.empty() || defined.contains(name)) << path << " reads " << name; };
  for (const auto& node : graph.nodes) {
    for (const auto& [name, argument] : node.arguments) {
      if (const auto* one = std::get_if<SourceRef>(&argument)) expect_defined(one->name);
      if (const auto* several = std::get_if<std::vector<SourceRef>>(&argument))
        for (const auto& one : *several) expect_defined(one.name);
    }
    for (const auto& output : node.outputs) EXPECT_TRUE(output.empty() || defined.insert(output).second) << output;
    EXPECT_EQ(node.origin.file, path);
    EXPECT_EQ(node.target.find("torch.ops"), std::string::npos);
    EXPECT_EQ(node.target.find("_."), std::string::npos) << node.target;
  }
  for (const auto& output : graph.outputs) expect_defined(output);
  EXPECT_FALSE(graph.outputs.empty());
}

const SourceConstant& constant(const SourceGraph& graph, const std::string& full_name) {
  for (const auto& one : graph.constants)
    if (one.origin.node == full_name) return one;
  static const SourceConstant none;
  ADD_FAILURE() << "no constant " << full_name;
  return none;
}

TEST(Pt2Files, EveryFileReadsOrNamesItsNode) {
  const auto folder = test::shared_data("pt2");
  CORTEN_NEED_DATA(folder);
  // Exported in training mode, or with a buffer that counts calls.
  const std::set<std::string> refused = {"cnn_train", "cnn_train_core", "misc", "misc_core"};
  for (const auto& path : pt2_files(folder)) {
    const auto graph = read_pt2(path.string());
    if (refused.contains(path.stem().string())) {
      ASSERT_FALSE(graph) << path;
      EXPECT_FALSE(graph.diagnostics()[0].origin.node.empty()) << path;
      EXPECT_FALSE(graph.diagnostics()[0].origin.source.empty()) << path;
    } else {
      ASSERT_TRUE(graph) << path << graph.diagnostics()[0].message;
      expect_sound(*graph, path.string());
    }
  }
}

TEST(Pt2Files, EveryPt2eCaseReads) {
  const auto folder = test::shared_data("pt2e");
  CORTEN_NEED_DATA(folder);
  std::size_t files = 0;
  for (const auto& path : pt2_files(folder)) {
    const auto graph = read_pt2(path.string());
    ASSERT_TRUE(graph) << path << graph.diagnostics()[0].message;
    expect_sound(*graph, path.string());
    ++files;
  }
  EXPECT_GE(files, 289u);
}

TEST(Pt2Files, CnnOfBothLayouts) {
  for (const auto* version : {"torch2.6", "torch2.14"}) {
    const auto path = test::shared_data(fmt::format("pt2/{}/cnn.pt2", version));
    CORTEN_NEED_DATA(path);
    const auto graph = read_pt2(path.string());
    ASSERT_TRUE(graph);
    std::vector<std::string> targets;
    for (const auto& node : graph->nodes) targets.push_back(node.target.substr(5));
    EXPECT_EQ(targets, (std::vector<std::string>{"conv2d.default", "batch_norm.default", "hardtanh.default", "max_pool2d.default", "conv2d.default",
                                                 "hardtanh.default", "conv2d.default", "hardswish.default", "avg_pool2d.default",
                                                 "adaptive_avg_pool2d.default", "flatten.using_ints", "dropout.default", "linear.default", "softmax.int"}));
    const auto& weight = constant(*graph, "c.weight");
    EXPECT_EQ(weight.tensor.shape, (Shape{8, 1, 3, 3}));
    EXPECT_EQ(weight.tensor.as<float>()[0], -0.11183878779411316f);
    EXPECT_EQ(weight.tensor.as<float>()[2], 0.0036461055278778076f);
    EXPECT_EQ(constant(*graph, "fc.bias").tensor.as<float>()[1], 0.1709190309047699f);
    EXPECT_EQ(graph->nodes[0].origin.module, "c");
    EXPECT_TRUE(graph->nodes[0].origin.source.starts_with("gen.py:18 in forward: x=s.act(s.bn(s.c(x)))")) << graph->nodes[0].origin.source;
  }
}

TEST(Pt2Files, QuantizedConstants) {
  const auto path = test::shared_data("pt2/torch2.14/ao_pt2e_cnn.pt2");
  CORTEN_NEED_DATA(path);
  const auto graph = read_pt2(path.string());
  ASSERT_TRUE(graph);
  const auto& weight = constant(*graph, "_frozen_param0");
  EXPECT_EQ(weight.tensor.element, Element::I8);
  const int expected[] = {-1, 83, -127, -114, -59, 41};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(weight.tensor.as<std::int8_t>()[i], expected[i]);
  EXPECT_EQ(constant(*graph, "_scale_0").tensor.as<float>()[0], 0.0021602127235382795f);
  EXPECT_EQ(constant(*graph, "_zero_point_0").tensor.element, Element::I64);
  const auto& node = graph->nodes[0];
  EXPECT_EQ(node.target, "quantized_decomposed.dequantize_per_channel.default");
  EXPECT_EQ(node.arguments.back().first, "dtype");
  EXPECT_EQ(std::get<Element>(node.arguments.back().second), Element::I8);
}

TEST(Pt2Files, DynamicBatchIsOne) {
  for (const auto* version : {"torch2.6", "torch2.14"}) {
    const auto path = test::shared_data(fmt::format("pt2/{}/mlp_dyn.pt2", version));
    CORTEN_NEED_DATA(path);
    const auto graph = read_pt2(path.string());
    ASSERT_TRUE(graph);
    EXPECT_EQ(graph->inputs[0].shape, (Shape{1, 8}));
    for (const auto& value : graph->values) EXPECT_EQ(value.shape[0], 1);
  }
}

TEST(Pt2Files, UnusedParametersAreLeftOut) {
  const auto path = test::shared_data("pt2/torch2.14/ao_pt2e_mlp.pt2");
  CORTEN_NEED_DATA(path);
  const auto graph = read_pt2(path.string());
  ASSERT_TRUE(graph);
  for (const auto& one : graph->constants) EXPECT_NE(one.origin.node, "l.weight");
}

// Tied weights, views with offsets, transposed and strided storage, bf16, bool, scalars, empty tensors, buffers kept apart.
TEST(Pt2Files, ConstantsOfEveryKind) {
  for (const auto* version : {"torch2.6", "torch2.14"}) {
    const auto path = test::shared_data(fmt::format("pt2/{}/misc.pt2", version));
    CORTEN_NEED_DATA(path);
    const auto bytes = file_bytes(path);
    const auto archive = pt2::Archive::open(bytes, {});
    ASSERT_TRUE(archive);
    std::vector<pt2::ConstantRequest> requests;
    for (const auto* name : {"w", "tied", "v1", "v2", "vt", "big", "b16", "i8", "bl", "i64", "empty", "np_", "lifted_tensor_0"}) requests.push_back({name, false, {}});
    const auto tensors = archive->load(requests);
    ASSERT_TRUE(tensors) << tensors.diagnostics()[0].message;
    const auto at = [&](std::size_t i) -> const Tensor& { return (*tensors)[i]; };
    EXPECT_EQ(at(0), at(1));
    EXPECT_EQ(at(0).as<float>()[2], -2.0049808025360107f);
    EXPECT_EQ(at(2).shape, (Shape{2, 8}));
    EXPECT_EQ(at(2).as<float>()[3], -1.189081072807312f);
    EXPECT_EQ(at(3).as<float>()[0], -1.7395631074905396f);
    EXPECT_EQ(at(4).as<float>()[1], -1.4122048616409302f);
    EXPECT_EQ(at(4).as<float>()[3], 0.2210434079170227f);
    EXPECT_EQ(at(5).shape, (Shape{2, 8}));
    EXPECT_EQ(at(5).as<float>()[3], -0.7607591152191162f);
    EXPECT_EQ(at(6).as<float>()[1], 0.09814453125f);
    EXPECT_EQ(at(7).as<std::int8_t>()[3], -1);
    EXPECT_EQ(at(8).bytes, (std::vector{std::byte{1}, std::byte{0}}));
    EXPECT_EQ(at(9).as<std::int64_t>()[0], 5);
    EXPECT_EQ(at(10).shape, (Shape{0, 3}));
    EXPECT_EQ(at(11).as<float>()[3], 1.5f);
    EXPECT_EQ(at(12).as<float>()[3], 4.0f);
  }
}

TEST(Pt2Files, ResidualInPlaceIsFunctional) {
  const auto path = test::shared_data("pt2e/residual_inplace/float.pt2");
  CORTEN_NEED_DATA(path);
  const auto graph = read_pt2(path.string());
  ASSERT_TRUE(graph);
  ASSERT_EQ(graph->nodes.size(), 7u);
  EXPECT_EQ(test::print(graph->nodes[5].arguments[0].second), "batch_norm_1");
  EXPECT_EQ(test::print(graph->nodes[5].arguments[1].second), "x");
  EXPECT_EQ(graph->nodes[5].target, "aten.add.Tensor");
  EXPECT_EQ(graph->nodes[6].target, "aten.relu.default");
  EXPECT_EQ(test::print(graph->nodes[6].arguments[0].second), "add_");
}

std::vector<test::Member> members_of(std::span<const std::byte> bytes, bool deflated) {
  ByteBudget excess{1 << 20};
  const auto archive = ZipArchive::open(bytes, {}, excess);
  std::vector<test::Member> members;
  for (const auto& member : archive->members()) {
    const auto content = archive->read(member);
    members.push_back({member.name, {reinterpret_cast<const char*>(content->data()), content->size()}, deflated});
  }
  return members;
}

void expect_same(const Result<SourceGraph>& graph, const Result<SourceGraph>& expected) {
  ASSERT_TRUE(graph) << graph.diagnostics()[0].message;
  ASSERT_TRUE(expected);
  EXPECT_EQ(test::print(*graph), test::print(*expected));
  ASSERT_EQ(graph->constants.size(), expected->constants.size());
  for (std::size_t i = 0; i < graph->constants.size(); ++i) EXPECT_EQ(graph->constants[i].tensor, expected->constants[i].tensor);
}

// PyTorch 2.8: the folders of the new layout, the torch.save files of the old one.
TEST(Pt2Files, LayoutBetweenOldAndNew) {
  const auto path = test::shared_data("pt2/torch2.6/cnn.pt2");
  CORTEN_NEED_DATA(path);
  const auto bytes = file_bytes(path);
  for (const std::string root : {"cnn/", ""}) {
    std::vector<test::Member> members = {{root + "archive_format", "pt2"}};
    for (auto& member : members_of(bytes, false)) {
      if (member.name == "serialized_exported_program.json") members.push_back({root + "models/model.json", member.content});
      if (member.name == "serialized_state_dict.pt") members.push_back({root + "data/weights/model.pt", member.content});
      if (member.name == "serialized_constants.pt") members.push_back({root + "data/constants/model.pt", member.content});
    }
    expect_same(read_pt2(test::write_zip(members), "cnn.pt2"), read_pt2(bytes, "cnn.pt2"));
  }
}

TEST(Pt2Files, BigEndianWeights) {
  const auto path = test::shared_data("pt2/torch2.14/mlp.pt2");
  CORTEN_NEED_DATA(path);
  const auto bytes = file_bytes(path);
  auto members = members_of(bytes, false);
  for (auto& member : members) {
    if (member.name.ends_with("/byteorder")) member.content = "big";
    if (member.name.find("/weight_") == std::string::npos) continue;
    for (std::size_t i = 0; i + 4 <= member.content.size(); i += 4)
      std::reverse(member.content.begin() + static_cast<std::ptrdiff_t>(i), member.content.begin() + static_cast<std::ptrdiff_t>(i) + 4);
  }
  expect_same(read_pt2(test::write_zip(members), "mlp.pt2"), read_pt2(bytes, "mlp.pt2"));
}

TEST(Pt2Files, RepackedWithDeflateReadsTheSame) {
  const auto path = test::shared_data("pt2/torch2.14/cnn.pt2");
  CORTEN_NEED_DATA(path);
  const auto bytes = file_bytes(path);
  expect_same(read_pt2(test::write_zip(members_of(bytes, true)), "cnn.pt2"), read_pt2(bytes, "cnn.pt2"));
}

TEST(Pt2Files, MissingFilesAndStrangers) {
  const auto missing = read_pt2(std::string("no/such/file.pt2"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.diagnostics()[0].origin.file, "no/such/file.pt2");
  EXPECT_FALSE(read_pt2(fs::temp_directory_path().string()));
  const auto state = test::shared_data("pt2/torch2.14/cnn.io.pt");
  CORTEN_NEED_DATA(state);
  const auto saved = read_pt2(state.string());
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.diagnostics()[0].message, "found a torch.save or TorchScript file, expected an exported program");
}

}  // namespace
}  // namespace corten
