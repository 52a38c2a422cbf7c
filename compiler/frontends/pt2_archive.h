// SPDX-License-Identifier: Apache-2.0
// The container of a .pt2 file: finds the program and the constants in each of the layouts torch.export has written.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/formats/json.h"
#include "compiler/formats/torch_save.h"
#include "compiler/formats/zip.h"

namespace corten::pt2 {

/// A parameter, buffer or lifted constant that the graph reads.
struct ConstantRequest {
  std::string name;       // fully qualified: "conv.weight"
  bool in_constants = false;  // where to look first: lifted constants and buffers that aren't persistent lie apart
  Origin origin;
};

/// The bytes it was opened on must outlive it.
class Archive {
 public:
  /// Errors: no .pt2 archive, several programs, damage.
  static Result<Archive> open(std::span<const std::byte> bytes, const Origin& origin);

  /// The serialized ExportedProgram.
  Result<JsonDocument> program() const;
  /// One tensor per request, in the same order. All that fail are reported.
  Result<std::vector<Tensor>> load(const std::vector<ConstantRequest>& requests) const;

 private:
  // A tensor in a raw storage member, or in the torch.save file of its index.
  struct Location {
    const TorchSave* saved = nullptr;
    std::uint32_t saved_value = 0;
    std::string storage;
    StridedTensor view;
    std::string refusal;
  };
  using Locations = std::map<std::string, Location>;

  explicit Archive(ZipArchive zip) : zip_(std::move(zip)) {}
  Status probe();
  Status probe_rooted();
  Status choose_program();
  Status locate(const std::string& kind, Locations& into);
  Status locate_saved(const ZipMember& member, Locations& into);
  Status locate_raw(const ZipMember& config, const std::string& folder, Locations& into);
  Status read_byte_order();
  std::vector<std::pair<Location, std::size_t>> locate_all(const std::vector<ConstantRequest>& requests, Diagnostics& problems) const;
  Result<Location> resolve(const ConstantRequest& request) const;
  Result<std::vector<std::byte>> load_storage(const Location& location) const;

  std::uint64_t file_bytes_ = 0;
  Origin origin_;
  ByteBudget excess_;
  ZipArchive zip_;
  std::string root_;
  std::string program_member_;
  std::string model_;
  bool big_endian_ = false;
  std::vector<std::unique_ptr<std::vector<std::byte>>> saved_bytes_;
  std::vector<std::unique_ptr<TorchSave>> saved_;
  Locations weights_;
  Locations constants_;
};

}  // namespace corten::pt2
