// SPDX-License-Identifier: Apache-2.0
// What each object file contributed to a linked program, from the linker's map.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace corten {

struct ObjectBytes {
  std::size_t code = 0;       // .text
  std::size_t constants = 0;  // .rodata and other read-only or initialized sections
};

/// Bytes by path of the object file, as the link command named it. Discarded sections and alignment don't count.
std::map<std::string, ObjectBytes> object_bytes(std::string_view map_text);

}  // namespace corten
