// SPDX-License-Identifier: Apache-2.0
// The pickle machine on pickles written out by hand.
#include "compiler/formats/pickle.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/formats/zip_writer.h"

namespace corten {
namespace {

using namespace std::string_literals;

constexpr std::array<std::string_view, 1> allowed = {"torch.FloatStorage"};

Result<Pickle> parse(const std::string& text) { return parse_pickle(test::to_bytes(text), allowed, {}); }

// pickle.dumps({"a": (1, -2, 300, 70000, 2**40), "b": [True, False, None, 1.5]}, 2)
TEST(Pickle, ReadsContainersAndScalars) {
  const auto pickle = parse("\x80\x02}q\x00(X\x01\x00\x00\x00"s + "aq\x01(K\x01J\xfe\xff\xff\xffM,\x01Jp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01tq\x02X\x01\x00\x00\x00"s +
                            "bq\x03]q\x04(\x88\x89NG?\xf8\x00\x00\x00\x00\x00\x00"s + "eu."s);
  ASSERT_TRUE(pickle) << pickle.diagnostics()[0].message;
  const auto& root = (*pickle)[pickle->root];
  ASSERT_EQ(root.kind, PickleKind::Dict);
  ASSERT_EQ(root.items.size(), 4u);
  EXPECT_EQ((*pickle)[root.items[0]].text, "a");
  const auto& tuple = (*pickle)[root.items[1]];
  ASSERT_EQ(tuple.items.size(), 5u);
  const std::int64_t expected[] = {1, -2, 300, 70000, std::int64_t{1} << 40};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ((*pickle)[tuple.items[i]].integer, expected[i]);
  const auto& list = (*pickle)[root.items[3]];
  ASSERT_EQ(list.kind, PickleKind::List);
  EXPECT_EQ((*pickle)[list.items[0]].integer, 1);
  EXPECT_EQ((*pickle)[list.items[2]].kind, PickleKind::None);
  EXPECT_EQ((*pickle)[list.items[3]].real, 1.5);
}

TEST(Pickle, ReadsProtocolFour) {
  // pickle.dumps(("x", torch.FloatStorage)), by hand: FRAME, SHORT_BINUNICODE, MEMOIZE, STACK_GLOBAL
  const auto pickle = parse("\x80\x04\x95\x20\x00\x00\x00\x00\x00\x00\x00\x8c\x01x\x94\x8c\x05torch\x94\x8c\x0c"s + "FloatStorage\x94\x93\x94\x86\x94."s);
  ASSERT_TRUE(pickle) << pickle.diagnostics()[0].message;
  const auto& tuple = (*pickle)[pickle->root];
  ASSERT_EQ(tuple.items.size(), 2u);
  EXPECT_EQ((*pickle)[tuple.items[1]].text, "torch.FloatStorage");
}

TEST(Pickle, OrderedDictIsADict) {
  const auto pickle = parse("\x80\x02"s + "ccollections\nOrderedDict\nq\x00)Rq\x01K\x01K\x02s}b."s);
  ASSERT_TRUE(pickle) << pickle.diagnostics()[0].message;
  EXPECT_EQ((*pickle)[pickle->root].kind, PickleKind::Dict);
  EXPECT_EQ((*pickle)[pickle->root].items.size(), 2u);
}

TEST(Pickle, NamesForbiddenGlobals) {
  const auto pickle = parse("\x80\x02"s + "cos\nsystem\nX\x04\x00\x00\x00true\x85R."s);
  ASSERT_FALSE(pickle);
  EXPECT_NE(pickle.diagnostics()[0].message.find("'os.system'"), std::string::npos);
}

TEST(Pickle, NamesForbiddenOperations) {
  for (const auto* operation : {"\x81", "\x82\x01", "i", "o", "P", "\x8b\x01\x00\x00\x00\x01", "\x8e", "\x8f"}) {
    const auto pickle = parse("\x80\x02))"s + operation + ".");
    ASSERT_FALSE(pickle) << operation;
    EXPECT_NE(pickle.diagnostics()[0].message.find("torch.save doesn't write"), std::string::npos);
  }
}

TEST(Pickle, RefusesDamage) {
  const std::array damaged = {
      ""s,                                      // nothing
      "."s,                                     // empty stack
      "t."s,                                    // no mark
      "(."s,                                    // mark left
      "NN."s,                                   // two values
      "\x85."s,                                 // underflow
      "NR."s,                                   // reduce underflow
      "h\x05."s,                                // unknown memo
      "q\x00."s,                                // nothing to memoize
      "X\xff\xff\xff\xff"s,                     // text beyond the end
      "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s,  // integer of nine bytes
      "(K\x01\x85R."s,                          // the mark hides the callee
      "]K\x01K\x02s."s,                         // item set in a list
      "}(K\x01u."s,                             // odd number of items
      "Nb."s,                                   // build on nothing
      "ctorch"s,                                // global without end
  };
  for (const auto& text : damaged) EXPECT_FALSE(parse(text)) << testing::PrintToString(text);
}

TEST(Pickle, BoundsValuesAndOperations) {
  EXPECT_FALSE(parse(std::string(most_pickle_values + 10, 'N') + "."));
  EXPECT_FALSE(parse("Nq" + std::string(1, '\0') + std::string((1 << 20) + 10, '(') + "."));
}

}  // namespace
}  // namespace corten
