// SPDX-License-Identifier: Apache-2.0
// Reads and writes .npy headers and data.
#include "compiler/formats/npy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "compiler/formats/zip.h"
#include "compiler/ir/number_text.h"

namespace corten {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Header {
  std::string element;  // "f4"
  Shape shape;
  std::size_t data = 0;  // where elements begin
};

Diagnostic damaged(const std::string& file, std::string what) { return error("not a NumPy array: " + std::move(what), {file, "", "", "", ""}); }

/// Text behind "'key':" in the header's dictionary.
std::string_view field(std::string_view dictionary, std::string_view key) {
  const auto at = dictionary.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) return {};
  auto rest = dictionary.substr(at + key.size() + 3);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

std::optional<Shape> parse_shape(std::string_view text) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  auto inside = std::string(text.substr(1, end - 1));
  while (!inside.empty() && (inside.back() == ',' || inside.back() == ' ')) inside.pop_back();
  return parse_list<std::int64_t>("[" + inside + "]");
}

Result<Header> read_header(std::span<const std::byte> bytes, const std::string& file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(magic) || text.size() < 12) return damaged(file, "no header");
  const bool wide = text[6] >= 2;
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  const std::size_t length = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
  const std::size_t begin = wide ? 12 : 10;
  if (length > text.size() - begin) return damaged(file, "the header ends early");
  const auto dictionary = text.substr(begin, length);
  const auto descr = field(dictionary, "descr");
  const auto shape = parse_shape(field(dictionary, "shape"));
  if (descr.size() < 5 || !shape) return damaged(file, "the header has no type or no shape");
  if (field(dictionary, "fortran_order").starts_with("True")) return damaged(file, "Fortran order is not supported");
  if (descr[1] == '>') return damaged(file, "big-endian elements are not supported");
  return Header{std::string(descr.substr(2, 2)), *shape, begin + length};
}

std::optional<Element> element_of(const std::string& code) {
  if (code == "f4" || code == "f8") return Element::F32;
  if (code == "i1") return Element::I8;
  if (code == "u1") return Element::U8;
  if (code == "b1") return Element::Bool;
  if (code == "i2") return Element::I16;
  if (code == "i4") return Element::I32;
  if (code == "i8") return Element::I64;
  return std::nullopt;
}

std::string code_of(Element element) {
  switch (element) {
    case Element::F32: return "<f4";
    case Element::I8: return "|i1";
    case Element::U8: return "|u1";
    case Element::Bool: return "|b1";
    case Element::I16: return "<i2";
    case Element::I32: return "<i4";
    case Element::I64: return "<i8";
  }
  return {};
}

}  // namespace

Result<Tensor> read_npy(std::span<const std::byte> bytes, const std::string& file) {
  CORTEN_TRY(const auto header, read_header(bytes, file));
  const auto element = element_of(header.element);
  if (!element) return damaged(file, fmt::format("elements of type {} are not supported", header.element));
  const bool narrowed = header.element == "f8";
  std::int64_t count = static_cast<std::int64_t>(narrowed ? 8 : element_bytes(*element));
  for (auto extent : header.shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return damaged(file, "the shape is too large");
  if (static_cast<std::size_t>(count) > bytes.size() - header.data) return damaged(file, "the data ends early");
  Tensor tensor(*element, header.shape);
  if (!narrowed) {
    if (count) std::memcpy(tensor.bytes.data(), bytes.data() + header.data, static_cast<std::size_t>(count));
    return tensor;
  }
  for (std::size_t i = 0; i < tensor.as<float>().size(); ++i) {
    double value;
    std::memcpy(&value, bytes.data() + header.data + 8 * i, 8);
    tensor.as<float>()[i] = static_cast<float>(value);
  }
  return tensor;
}

std::vector<std::byte> write_npy(const Tensor& tensor) {
  auto dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", code_of(tensor.element), fmt::join(tensor.shape, ", "), tensor.shape.size() == 1 ? "," : "");
  constexpr std::size_t alignment = 64, prefix = 10;
  dictionary.resize((prefix + dictionary.size() + 1 + alignment - 1) / alignment * alignment - prefix - 1, ' ');
  dictionary += '\n';
  std::string head(magic);
  head += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  head += dictionary;
  std::vector<std::byte> bytes(head.size() + tensor.bytes.size());
  std::memcpy(bytes.data(), head.data(), head.size());
  if (!tensor.bytes.empty()) std::memcpy(bytes.data() + head.size(), tensor.bytes.data(), tensor.bytes.size());
  return bytes;
}

Result<std::vector<std::pair<std::string, Tensor>>> read_npz(std::span<const std::byte> bytes, const std::string& file) {
  // Deflate gets at most 1032 bytes out of one: an archive that promises more lies.
  ByteBudget excess{std::min<std::uint64_t>(std::uint64_t{1} << 32, 1032 * bytes.size())};
  CORTEN_TRY(const auto archive, ZipArchive::open(bytes, {file, "", "", "", ""}, excess));
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const auto& member : archive.members()) {
    CORTEN_TRY(const auto content, archive.read(member));
    CORTEN_TRY(auto tensor, read_npy(content, file + ":" + member.name));
    auto name = member.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    arrays.emplace_back(std::move(name), std::move(tensor));
  }
  return arrays;
}

}  // namespace corten
