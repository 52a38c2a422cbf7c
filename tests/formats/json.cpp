// SPDX-License-Identifier: Apache-2.0
// JSON as PyTorch writes it, and JSON that no one should write.
#include "compiler/formats/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/formats/zip_writer.h"

namespace corten {
namespace {

constexpr std::uint64_t plenty = 1 << 20;

Result<JsonDocument> parse(const std::string& text, std::uint64_t most = plenty) { return JsonDocument::parse(test::to_bytes(text), most, {}); }

TEST(Json, ReadsNonFiniteNumbersInBothSpellings) {
  const auto document = parse(R"([Infinity, -Infinity, NaN, "Infinity", "-Infinity", "NaN", 0.5, 3, "x"])");
  ASSERT_TRUE(document);
  const auto& list = document->root();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json::real(&list[0]), infinity);
  EXPECT_EQ(json::real(&list[1]), -infinity);
  EXPECT_TRUE(std::isnan(*json::real(&list[2])));
  EXPECT_EQ(json::real(&list[3]), infinity);
  EXPECT_EQ(json::real(&list[4]), -infinity);
  EXPECT_TRUE(std::isnan(*json::real(&list[5])));
  EXPECT_EQ(json::real(&list[6]), 0.5);
  EXPECT_EQ(json::real(&list[7]), 3.0);
  EXPECT_EQ(json::real(&list[8]), std::nullopt);
}

// Values on which a parser that rounds twice differs in the last bit.
TEST(Json, RoundsNumbersCorrectly) {
  const auto document = parse("[0.019270548596978188, 9.119030088186264e-3, 3.13726304739248e-05, 2.2250738585072011e-308, 0.1]");
  ASSERT_TRUE(document);
  const double expected[] = {0.019270548596978188, 9.119030088186264e-3, 3.13726304739248e-05, 2.2250738585072011e-308, 0.1};
  for (rapidjson::SizeType i = 0; i < 5; ++i) EXPECT_EQ(json::real(&document->root()[i]), expected[i]);
}

TEST(Json, KeepsIntegersWhole) {
  const auto document = parse("[9223372036854775807, -9223372036854775808, 9223372036854775808, 1.0]");
  ASSERT_TRUE(document);
  EXPECT_EQ(json::integer(&document->root()[0]), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(json::integer(&document->root()[1]), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(json::integer(&document->root()[2]), std::nullopt);
  EXPECT_EQ(json::integer(&document->root()[3]), std::nullopt);
}

TEST(Json, LooksUpWithoutTrust) {
  const auto document = parse(R"({"a": null, "b": {"as_int": 1}, "c": [1, 2]})");
  ASSERT_TRUE(document);
  const auto& root = document->root();
  EXPECT_EQ(json::field(root, "a"), nullptr);
  EXPECT_EQ(json::field(root, "z"), nullptr);
  EXPECT_EQ(json::field(*json::field(root, "c"), "x"), nullptr);
  EXPECT_EQ(json::union_case(*json::field(root, "b"))->kind, "as_int");
  EXPECT_FALSE(json::union_case(root));
  EXPECT_EQ(json::elements(json::field(root, "c")).size(), 2u);
  EXPECT_TRUE(json::elements(nullptr).empty());
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_TRUE(parse(std::string(200, '[') + std::string(200, ']')));
  const auto deep = parse(std::string(201, '[') + std::string(201, ']'));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.diagnostics()[0].message, "found JSON nested deeper than 200 levels");
  EXPECT_FALSE(parse(std::string(1 << 20, '[')));
}

TEST(Json, RefusesTreesBeyondTheBudget) {
  std::string many = "[0";
  for (int i = 0; i < 1000; ++i) many += ",0";
  many += "]";
  EXPECT_TRUE(parse(many, 20000));
  EXPECT_FALSE(parse(many, 10000));
}

TEST(Json, RefusesNumbersWithoutEnd) {
  for (const auto* start : {"0.", "-0.", "1", "1e", "0.0000001"}) {
    EXPECT_FALSE(parse("[" + std::string(start) + std::string(800, '0') + "]")) << start;
    EXPECT_FALSE(parse(std::string(start) + std::string(800, '0'))) << start;
  }
  EXPECT_TRUE(parse("[\"0." + std::string(800, '0') + "\", 2.2250738585072014e-308]"));
}

TEST(Json, RefusesDamage) {
  for (const auto* text : {"", "{", "[1,]", "{\"a\" 1}", "[\"\xff\xfe\"]", "nul", "[1] trailing", "[\"\\ud800\"]"}) EXPECT_FALSE(parse(text)) << text;
  EXPECT_FALSE(parse(std::string("[1]\0[2]", 7)));
}

}  // namespace
}  // namespace corten
