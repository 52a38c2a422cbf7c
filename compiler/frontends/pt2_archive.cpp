// SPDX-License-Identifier: Apache-2.0
// Probing of .pt2 layouts by their members, never by the torch version.
#include "compiler/frontends/pt2_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace corten::pt2 {
namespace {

constexpr std::uint64_t unpacking_excess_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t tensor_excess_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t program_excess_bytes = std::uint64_t{8} << 20;
constexpr std::uint64_t tree_excess_bytes = std::uint64_t{16} << 20;
constexpr std::int64_t strided_layout = 7;

constexpr const char* old_program = "serialized_exported_program.json";
constexpr const char* export_help = "write the file with torch.export.save(torch.export.export(model, inputs), path)";

std::string shortened(const std::string& text) { return text.substr(0, 200); }

void collect(const Diagnostics& more, Diagnostics& into) {
  for (const auto& one : more)
    if (into.size() < max_diagnostics) into.push_back(one);
}

std::optional<std::vector<std::int64_t>> integers(const Json* list) {
  std::vector<std::int64_t> result;
  for (const auto* entry : json::elements(list)) {
    const auto value = json::integer(json::field(*entry, "as_int"));
    if (!value || result.size() > most_dimensions) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::string parse_tensor_meta(const Json& meta, StridedTensor& view) {
  const auto code = json::integer(json::field(meta, "dtype"));
  if (!code) return "has no scalar type";
  view.scalar = torch_scalar(*code);
  if (!view.scalar) return fmt::format("has scalar type {}, which is unknown", *code);
  if (json::integer(json::field(meta, "layout")).value_or(strided_layout) != strided_layout) return "is sparse, expected a dense tensor";
  auto sizes = integers(json::field(meta, "sizes"));
  auto strides = integers(json::field(meta, "strides"));
  if (!sizes || !strides || sizes->size() != strides->size()) return "has damaged sizes or strides";
  view.sizes = std::move(*sizes);
  view.strides = std::move(*strides);
  const auto* offset = json::field(meta, "storage_offset");
  view.offset = offset ? json::integer(json::field(*offset, "as_int")).value_or(-1) : 0;
  return {};
}

}  // namespace

Result<Archive> Archive::open(std::span<const std::byte> bytes, const Origin& origin) {
  ByteBudget excess{unpacking_excess_bytes};
  auto zip = ZipArchive::open(bytes, origin, excess);
  if (!zip) {
    auto diagnostics = zip.diagnostics();
    for (auto& diagnostic : diagnostics) diagnostic.help = export_help;
    return diagnostics;
  }
  Archive archive(std::move(*zip));
  archive.file_bytes_ = bytes.size();
  archive.origin_ = origin;
  archive.excess_ = excess;
  CORTEN_CHECK(archive.probe());
  return archive;
}

Status Archive::probe() {
  for (const auto& member : zip_.members()) {
    const auto slash = member.name.rfind('/');
    const auto stem = slash == std::string::npos ? member.name : member.name.substr(slash + 1);
    if (stem != "archive_format" || std::count(member.name.begin(), member.name.end(), '/') > 1) continue;
    root_ = slash == std::string::npos ? "" : member.name.substr(0, slash + 1);
    return probe_rooted();
  }
  if (zip_.find(old_program)) {
    program_member_ = old_program;
    const auto* weights = zip_.find("serialized_state_dict.pt");
    const auto* constants = zip_.find("serialized_constants.pt");
    if (weights) CORTEN_CHECK(locate_saved(*weights, weights_));
    if (constants) CORTEN_CHECK(locate_saved(*constants, constants_));
    return {};
  }
  for (const auto& member : zip_.members())
    if (member.name.ends_with("data.pkl"))
      return error("found a torch.save or TorchScript file, expected an exported program", origin_, export_help);
  return error("found a zip archive without an exported program", origin_, export_help);
}

Status Archive::probe_rooted() {
  CORTEN_CHECK(choose_program());
  CORTEN_CHECK(read_byte_order());
  CORTEN_CHECK(locate("weights", weights_));
  return locate("constants", constants_);
}

Status Archive::choose_program() {
  const std::string folder = root_ + "models/";
  std::vector<std::string> models;
  for (const auto& member : zip_.members())
    if (member.name.starts_with(folder) && member.name.ends_with(".json") && member.name.find('/', folder.size()) == std::string::npos)
      models.push_back(member.name.substr(folder.size(), member.name.size() - folder.size() - 5));
  if (models.empty()) return error("found an archive without models/*.json; ahead-of-time compiled packages have none", origin_, export_help);
  const bool named = std::find(models.begin(), models.end(), "model") != models.end();
  if (!named && models.size() > 1)
    return error(fmt::format("found {} models ('{}', '{}' …), expected one", models.size(), shortened(models[0]), shortened(models[1])), origin_,
                 "save one model per file");
  model_ = named ? "model" : models[0];
  program_member_ = folder + model_ + ".json";
  return {};
}

Status Archive::read_byte_order() {
  const auto* member = zip_.find(root_ + "byteorder");
  if (!member || member->bytes > 16) return {};
  CORTEN_TRY(const auto text, zip_.read(*member));
  big_endian_ = text.size() >= 3 && std::equal(text.begin(), text.begin() + 3, reinterpret_cast<const std::byte*>("big"));
  return {};
}

Status Archive::locate(const std::string& kind, Locations& into) {
  const std::string folder = root_ + "data/" + kind + "/";
  if (const auto* saved = zip_.find(folder + model_ + ".pt")) return locate_saved(*saved, into);
  if (const auto* config = zip_.find(folder + model_ + "_" + kind + "_config.json")) return locate_raw(*config, folder, into);
  return {};
}

Status Archive::locate_saved(const ZipMember& member, Locations& into) {
  if (member.bytes == 0) return {};
  CORTEN_TRY(auto bytes, zip_.read(member));
  saved_bytes_.push_back(std::make_unique<std::vector<std::byte>>(std::move(bytes)));
  CORTEN_TRY(auto saved, TorchSave::open(*saved_bytes_.back(), origin_, excess_));
  saved_.push_back(std::make_unique<TorchSave>(std::move(saved)));
  for (const auto& [name, value] : saved_.back()->dictionary()) {
    Location location;
    location.saved = saved_.back().get();
    location.saved_value = value;
    into.emplace(name, std::move(location));
  }
  return {};
}

Status Archive::locate_raw(const ZipMember& config, const std::string& folder, Locations& into) {
  if (config.bytes > file_bytes_ + program_excess_bytes) return error("found a constants list out of proportion", origin_);
  CORTEN_TRY(auto text, zip_.read(config));
  CORTEN_TRY(const auto document, JsonDocument::parse(std::move(text), tree_excess_bytes / 2 + file_bytes_, origin_));
  const auto* entries = json::field(document.root(), "config");
  if (!entries || !entries->IsObject()) return error(fmt::format("found no constants list in '{}'", config.name), origin_);
  for (const auto& entry : entries->GetObject()) {
    Location location;
    const auto path = json::text(json::field(entry.value, "path_name"));
    const auto* meta = json::field(entry.value, "tensor_meta");
    if (!meta) location.refusal = "is a custom object, expected a tensor";
    else if (json::boolean(json::field(entry.value, "use_pickle")).value_or(false)) location.refusal = "is a pickled tensor subclass, expected a plain tensor";
    else if (!path || path->find('/') != std::string::npos) location.refusal = "has a damaged file name";
    else location.refusal = parse_tensor_meta(*meta, location.view);
    if (path) location.storage = folder + *path;
    into.emplace(std::string(entry.name.GetString(), entry.name.GetStringLength()), std::move(location));
  }
  return {};
}

Result<JsonDocument> Archive::program() const {
  const auto& member = *zip_.find(program_member_);
  if (member.bytes > file_bytes_ + program_excess_bytes) return error("found a program out of proportion to the file", origin_);
  CORTEN_TRY(auto text, zip_.read(member));
  return JsonDocument::parse(std::move(text), tree_excess_bytes + file_bytes_, origin_);
}

Result<Archive::Location> Archive::resolve(const ConstantRequest& request) const {
  const auto& first = request.in_constants ? constants_ : weights_;
  const auto& second = request.in_constants ? weights_ : constants_;
  auto found = first.find(request.name);
  if (found == first.end()) {
    found = second.find(request.name);
    if (found == second.end()) return error(fmt::format("found no data for '{}' in the archive", shortened(request.name)), request.origin);
  }
  Location location = found->second;
  if (!location.refusal.empty()) return error(fmt::format("'{}' {}", shortened(request.name), location.refusal), request.origin);
  if (!location.saved) return location;
  CORTEN_TRY(SavedTensor tensor, location.saved->tensor(location.saved_value, request.origin));
  location.storage = std::move(tensor.storage);
  location.view = std::move(tensor.view);
  return location;
}

Result<std::vector<std::byte>> Archive::load_storage(const Location& location) const {
  if (location.saved) return location.saved->storage(location.storage);
  const auto* member = zip_.find(location.storage);
  if (!member) return error(fmt::format("found no member '{}'", shortened(location.storage)), origin_);
  return zip_.read(*member);
}

Result<std::vector<Tensor>> Archive::load(const std::vector<ConstantRequest>& requests) const {
  Diagnostics problems;
  const auto located = locate_all(requests, problems);
  std::vector<Tensor> tensors(requests.size());
  ByteBudget budget{file_bytes_ + tensor_excess_bytes};
  const Location* held = nullptr;
  Result<std::vector<std::byte>> storage = std::vector<std::byte>();
  for (const auto& [location, index] : located) {
    if (!held || held->saved != location.saved || held->storage != location.storage) {
      storage = std::vector<std::byte>();  // freed before the next is read
      storage = load_storage(location);
      held = &location;
    }
    if (!storage) {
      collect(storage.diagnostics(), problems);
      continue;
    }
    const bool big = location.saved ? location.saved->big_endian() : big_endian_;
    auto tensor = materialize(location.view, *storage, big, budget, requests[index].origin);
    if (tensor) tensors[index] = std::move(*tensor);
    else collect(tensor.diagnostics(), problems);
  }
  if (!problems.empty()) return problems;
  return tensors;
}

// Neighbors in the result share a storage, so that each is read once and only one is held.
std::vector<std::pair<Archive::Location, std::size_t>> Archive::locate_all(const std::vector<ConstantRequest>& requests,
                                                                           Diagnostics& problems) const {
  std::vector<std::pair<Location, std::size_t>> located;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto location = resolve(requests[i]);
    if (location) located.emplace_back(std::move(*location), i);
    else collect(location.diagnostics(), problems);
  }
  std::stable_sort(located.begin(), located.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.saved, a.first.storage) < std::tie(b.first.saved, b.first.storage);
  });
  return located;
}

}  // namespace corten::pt2
