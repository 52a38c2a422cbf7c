// SPDX-License-Identifier: Apache-2.0
// Text of parameter fields, both ways.
#include "compiler/ir/parameters.h"

#include <fmt/ranges.h>

#include <charconv>

#include "compiler/ir/number_text.h"

namespace corten {

void FieldWriter::append(std::string_view name, const std::string& value) {
  if (!text_.empty()) text_ += ", ";
  text_ += fmt::format("{} {}", name, value);
}
void FieldWriter::field(std::string_view name, std::int64_t value) { append(name, std::to_string(value)); }
void FieldWriter::field(std::string_view name, bool value) { append(name, value ? "true" : "false"); }
void FieldWriter::field(std::string_view name, float value) { append(name, number_text(value)); }
void FieldWriter::field(std::string_view name, double value) { append(name, number_text(value)); }
void FieldWriter::field(std::string_view name, const std::vector<std::int64_t>& value) {
  append(name, fmt::format("[{}]", fmt::join(value, ", ")));
}

std::string* FieldReader::take(std::string_view name) {
  for (auto& [key, value] : fields_)
    if (key == name) {
      key.clear();
      return &value;
    }
  return nullptr;
}

void FieldReader::fail(std::string_view name, std::string_view what) {
  if (problem_.empty()) problem_ = fmt::format("field '{}' {}", name, what);
}

namespace {
template <class T>
bool read_number(std::string_view text, T& value) {
  return parse_number(text, value);
}
}  // namespace

void FieldReader::field(std::string_view name, std::int64_t& value) {
  if (auto* text = take(name); text && !read_number(*text, value)) fail(name, "is not an integer");
}
void FieldReader::field(std::string_view name, std::int32_t& value) {
  if (auto* text = take(name); text && !read_number(*text, value)) fail(name, "is not a 32-bit integer");
}
void FieldReader::field(std::string_view name, bool& value) {
  auto* text = take(name);
  if (!text) return;
  if (*text != "true" && *text != "false") return fail(name, "is neither true nor false");
  value = *text == "true";
}
void FieldReader::field(std::string_view name, float& value) {
  if (auto* text = take(name); text && !read_number(*text, value)) fail(name, "is not a number");
}
void FieldReader::field(std::string_view name, double& value) {
  if (auto* text = take(name); text && !read_number(*text, value)) fail(name, "is not a number");
}
void FieldReader::field(std::string_view name, std::vector<std::int64_t>& value) {
  auto* text = take(name);
  if (!text) return;
  auto items = parse_list<std::int64_t>(*text);
  if (!items) return fail(name, "is not a list of integers");
  value = *items;
}

std::string FieldReader::problem() const {
  if (!problem_.empty()) return problem_;
  for (const auto& [key, value] : fields_)
    if (!key.empty()) return fmt::format("field '{}' is unknown", key);
  return {};
}

}  // namespace corten
