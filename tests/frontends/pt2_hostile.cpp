// SPDX-License-Identifier: Apache-2.0
// Damaged and malicious .pt2 files end in a diagnostic. Run under sanitizers, that is what these tests are about.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "compiler/formats/zip.h"
#include "compiler/frontends/pt2.h"
#include "tests/frontends/pt2_builder.h"
#include "tests/support/shared_data.h"

namespace corten {
namespace {

namespace fs = std::filesystem;
using namespace test;
using namespace std::string_literals;

constexpr int mutations = 10000;
constexpr std::uintmax_t largest_seed_bytes = 40000;

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

struct Seed {
  std::string bytes;
  std::vector<Member> members;
};

std::vector<Seed> seeds(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".pt2" && entry.file_size() < largest_seed_bytes) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Seed> result;
  for (const auto& path : paths) {
    Seed seed{file_text(path), {}};
    const auto bytes = to_bytes(seed.bytes);
    ByteBudget excess{1 << 20};
    const auto archive = ZipArchive::open(bytes, {}, excess);
    if (!archive) continue;
    for (const auto& member : archive->members()) {
      const auto content = archive->read(member);
      if (content) seed.members.push_back({member.name, {reinterpret_cast<const char*>(content->data()), content->size()}});
    }
    result.push_back(std::move(seed));
  }
  return result;
}

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }

  std::vector<std::byte> mutate(const Seed& seed) {
    if (below(2) == 0) {
      auto bytes = seed.bytes;
      damage(bytes);
      return to_bytes(bytes);
    }
    // Packed anew, so that the checksum is right and the damage reaches the reader.
    auto members = seed.members;
    auto& member = members[below(members.size())];
    if (below(8) == 0) members.erase(members.begin() + static_cast<std::ptrdiff_t>(below(members.size())));
    else if (member.name.ends_with(".json") && below(4) != 0) damage_json(member.content);
    else damage(member.content);
    return write_zip(members);
  }

 private:
  void damage(std::string& bytes) {
    if (bytes.empty()) return;
    const auto at = below(bytes.size());
    switch (below(4)) {
      case 0: bytes.resize(at); break;
      case 1: bytes[at] = static_cast<char>(below(256)); break;
      case 2: overwrite<std::uint32_t>(bytes, at); break;
      default: overwrite<std::uint64_t>(bytes, at); break;
    }
  }

  template <class T>
  void overwrite(std::string& bytes, std::size_t at) {
    const T values[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, static_cast<T>(-1), static_cast<T>(-2), static_cast<T>(std::uint64_t{1} << 63 >> (64 - 8 * sizeof(T)))};
    const T value = values[below(std::size(values))];
    std::memcpy(bytes.data() + at, &value, std::min(sizeof value, bytes.size() - at));
  }

  // Another number, another word, a piece doubled or gone.
  void damage_json(std::string& text) {
    static const char* numbers[] = {"0", "-1", "1", "7", "2147483647", "9223372036854775807", "-9223372036854775808", "1e308", "0.5", "null", "[]", "{}", "\"x\""};
    static const char* words[] = {"as_int", "as_none", "as_tensor", "as_tensors", "as_expr", "as_sym_ints", "as_graph", "relu_", "x", "view", "resize_", "slice"};
    const auto at = below(text.size());
    const auto digit = text.find_first_of("0123456789", at);
    const auto quote = text.find('"', at);
    switch (below(4)) {
      case 0:
        if (digit != std::string::npos) text.replace(digit, text.find_first_not_of("0123456789", digit) - digit, numbers[below(std::size(numbers))]);
        break;
      case 1:
        if (quote != std::string::npos) text.replace(quote + 1, text.find('"', quote + 1) - quote - 1, words[below(std::size(words))]);
        break;
      case 2: text.erase(at, below(200)); break;
      default: text.insert(at, text.substr(below(text.size()), below(400))); break;
    }
  }

  std::mt19937 random_;
};

TEST(Pt2Hostile, TenThousandMutations) {
  const auto folder = shared_data("pt2");
  CORTEN_NEED_DATA(folder);
  const auto all = seeds(folder);
  ASSERT_GE(all.size(), 20u);
  Mutator mutator(20260101);
  int read = 0;
  for (int i = 0; i < mutations; ++i) {
    const auto bytes = mutator.mutate(all[mutator.below(all.size())]);
    const auto graph = read_pt2(bytes, "mutated.pt2");
    if (graph) ++read;
    else ASSERT_FALSE(graph.diagnostics().empty());
  }
  // Damage to text that doesn't matter leaves files readable; damage to what does must not.
  EXPECT_GT(read, 0);
  EXPECT_LT(read, mutations);
}

TEST(Pt2Hostile, TruncatedAnywhere) {
  const auto path = shared_data("pt2/torch2.14/mlp.pt2");
  CORTEN_NEED_DATA(path);
  const auto bytes = to_bytes(file_text(path));
  for (std::size_t size = 0; size < bytes.size(); size += 37) EXPECT_FALSE(read_pt2(std::span(bytes).first(size), "cut.pt2"));
}

std::string message(const std::vector<Member>& members) {
  const auto graph = read_pt2(write_zip(members), "net.pt2");
  return graph ? "read" : graph.diagnostics()[0].message;
}

Pt2Builder identity() { return Pt2Builder().input("x", {4}).output("x"); }

std::vector<Member> with(std::vector<Member> members, const std::string& name, const std::string& content) {
  for (auto& member : members)
    if (member.name == name) member.content = content;
  return members;
}

TEST(Pt2Hostile, ZipBomb) {
  auto members = identity().members();
  EXPECT_EQ(message(members), "read");
  members.push_back({"archive/extra/zeros", std::string(std::size_t{64} << 20, '\0'), true});
  EXPECT_NE(message(members).find("unpack to far more"), std::string::npos);
}

TEST(Pt2Hostile, NestedZipBombSharesTheBudget) {
  const auto inner = write_zip({{"archive/data.pkl", "\x80\x02}."s}, {"archive/data/0", std::string(std::size_t{20} << 20, '\0'), true}});
  const std::string text(reinterpret_cast<const char*>(inner.data()), inner.size());
  const std::vector<Member> members = {{"version", "8.2"},
                                       {"serialized_exported_program.json", identity().program()},
                                       {"serialized_state_dict.pt", text},
                                       {"serialized_constants.pt", text}};
  EXPECT_NE(message(members).find("unpack to far more"), std::string::npos);
}

TEST(Pt2Hostile, DeepJson) {
  const auto members = identity().members();
  const auto name = "archive/models/model.json"s;
  EXPECT_EQ(message(with(members, name, std::string(1 << 20, '['))), "found JSON nested deeper than 200 levels");
  const auto deep = identity().raw_node("a.b.c", {argument("a", std::string(150, '[') + std::string(150, ']'))}, {}).members();
  EXPECT_NE(message(deep), "read");
}

TEST(Pt2Hostile, WideJson) {
  std::string wide = R"({"a":[)";
  for (int i = 0; i < 3000000; ++i) wide += "0,";
  wide += "0]}";
  auto members = with(identity().members(), "archive/models/model.json", wide);
  for (auto& member : members) member.deflated = true;
  EXPECT_NE(message(members).find("than the file's size accounts for"), std::string::npos);
}

TEST(Pt2Hostile, HugeTensors) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {0x7fffffff}, {0x7fffffff, 0x7fffffff, 0x7fffffff}, {std::int64_t{1} << 62}, {-1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1 << 20, 64}};
  for (const auto& shape : shapes) {
    // An empty member stands for zeros, however many.
    const auto graph = Pt2Builder().input("x", {4}).buffer("b", "b", shape, "").output("b").read();
    EXPECT_FALSE(graph) << shape[0];
  }
}

TEST(Pt2Hostile, PathsOutsideOfTheFolder) {
  auto members = Pt2Builder().input("x", {4}).buffer("b", "b", {1}, std::string(4, '\0')).output("b").members();
  for (auto& member : members)
    if (member.name.ends_with("config.json")) member.content.replace(member.content.find("weight_0"), 8, "../weights/weight_0");
  EXPECT_EQ(message(members), "'b' has a damaged file name");
}

TEST(Pt2Hostile, PickledPrograms) {
  const auto inner = write_zip({{"archive/data.pkl", "\x80\x02"s + "cposix\nsystem\nX\x02\x00\x00\x00"s + "id\x85R."}});
  const std::string text(reinterpret_cast<const char*>(inner.data()), inner.size());
  const std::vector<Member> members = {
      {"version", "8.2"}, {"serialized_exported_program.json", identity().program()}, {"serialized_state_dict.pt", text}, {"serialized_constants.pt", ""}};
  EXPECT_NE(message(members).find("names 'posix.system'"), std::string::npos);
}

TEST(Pt2Hostile, SeveralProgramsAreRefusedByName) {
  auto members = identity().members();
  for (auto& member : members)
    if (member.name == "archive/models/model.json") member.name = "archive/models/first.json";
  members.push_back({"archive/models/second.json", "{}"});
  EXPECT_NE(message(members).find("found 2 models"), std::string::npos);
}

TEST(Pt2Hostile, MoreNodesThanPlausible) {
  auto builder = Pt2Builder().input("x", {4});
  for (int i = 0; i < 70000; ++i) builder.raw_node("a.b", {}, {});
  EXPECT_EQ(message(builder.output("x").members()), "found more than 65536 nodes");
}

}  // namespace
}  // namespace corten
