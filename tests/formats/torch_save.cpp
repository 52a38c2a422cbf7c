// SPDX-License-Identifier: Apache-2.0
// torch.save files, real and made by hand; expected values were printed by PyTorch.
#include "compiler/formats/torch_save.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/formats/zip_writer.h"
#include "tests/support/shared_data.h"

namespace corten {
namespace {

using namespace std::string_literals;
using test::to_bytes;
using test::write_zip;

std::vector<std::byte> file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return to_bytes(text);
}

std::string number(std::int64_t value) {
  std::string text = "J";
  for (int i = 0; i < 4; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

std::string text(const std::string& value) { return "X" + number(static_cast<std::int64_t>(value.size())).substr(1) + value; }

// One tensor as torch.save pickles it.
std::string tensor_pickle(const std::string& storage, std::int64_t elements, std::int64_t offset, std::int64_t size, std::int64_t stride) {
  return "\x80\x02"s + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + storage + "\n" + text("0") + text("cpu") + number(elements) +
         "tQ" + number(offset) + number(size) + "\x85" + number(stride) + "\x85\x89" + "ccollections\nOrderedDict\n)RtR.";
}

std::vector<std::byte> saved(const std::string& pickle, const std::string& storage, const std::string& byte_order = "little") {
  return write_zip({{"archive/data.pkl", pickle}, {"archive/byteorder", byte_order}, {"archive/data/0", storage}});
}

TEST(TorchSave, ReadsRecordedInputsAndOutputs) {
  const auto path = test::shared_data("pt2/torch2.14/misc.io.pt");
  CORTEN_NEED_DATA(path);
  const auto tensors = read_saved_tensors(file_bytes(path));
  ASSERT_TRUE(tensors) << tensors.diagnostics()[0].message;
  ASSERT_EQ(tensors->size(), 18u);
  EXPECT_EQ((*tensors)[0].shape, (Shape{2, 8}));
  EXPECT_EQ((*tensors)[0].as<float>()[1], -1.8974062204360962f);
  EXPECT_EQ((*tensors)[4].element, Element::I64);
  EXPECT_EQ((*tensors)[4].as<std::int64_t>()[0], 7);
  EXPECT_EQ((*tensors)[11].element, Element::F32);  // float16 in the file
  EXPECT_EQ((*tensors)[11].as<float>()[0], 0.06646728515625f);
  EXPECT_EQ((*tensors)[14].as<float>()[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ((*tensors)[16].element, Element::Bool);
  EXPECT_EQ((*tensors)[16].bytes, (std::vector{std::byte{1}, std::byte{0}}));
  EXPECT_EQ((*tensors)[17].shape, Shape{});
  EXPECT_EQ((*tensors)[17].as<std::int64_t>()[0], 5);
}

TEST(TorchSave, ReadsEveryRecordedFile) {
  const auto folder = test::shared_data("pt2");
  CORTEN_NEED_DATA(folder);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".pt") continue;
    const auto tensors = read_saved_tensors(file_bytes(entry.path()));
    ASSERT_TRUE(tensors) << entry.path() << tensors.diagnostics()[0].message;
    EXPECT_GE(tensors->size(), 2u) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 30);
}

TEST(TorchSave, ConvertsWiderAndNarrowerFloats) {
  const double doubles[] = {0.1, 1e300, -1e-60, 3.4028235677973366e38};
  const auto wide = read_saved_tensors(saved(tensor_pickle("DoubleStorage", 4, 0, 4, 1), {reinterpret_cast<const char*>(doubles), sizeof doubles}));
  ASSERT_TRUE(wide) << wide.diagnostics()[0].message;
  EXPECT_EQ((*wide)[0].as<float>()[0], 0.1f);
  EXPECT_EQ((*wide)[0].as<float>()[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ((*wide)[0].as<float>()[2], -0.0f);
  EXPECT_EQ((*wide)[0].as<float>()[3], std::numeric_limits<float>::infinity());  // halfway to the next power of two rounds to even
  // 1, smallest subnormal, largest finite, −infinity
  const auto half = read_saved_tensors(saved(tensor_pickle("HalfStorage", 4, 0, 4, 1), "\x00\x3c\x01\x00\xff\x7b\x00\xfc"s));
  ASSERT_TRUE(half);
  EXPECT_EQ((*half)[0].as<float>()[0], 1.0f);
  EXPECT_EQ((*half)[0].as<float>()[1], std::ldexp(1.0f, -24));
  EXPECT_EQ((*half)[0].as<float>()[2], 65504.0f);
  EXPECT_EQ((*half)[0].as<float>()[3], -std::numeric_limits<float>::infinity());
  const auto brain = read_saved_tensors(saved(tensor_pickle("BFloat16Storage", 1, 0, 1, 1), "\xc0\x3f"s));
  ASSERT_TRUE(brain);
  EXPECT_EQ((*brain)[0].as<float>()[0], 1.5f);
}

TEST(TorchSave, SwapsBigEndianElements) {
  const auto tensors = read_saved_tensors(saved(tensor_pickle("IntStorage", 2, 0, 2, 1), "\x00\x00\x00\x01\x00\x00\x01\x00"s, "big"));
  ASSERT_TRUE(tensors);
  EXPECT_EQ((*tensors)[0].as<std::int32_t>()[0], 1);
  EXPECT_EQ((*tensors)[0].as<std::int32_t>()[1], 256);
}

TEST(TorchSave, GathersStridedViews) {
  const std::string storage = "\x00\x01\x02\x03\x04\x05\x06\x07"s;
  const auto view = read_saved_tensors(saved(tensor_pickle("CharStorage", 8, 1, 3, 2), storage));
  ASSERT_TRUE(view);
  EXPECT_EQ((*view)[0].bytes, to_bytes("\x01\x03\x05"));
  const auto repeated = read_saved_tensors(saved(tensor_pickle("CharStorage", 8, 3, 4, 0), storage));
  ASSERT_TRUE(repeated);
  EXPECT_EQ((*repeated)[0].bytes, to_bytes("\x03\x03\x03\x03"));
}

TEST(TorchSave, RefusesViewsBeyondTheStorage) {
  const std::string storage(8, 'x');
  EXPECT_TRUE(read_saved_tensors(saved(tensor_pickle("CharStorage", 8, 0, 8, 1), storage)));
  for (const auto& pickle : {tensor_pickle("CharStorage", 8, 1, 8, 1), tensor_pickle("CharStorage", 8, 0, 5, 2), tensor_pickle("CharStorage", 8, -1, 2, 1),
                             tensor_pickle("CharStorage", 8, 0, 2, -1), tensor_pickle("CharStorage", 8, 0, -2, 1),
                             tensor_pickle("FloatStorage", 8, 0, 3, 1), tensor_pickle("CharStorage", 8, 0, 0x7fffffff, 0x7fffffff)})
    EXPECT_FALSE(read_saved_tensors(saved(pickle, storage)));
}

TEST(TorchSave, RefusesRepetitionWithoutBound) {
  const auto tensors = read_saved_tensors(saved(tensor_pickle("CharStorage", 1, 0, 0x7fffffff, 0), "x"));
  ASSERT_FALSE(tensors);
  EXPECT_NE(tensors.diagnostics()[0].message.find("larger than the file accounts for"), std::string::npos);
}

TEST(TorchSave, RefusesComplexByName) {
  const auto tensors = read_saved_tensors(saved(tensor_pickle("ComplexFloatStorage", 1, 0, 1, 1), std::string(8, '\0')));
  ASSERT_FALSE(tensors);
  EXPECT_NE(tensors.diagnostics()[0].message.find("complex64"), std::string::npos);
}

TEST(TorchSave, RefusesCircularContainers) {
  // A list that holds itself, and one doubled thirty times over.
  EXPECT_FALSE(read_saved_tensors(saved("\x80\x02]q\x00h\x00"s + "a."s, "")));
  std::string doubled = "\x80\x02K\x01q\x00"s;
  for (int i = 0; i < 30; ++i) doubled += "h\x00\x86q\x00"s;
  EXPECT_FALSE(read_saved_tensors(saved(doubled + ".", "")));
}

TEST(TorchSave, RefusesMissingStorages) {
  EXPECT_FALSE(read_saved_tensors(write_zip({{"archive/data.pkl", tensor_pickle("FloatStorage", 1, 0, 1, 1)}})));
  EXPECT_FALSE(read_saved_tensors(write_zip({{"archive/other", ""}})));
}

}  // namespace
}  // namespace corten
