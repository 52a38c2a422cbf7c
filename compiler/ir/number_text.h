// SPDX-License-Identifier: Apache-2.0
// Numbers as exact text: the shortest that reads back to the same bits.
#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corten {

/// Shortest text that reads back exactly; "inf", "-inf" and "nan" otherwise.
template <class T>
std::string number_text(T value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

/// Whole text as one number; false when it isn't one or doesn't fit.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

/// "[1, 2, 3]" as numbers.
template <class T>
std::optional<std::vector<T>> parse_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<T> items;
  while (!text.empty()) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    const auto comma = std::min(text.find(','), text.size());
    T item{};
    if (!parse_number(text.substr(0, comma), item)) return std::nullopt;
    items.push_back(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

}  // namespace corten
