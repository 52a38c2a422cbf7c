// SPDX-License-Identifier: Apache-2.0
// Reads the section and symbol tables of object files and linked programs.
#include "simulate/elf_file.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace corten {
namespace {

/// Record `index` of type T in the table at `offset`, if it lies within the bytes.
template <class T>
std::optional<T> record(const std::string& bytes, std::size_t offset, std::size_t index = 0) {
  const std::size_t begin = offset + index * sizeof(T);
  if (begin > bytes.size() || bytes.size() - begin < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + begin, sizeof value);
  return value;
}

std::string text_at(const std::string& bytes, std::size_t offset) {
  if (offset >= bytes.size()) return {};
  const std::size_t end = bytes.find('\0', offset);
  return bytes.substr(offset, end == std::string::npos ? end : end - offset);
}

void remove_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
}

std::string written_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         std::free);
  if (status != 0) return symbol.substr(0, symbol.find('.'));
  std::string name = demangled.get();
  remove_all(name, "(anonymous namespace)::");
  return name.substr(0, name.find_first_of("(["));
}

std::vector<Elf32_Shdr> section_headers(const std::string& bytes, const Elf32_Ehdr& header) {
  std::vector<Elf32_Shdr> headers;
  for (std::size_t i = 0; i < header.e_shnum; i++) {
    const auto section = record<Elf32_Shdr>(bytes, header.e_shoff, i);
    if (!section) break;
    headers.push_back(*section);
  }
  return headers;
}

void add_functions(const std::string& bytes, const std::vector<Elf32_Shdr>& sections, const Elf32_Shdr& table,
                   ElfContent& content) {
  if (table.sh_link >= sections.size()) return;
  const std::size_t names = sections[table.sh_link].sh_offset;
  for (std::size_t i = 0; i < table.sh_size / sizeof(Elf32_Sym); i++) {
    const auto symbol = record<Elf32_Sym>(bytes, table.sh_offset, i);
    if (!symbol) return;
    if (ELF32_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
    const std::string name = text_at(bytes, names + symbol->st_name);
    content.functions.push_back({symbol->st_value & ~1u, symbol->st_size, name, written_name(name)});
  }
}

}  // namespace

Result<ElfContent> read_elf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto header = record<Elf32_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS32)
    return error(fmt::format("{} is not a 32-bit ELF file", path.string()));

  const std::vector<Elf32_Shdr> sections = section_headers(bytes, *header);
  const std::size_t names = header->e_shstrndx < sections.size() ? sections[header->e_shstrndx].sh_offset : bytes.size();
  ElfContent content;
  for (const Elf32_Shdr& section : sections) {
    const bool loaded = (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOBITS;
    const bool writable = (section.sh_flags & SHF_WRITE) != 0;
    content.sections.push_back({text_at(bytes, names + section.sh_name), section.sh_size, loaded, writable});
    if (section.sh_type == SHT_SYMTAB) add_functions(bytes, sections, section, content);
  }
  std::ranges::stable_sort(content.functions, {}, &ElfFunction::address);
  return content;
}

const ElfFunction* function_at(const ElfContent& elf, std::uint32_t address) {
  const auto after = std::ranges::upper_bound(elf.functions, address, {}, &ElfFunction::address);
  if (after == elf.functions.begin()) return nullptr;
  const ElfFunction& found = *std::prev(after);
  return address - found.address < std::max(found.bytes, 1u) ? &found : nullptr;
}

}  // namespace corten
