// SPDX-License-Identifier: Apache-2.0
// Parses JSON within bounds; looks fields up without trusting their types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rapidjson/document.h>

#include "corten/result.h"

namespace corten {

using Json = rapidjson::Value;

/// A parsed text with the bytes its strings point into.
class JsonDocument {
 public:
  /// Accepts bare Infinity, -Infinity and NaN, as PyTorch 2.6 writes them; numbers round correctly.
  /// Errors: not JSON, nested deeper than 200, more than `most_tree_bytes` once parsed.
  static Result<JsonDocument> parse(std::vector<std::byte> text, std::uint64_t most_tree_bytes, const Origin& origin);

  const Json& root() const { return *document_; }

 private:
  std::vector<char> text_;
  std::unique_ptr<rapidjson::Document> document_;
};

namespace json {

/// Whether a number (or anything else outside of strings) runs on for more characters than any writer needs. RapidJSON's
/// exact conversion reads out of bounds on such numbers: "0." and hundreds of zeros.
bool has_overlong_number(std::string_view text);

/// The field of an object; null when `value` is no object or the field is absent or null.
const Json* field(const Json& value, const char* name);
/// Nothing when absent or of another kind.
std::optional<std::string> text(const Json* value);
std::optional<std::int64_t> integer(const Json* value);
std::optional<bool> boolean(const Json* value);
/// A number, or one of the strings "Infinity", "-Infinity", "NaN" that PyTorch writes for those.
std::optional<double> real(const Json* value);
/// The elements of an array; empty for anything else.
std::vector<const Json*> elements(const Json* value);

struct UnionCase {
  std::string_view kind;
  const Json* value = nullptr;
};
/// The only field of an object, which is how PyTorch writes a union; nothing for anything else.
std::optional<UnionCase> union_case(const Json& value);

}  // namespace json
}  // namespace corten
