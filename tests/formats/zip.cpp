// SPDX-License-Identifier: Apache-2.0
// Zip archives: content survives, lies are refused.
#include "compiler/formats/zip.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/formats/zip_writer.h"

namespace corten {
namespace {

using test::to_bytes;
using test::write_zip;

std::string first_message(const Diagnostics& diagnostics) { return diagnostics.front().message; }

TEST(Zip, ReadsStoredAndDeflatedMembers) {
  const std::string text(5000, 'a');
  const auto bytes = write_zip({{"x/stored", text}, {"x/deflated", text, true}, {"x/empty", ""}});
  ByteBudget excess{16000};
  const auto archive = ZipArchive::open(bytes, {}, excess);
  ASSERT_TRUE(archive);
  ASSERT_EQ(archive->members().size(), 3u);
  for (const auto* name : {"x/stored", "x/deflated"}) {
    const auto content = archive->read(*archive->find(name));
    ASSERT_TRUE(content);
    EXPECT_EQ(*content, to_bytes(text));
  }
  EXPECT_TRUE(archive->read(*archive->find("x/empty"))->empty());
  EXPECT_EQ(archive->find("x/none"), nullptr);
}

TEST(Zip, RefusesWhatUnpacksBeyondTheBudget) {
  const auto bytes = write_zip({{"bomb", std::string(100000, '\0'), true}});
  ByteBudget enough{100000};
  EXPECT_TRUE(ZipArchive::open(bytes, {}, enough));
  ByteBudget small{90000};
  const auto archive = ZipArchive::open(bytes, {}, small);
  ASSERT_FALSE(archive);
  EXPECT_NE(first_message(archive.diagnostics()).find("unpack to far more"), std::string::npos);
}

TEST(Zip, BudgetIsSharedBetweenArchives) {
  const auto bytes = write_zip({{"bomb", std::string(100000, '\0'), true}});
  ByteBudget excess{150000};
  EXPECT_TRUE(ZipArchive::open(bytes, {}, excess));
  EXPECT_FALSE(ZipArchive::open(bytes, {}, excess));
}

TEST(Zip, RefusesDamagedContent) {
  auto bytes = write_zip({{"a", "payload payload"}});
  const auto payload = to_bytes("payload payload");
  const auto at = std::search(bytes.begin(), bytes.end(), payload.begin(), payload.end());
  ASSERT_NE(at, bytes.end());
  *at = std::byte{'P'};
  ByteBudget excess{1000};
  const auto archive = ZipArchive::open(bytes, {}, excess);
  ASSERT_TRUE(archive);
  EXPECT_FALSE(archive->read(archive->members()[0]));
}

TEST(Zip, RefusesTwoMembersOfOneName) {
  auto bytes = write_zip({{"a1", "x"}, {"a2", "y"}});
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i)
    if (bytes[i] == std::byte{'a'} && bytes[i + 1] == std::byte{'2'}) bytes[i + 1] = std::byte{'1'};
  ByteBudget excess{1000};
  const auto archive = ZipArchive::open(bytes, {}, excess);
  ASSERT_FALSE(archive);
  EXPECT_EQ(first_message(archive.diagnostics()), "found two members named 'a1'");
}

TEST(Zip, RefusesWhatIsNoArchive) {
  ByteBudget excess{1000};
  EXPECT_FALSE(ZipArchive::open({}, {}, excess));
  EXPECT_FALSE(ZipArchive::open(to_bytes("not a zip"), {}, excess));
  EXPECT_FALSE(ZipArchive::open(to_bytes("PK\5\6"), {}, excess));
}

// A zip64 end record may claim any number of entries; the reader must not reserve memory for them.
TEST(Zip, RefusesImpossibleEntryCounts) {
  std::string record("PK\6\6", 4);
  record += std::string("\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0", 20);
  record += std::string("\0\0\0\0\0\1\0\0", 8) + std::string("\0\0\0\0\0\1\0\0", 8) + std::string(16, '\0');
  record += std::string("PK\6\7", 4) + std::string(12, '\0') + std::string("\1\0\0\0", 4);
  record += std::string("PK\5\6", 4) + std::string(4, '\0') + std::string(12, '\xff') + std::string(2, '\0');
  ByteBudget excess{1000};
  EXPECT_FALSE(ZipArchive::open(to_bytes(record), {}, excess));
}

}  // namespace
}  // namespace corten
