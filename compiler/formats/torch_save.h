// SPDX-License-Identifier: Apache-2.0
// Reads files written by torch.save: a zip of one pickle and its storages.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/formats/pickle.h"
#include "compiler/formats/torch_storage.h"
#include "compiler/formats/zip.h"

namespace corten {

/// A tensor as saved: a view of the storage kept under `storage`.
struct SavedTensor {
  StridedTensor view;
  std::string storage;
};

/// The bytes it was opened on must outlive it.
class TorchSave {
 public:
  /// Errors: not a torch.save zip, a pickle beyond tensors, containers and numbers, more than `excess` when unpacked.
  static Result<TorchSave> open(std::span<const std::byte> bytes, const Origin& origin, ByteBudget& excess);

  const Pickle& pickle() const { return pickle_; }
  bool big_endian() const { return big_endian_; }
  /// Whether the value is a tensor or parameter.
  bool is_tensor(std::uint32_t value) const;
  /// Errors: a tensor that isn't plain and dense, or damage.
  Result<SavedTensor> tensor(std::uint32_t value, const Origin& origin) const;
  /// Content of a storage.
  Result<std::vector<std::byte>> storage(const std::string& key) const;
  /// Key and value of the outermost dictionary, where keys are text; empty if it's none.
  std::vector<std::pair<std::string, std::uint32_t>> dictionary() const;

 private:
  explicit TorchSave(ZipArchive archive) : archive_(std::move(archive)) {}
  Result<SavedTensor> rebuilt(const PickleValue& call, const Origin& origin) const;

  ZipArchive archive_;
  std::string root_;
  Pickle pickle_;
  bool big_endian_ = false;
};

/// Every tensor of a torch.save file in order of appearance (containers are walked in depth), contiguous.
Result<std::vector<Tensor>> read_saved_tensors(std::span<const std::byte> bytes);

}  // namespace corten
