// SPDX-License-Identifier: Apache-2.0
// Parses the memory map of GNU ld.
#include "simulate/map_file.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace corten {
namespace {

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::size_t> hexadecimal(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(word.data() + 2, word.data() + word.size(), value, 16);
  if (failure != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

bool holds_nothing_loaded(std::string_view section) {
  return section.starts_with(".bss") || section.starts_with(".debug") || section.starts_with(".comment") ||
         section.starts_with(".ARM.") || section.starts_with(".note") || section == "COMMON";
}

void add_contribution(std::string_view section, std::string_view rest, std::map<std::string, ObjectBytes>& sums) {
  const auto address = hexadecimal(take_word(rest));
  const auto bytes = hexadecimal(take_word(rest));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (!address || !bytes || rest.empty() || holds_nothing_loaded(section)) return;
  ObjectBytes& sum = sums[std::string(rest)];
  (section.starts_with(".text") ? sum.code : sum.constants) += *bytes;
}

}  // namespace

std::map<std::string, ObjectBytes> object_bytes(std::string_view map_text) {
  std::map<std::string, ObjectBytes> sums;
  const std::size_t start = map_text.find("Linker script and memory map");
  if (start == std::string_view::npos) return sums;
  map_text.remove_prefix(start);
  std::string_view wrapped_section;  // ld puts a long section name on a line of its own
  while (!map_text.empty()) {
    std::string_view line = map_text.substr(0, map_text.find('\n'));
    map_text.remove_prefix(std::min(line.size() + 1, map_text.size()));
    const bool is_contribution = line.starts_with(" .") || line.starts_with(" COMMON");
    const bool continues = !wrapped_section.empty() && line.starts_with("  ");
    const std::string_view section = is_contribution ? take_word(line) : continues ? wrapped_section : "";
    wrapped_section = {};
    if (section.empty()) continue;
    if (line.find_first_not_of(' ') == std::string_view::npos) wrapped_section = section;
    else add_contribution(section, line, sums);
  }
  return sums;
}

}  // namespace corten
