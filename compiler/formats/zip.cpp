// SPDX-License-Identifier: Apache-2.0
// Zip archives through libzip, with the counts it would trust checked beforehand.
#include "compiler/formats/zip.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace corten {
namespace {

constexpr std::size_t smallest_entry_bytes = 46;
constexpr std::size_t end_record_window_bytes = 65557;
constexpr int most_end_records = 32;
constexpr std::size_t most_name_bytes = 4096;

std::uint64_t load_u64(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

template <class Visit>
void for_each_signature(std::span<const std::byte> bytes, std::string_view signature, Visit visit) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  const std::string_view text(begin, bytes.size());
  for (auto at = text.find(signature); at != std::string_view::npos; at = text.find(signature, at + 1)) visit(at);
}

// libzip allocates the entry count of a zip64 end record before it looks at the entries, and it tries every end record it finds.
bool end_records_plausible(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  bool plausible = true;
  for_each_signature(bytes, "PK\6\6"sv, [&](std::size_t at) {
    for (std::size_t field : {24u, 32u})
      if (at + field + 8 > bytes.size() || load_u64(bytes, at + field) > bytes.size() / smallest_entry_bytes) plausible = false;
  });
  int end_records = 0;
  const auto window = bytes.last(std::min(bytes.size(), end_record_window_bytes));
  for_each_signature(window, "PK\5\6"sv, [&](std::size_t) { ++end_records; });
  return plausible && end_records >= 1 && end_records <= most_end_records;
}

std::string message_of(zip_error_t& failure) {
  std::string message = zip_error_strerror(&failure);
  zip_error_fini(&failure);
  return message;
}

}  // namespace

void ZipArchive::Close::operator()(zip* archive) const { zip_discard(archive); }

Result<ZipArchive> ZipArchive::open(std::span<const std::byte> bytes, const Origin& origin, ByteBudget& excess) {
  if (!end_records_plausible(bytes)) return error("found no intact zip directory, expected a zip archive", origin);
  zip_error_t failure;
  zip_error_init(&failure);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &failure);
  if (!source) return error("zip: " + message_of(failure), origin);
  zip_t* handle = zip_open_from_source(source, ZIP_RDONLY, &failure);
  if (!handle) {
    zip_source_free(source);
    return error(fmt::format("found a damaged zip archive ({})", message_of(failure)), origin);
  }
  zip_error_fini(&failure);
  ZipArchive archive(handle, origin);
  CORTEN_CHECK(archive.list_members(bytes.size(), excess));
  return archive;
}

Status ZipArchive::list_members(std::uint64_t archive_bytes, ByteBudget& excess) {
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  ByteBudget own{archive_bytes};
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t facts;
    zip_stat_init(&facts);
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(archive_.get(), index, 0, &facts) != 0 || !(facts.valid & ZIP_STAT_NAME) || !(facts.valid & ZIP_STAT_SIZE))
      return error(fmt::format("found a damaged entry {} in the zip directory", i), origin_);
    const std::string name = facts.name;
    if (name.size() > most_name_bytes) return error("found a member name of more than 4096 bytes", origin_);
    if ((facts.valid & ZIP_STAT_ENCRYPTION_METHOD) && facts.encryption_method != ZIP_EM_NONE)
      return error(fmt::format("member '{}' is encrypted", name), origin_);
    const auto covered = std::min<std::uint64_t>(facts.size, own.left);
    own.take(covered);
    if (!excess.take(facts.size - covered))
      return error(fmt::format("members unpack to far more than the archive's {} bytes, at '{}'", archive_bytes, name), origin_);
    if (!by_name_.emplace(name, members_.size()).second) return error(fmt::format("found two members named '{}'", name), origin_);
    members_.push_back({name, index, facts.size});
  }
  return {};
}

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &members_[found->second];
}

Result<std::vector<std::byte>> ZipArchive::read(const ZipMember& member) const {
  const auto damaged = [&](std::string_view what) { return error(fmt::format("member '{}' {}", member.name, what), origin_); };
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive_.get(), member.index, 0), zip_fclose);
  if (!file) return damaged(fmt::format("can't be opened ({})", zip_strerror(archive_.get())));
  std::vector<std::byte> content(member.bytes);
  std::size_t done = 0;
  while (done < content.size()) {
    const auto got = zip_fread(file.get(), content.data() + done, content.size() - done);
    if (got <= 0) return damaged("is damaged or ends early");
    done += static_cast<std::size_t>(got);
  }
  std::byte beyond;
  // Reading past the end is also what makes libzip compare the CRC.
  if (zip_fread(file.get(), &beyond, 1) != 0) return damaged("doesn't match its checksum or size");
  return content;
}

}  // namespace corten
