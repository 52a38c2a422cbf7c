// SPDX-License-Identifier: Apache-2.0
// Writes indented source text.
#pragma once
#include <fmt/format.h>

#include <string>

namespace corten {

class Writer {
 public:
  /// One line at the current depth; an empty one stays empty.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    const auto text = fmt::format(format, std::forward<Args>(args)...);
    if (!text.empty()) text_ += std::string(2 * depth_, ' ') + text;
    text_ += '\n';
  }
  void line() { text_ += '\n'; }
  /// A line that opens a block, and the line that closes it.
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    line(format, std::forward<Args>(args)...);
    ++depth_;
  }
  void close(std::string_view text = "}") {
    --depth_;
    line("{}", text);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace corten
