// SPDX-License-Identifier: Apache-2.0
// Makes zip archives in memory for tests.
#pragma once
#include <zip.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace corten::test {

struct Member {
  std::string name;
  std::string content;
  bool deflated = false;
};

inline std::vector<std::byte> to_bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// Empty on failure.
inline std::vector<std::byte> write_zip(const std::vector<Member>& members) {
  zip_error_t failure;
  zip_error_init(&failure);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &failure);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &failure);
  for (const auto& member : members) {
    zip_source_t* source = zip_source_buffer(archive, member.content.data(), member.content.size(), 0);
    const auto index = zip_file_add(archive, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      continue;
    }
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), member.deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  std::vector<std::byte> bytes;
  if (zip_close(archive) == 0 && zip_source_open(target) == 0) {
    zip_source_seek(target, 0, SEEK_END);
    bytes.resize(static_cast<std::size_t>(zip_source_tell(target)));
    zip_source_seek(target, 0, SEEK_SET);
    zip_source_read(target, bytes.data(), bytes.size());
    zip_source_close(target);
  }
  zip_source_free(target);
  return bytes;
}

}  // namespace corten::test
