// SPDX-License-Identifier: Apache-2.0
// The words that an emitted program can't use as names of its own.
#include "compiler/emit/names.h"

#include <algorithm>
#include <array>

namespace corten {
namespace {

constexpr std::array keywords = std::to_array<std::string_view>({
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class",
    "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete",
    "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
    "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true",
    "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
});
/// Namespaces and macros in sight, and functions that <cstring> declares outside of std.
constexpr std::array occupied = std::to_array<std::string_view>({
    "CORTEN_LAYER", "EOF", "NULL", "basename", "corten", "ffs", "index", "memchr", "memcmp", "memcpy", "memmove", "memset", "rindex", "rt", "std", "strcat", "strchr",
    "strcmp", "strcoll", "strcpy", "strcspn", "strerror", "strlen", "strncat", "strncmp", "strncpy", "strpbrk", "strrchr", "strspn", "strstr", "strtok", "strxfrm",
});

/// INT8_MAX, UINT32_C, SIZE_MAX …
bool is_limit_macro(std::string_view name) { return name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_C"); }

bool means_something_else(std::string_view name) {
  return std::ranges::find(keywords, name) != keywords.end() || std::ranges::find(occupied, name) != occupied.end() || is_limit_macro(name);
}

}  // namespace

std::string safe_name(std::string name, std::set<std::string>& taken) {
  while (means_something_else(name) || !taken.insert(name).second) name += '_';
  return name;
}

std::string comment_text(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  while (!result.empty() && (result.back() == '\\' || result.back() == ' ')) result.pop_back();
  return result;
}

}  // namespace corten
