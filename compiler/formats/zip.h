// SPDX-License-Identifier: Apache-2.0
// Reads members of a zip archive held in memory, distrusting every field of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/formats/byte_budget.h"
#include "corten/result.h"

struct zip;

namespace corten {

struct ZipMember {
  std::string name;
  std::uint64_t index = 0;
  std::uint64_t bytes = 0;  // uncompressed
};

/// A read-only view: the bytes it was opened on must outlive it. Stored and deflated members are read; their CRC is checked.
class ZipArchive {
 public:
  /// `excess` pays for what the members' sizes add up to beyond the archive's own size, which is how a zip bomb shows.
  /// Errors: not a zip archive, encrypted or doubly named members, more than `excess`.
  static Result<ZipArchive> open(std::span<const std::byte> bytes, const Origin& origin, ByteBudget& excess);

  const std::vector<ZipMember>& members() const { return members_; }
  /// Null if there is no such member.
  const ZipMember* find(std::string_view name) const;
  /// The member's whole content. Errors: damaged data, a compression method other than store and deflate.
  Result<std::vector<std::byte>> read(const ZipMember& member) const;

 private:
  struct Close {
    void operator()(zip* archive) const;
  };

  ZipArchive(zip* archive, Origin origin) : archive_(archive), origin_(std::move(origin)) {}
  Status list_members(std::uint64_t archive_bytes, ByteBudget& excess);

  std::unique_ptr<zip, Close> archive_;
  Origin origin_;
  std::vector<ZipMember> members_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace corten
