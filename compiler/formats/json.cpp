// SPDX-License-Identifier: Apache-2.0
// Bounded JSON: one counting pass, then an in-place parse without recursion.
#include "compiler/formats/json.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstring>
#include <limits>

namespace corten {
namespace {

constexpr unsigned most_depth = 200;
constexpr unsigned parse_flags = rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag |
                                 rapidjson::kParseValidateEncodingFlag;

// Stops a document whose tree would be out of proportion before any of it is built.
struct TreeMeter {
  std::uint64_t left;
  unsigned depth = 0;
  bool too_deep = false;
  bool too_large = false;

  bool count(std::uint64_t bytes) {
    too_large = bytes > left;
    left -= too_large ? left : bytes;
    return !too_large;
  }
  bool value() { return count(sizeof(Json)); }
  bool open() {
    too_deep = ++depth > most_depth;
    return !too_deep && value();
  }
  bool close() {
    --depth;
    return true;
  }

  bool Null() { return value(); }
  bool Bool(bool) { return value(); }
  bool Int(int) { return value(); }
  bool Uint(unsigned) { return value(); }
  bool Int64(std::int64_t) { return value(); }
  bool Uint64(std::uint64_t) { return value(); }
  bool Double(double) { return value(); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return value(); }
  bool String(const char*, rapidjson::SizeType, bool) { return value(); }
  bool Key(const char*, rapidjson::SizeType, bool) { return value(); }
  bool StartObject() { return open(); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool StartArray() { return open(); }
  bool EndArray(rapidjson::SizeType) { return close(); }
};

Status check_proportions(const std::vector<char>& text, std::uint64_t most_tree_bytes, const Origin& origin) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  TreeMeter meter{most_tree_bytes};
  const auto outcome = reader.Parse<parse_flags | rapidjson::kParseStopWhenDoneFlag>(stream, meter);
  if (!outcome.IsError()) return {};
  if (meter.too_deep) return error(fmt::format("found JSON nested deeper than {} levels", most_depth), origin);
  if (meter.too_large) return error("found JSON with far more values than the file's size accounts for", origin);
  return error(fmt::format("found damaged JSON at byte {}: {}", outcome.Offset(), rapidjson::GetParseError_En(outcome.Code())), origin);
}

}  // namespace

Result<JsonDocument> JsonDocument::parse(std::vector<std::byte> text, std::uint64_t most_tree_bytes, const Origin& origin) {
  JsonDocument parsed;
  const auto* begin = reinterpret_cast<const char*>(text.data());
  if (std::memchr(begin ? begin : "", 0, text.size())) return error("found a NUL byte in JSON", origin);
  parsed.text_.reserve(text.size() + 1);
  parsed.text_.assign(begin, begin + text.size());
  parsed.text_.push_back('\0');
  std::vector<std::byte>().swap(text);
  if (json::has_overlong_number({parsed.text_.data(), parsed.text_.size() - 1})) return error("found a number of more than 128 characters in JSON", origin);
  CORTEN_CHECK(check_proportions(parsed.text_, most_tree_bytes, origin));
  parsed.document_ = std::make_unique<rapidjson::Document>();
  parsed.document_->ParseInsitu<parse_flags>(parsed.text_.data());
  if (parsed.document_->HasParseError())
    return error(fmt::format("found damaged JSON at byte {}: {}", parsed.document_->GetErrorOffset(),
                             rapidjson::GetParseError_En(parsed.document_->GetParseError())),
                 origin);
  return parsed;
}

namespace json {

bool has_overlong_number(std::string_view text) {
  constexpr std::size_t longest = 128;
  std::size_t run = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
    run = digit ? run + 1 : 0;
    if (run > longest) return true;
  }
  return false;
}

const Json* field(const Json& value, const char* name) {
  if (!value.IsObject()) return nullptr;
  const auto found = value.FindMember(name);
  return found == value.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::optional<std::string> text(const Json* value) {
  if (!value || !value->IsString()) return std::nullopt;
  return std::string(value->GetString(), value->GetStringLength());
}

std::optional<std::int64_t> integer(const Json* value) {
  if (!value || !value->IsInt64()) return std::nullopt;
  return value->GetInt64();
}

std::optional<bool> boolean(const Json* value) {
  if (!value || !value->IsBool()) return std::nullopt;
  return value->GetBool();
}

std::optional<double> real(const Json* value) {
  if (!value) return std::nullopt;
  if (value->IsNumber()) return value->GetDouble();
  const auto word = text(value);
  if (word == "Infinity") return std::numeric_limits<double>::infinity();
  if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

std::vector<const Json*> elements(const Json* value) {
  std::vector<const Json*> result;
  if (!value || !value->IsArray()) return result;
  result.reserve(value->Size());
  for (const auto& element : value->GetArray()) result.push_back(&element);
  return result;
}

std::optional<UnionCase> union_case(const Json& value) {
  if (!value.IsObject() || value.MemberCount() != 1) return std::nullopt;
  const auto& member = *value.MemberBegin();
  return UnionCase{{member.name.GetString(), member.name.GetStringLength()}, &member.value};
}

}  // namespace json
}  // namespace corten
