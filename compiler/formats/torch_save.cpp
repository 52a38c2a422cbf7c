// SPDX-License-Identifier: Apache-2.0
// From pickled constructor calls to strided views, and from those to tensors.
#include "compiler/formats/torch_save.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace corten {
namespace {

constexpr std::uint64_t unpacking_excess_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t tensor_excess_bytes = std::uint64_t{16} << 20;
constexpr std::size_t most_visits = std::size_t{1} << 18;

constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuild_tensor_with_type = "torch._utils._rebuild_tensor_v3";
constexpr std::string_view rebuild_parameter = "torch._utils._rebuild_parameter";
constexpr std::string_view rebuild_parameter_with_state = "torch._utils._rebuild_parameter_with_state";
constexpr std::string_view untyped_storage = "torch.storage.UntypedStorage";

struct StorageClass {
  std::string_view global;
  std::string_view scalar;
};
constexpr std::array storage_classes = {
    StorageClass{"torch.FloatStorage", "float32"},      StorageClass{"torch.DoubleStorage", "float64"},
    StorageClass{"torch.HalfStorage", "float16"},       StorageClass{"torch.BFloat16Storage", "bfloat16"},
    StorageClass{"torch.ByteStorage", "uint8"},         StorageClass{"torch.CharStorage", "int8"},
    StorageClass{"torch.ShortStorage", "int16"},        StorageClass{"torch.IntStorage", "int32"},
    StorageClass{"torch.LongStorage", "int64"},         StorageClass{"torch.BoolStorage", "bool"},
    StorageClass{"torch.ComplexFloatStorage", "complex64"}, StorageClass{"torch.ComplexDoubleStorage", "complex128"},
};
constexpr std::array other_globals = {
    rebuild_tensor,      rebuild_tensor_with_type,   rebuild_parameter,    rebuild_parameter_with_state, untyped_storage,
    std::string_view("torch.uint16"), std::string_view("torch.uint32"), std::string_view("torch.uint64"),
    std::string_view("torch.float8_e4m3fn"), std::string_view("torch.float8_e5m2"), std::string_view("torch.float8_e4m3fnuz"),
    std::string_view("torch.float8_e5m2fnuz"), std::string_view("torch.float8_e8m0fnu"),
};

std::vector<std::string_view> allowed_globals() {
  std::vector<std::string_view> names(other_globals.begin(), other_globals.end());
  for (const auto& storage : storage_classes) names.push_back(storage.global);
  return names;
}

std::optional<std::string_view> scalar_of_storage(std::string_view global) {
  for (const auto& storage : storage_classes)
    if (storage.global == global) return storage.scalar;
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> integers(const Pickle& pickle, const PickleValue& tuple) {
  if (tuple.kind != PickleKind::Tuple || tuple.items.size() > most_dimensions) return std::nullopt;
  std::vector<std::int64_t> result;
  for (const auto item : tuple.items) {
    if (pickle[item].kind != PickleKind::Int) return std::nullopt;
    result.push_back(pickle[item].integer);
  }
  return result;
}

struct StorageReference {
  std::string_view global;
  std::string key;
  std::int64_t elements = 0;
};

// ("storage", class, key, location, elements)
std::optional<StorageReference> storage_reference(const Pickle& pickle, const PickleValue& value) {
  if (value.kind != PickleKind::Persistent) return std::nullopt;
  const auto& id = pickle[value.items[0]];
  if (id.kind != PickleKind::Tuple || id.items.size() != 5) return std::nullopt;
  const auto part = [&](std::size_t i) -> const PickleValue& { return pickle[id.items[i]]; };
  if (part(0).kind != PickleKind::String || part(0).text != "storage" || part(1).kind != PickleKind::Global ||
      part(2).kind != PickleKind::String || part(4).kind != PickleKind::Int)
    return std::nullopt;
  return StorageReference{part(1).text, part(2).text, part(4).integer};
}

const ZipMember* find_pickle(const ZipArchive& archive) {
  for (const auto& member : archive.members()) {
    const auto slash = member.name.find('/');
    if (slash != std::string::npos && std::string_view(member.name).substr(slash) == "/data.pkl") return &member;
  }
  return archive.find("data.pkl");
}

Result<bool> stored_big_endian(const ZipArchive& archive, const std::string& member_name) {
  const auto* member = archive.find(member_name);
  if (!member || member->bytes != 3) return false;
  CORTEN_TRY(const auto text, archive.read(*member));
  return std::equal(text.begin(), text.end(), reinterpret_cast<const std::byte*>("big"));
}

class TensorWalk {
 public:
  TensorWalk(const TorchSave& saved, std::uint64_t file_bytes) : saved_(saved), budget_{file_bytes + tensor_excess_bytes} {}

  Result<std::vector<Tensor>> run() {
    std::vector<std::uint32_t> pending{saved_.pickle().root};
    for (std::size_t visits = 0; !pending.empty(); ++visits) {
      if (visits > most_visits || pending.size() > most_visits) return error("found a pickle too large or circular");
      const auto index = pending.back();
      pending.pop_back();
      if (saved_.is_tensor(index)) {
        CORTEN_CHECK(add(index));
        continue;
      }
      const auto& value = saved_.pickle()[index];
      if (value.kind == PickleKind::Call) return error(fmt::format("found {}, expected tensors and containers", value.text));
      for (auto item = value.items.rbegin(); item != value.items.rend(); ++item) pending.push_back(*item);
    }
    return std::move(tensors_);
  }

 private:
  Status add(std::uint32_t index) {
    Origin origin;
    origin.node = fmt::format("tensor {}", tensors_.size());
    CORTEN_TRY(const SavedTensor saved, saved_.tensor(index, origin));
    auto loaded = loaded_.find(saved.storage);
    if (loaded == loaded_.end()) {
      CORTEN_TRY(auto content, saved_.storage(saved.storage));
      loaded = loaded_.emplace(saved.storage, std::move(content)).first;
    }
    CORTEN_TRY(auto tensor, materialize(saved.view, loaded->second, saved_.big_endian(), budget_, origin));
    tensors_.push_back(std::move(tensor));
    return {};
  }

  const TorchSave& saved_;
  ByteBudget budget_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::vector<std::byte>> loaded_;
};

}  // namespace

Result<TorchSave> TorchSave::open(std::span<const std::byte> bytes, const Origin& origin, ByteBudget& excess) {
  CORTEN_TRY(auto archive, ZipArchive::open(bytes, origin, excess));
  TorchSave saved(std::move(archive));
  const auto* member = find_pickle(saved.archive_);
  if (!member) return error("found no data.pkl, expected a torch.save file", origin);
  saved.root_ = member->name.substr(0, member->name.size() - std::string_view("data.pkl").size());
  CORTEN_TRY(const auto text, saved.archive_.read(*member));
  const auto allowed = allowed_globals();
  CORTEN_TRY(saved.pickle_, parse_pickle(text, allowed, origin));
  CORTEN_TRY(saved.big_endian_, stored_big_endian(saved.archive_, saved.root_ + "byteorder"));
  return saved;
}

bool TorchSave::is_tensor(std::uint32_t index) const {
  const auto& value = pickle_[index];
  if (value.kind != PickleKind::Call) return false;
  return value.text == rebuild_tensor || value.text == rebuild_tensor_with_type || value.text == rebuild_parameter ||
         value.text == rebuild_parameter_with_state;
}

Result<SavedTensor> TorchSave::tensor(std::uint32_t index, const Origin& origin) const {
  const auto* value = &pickle_[index];
  // Arguments precede their call, so this chain can't be circular.
  while (is_tensor(index) && (value->text == rebuild_parameter || value->text == rebuild_parameter_with_state)) {
    if (value->items.empty()) return error("found a damaged parameter in a pickle", origin);
    index = value->items[0];
    value = &pickle_[index];
  }
  if (!is_tensor(index)) return error(fmt::format("'{}' is no plain dense tensor", origin.node), origin);
  return rebuilt(*value, origin);
}

// (storage, offset, sizes, strides, requires_grad, hooks[, scalar type])
Result<SavedTensor> TorchSave::rebuilt(const PickleValue& call, const Origin& origin) const {
  const auto damaged = [&] { return error(fmt::format("tensor '{}' is damaged in its pickle", origin.node), origin); };
  const bool typed = call.text == rebuild_tensor_with_type;
  if (call.items.size() < (typed ? 7u : 6u)) return damaged();
  const auto reference = storage_reference(pickle_, pickle_[call.items[0]]);
  const auto& offset = pickle_[call.items[1]];
  const auto sizes = integers(pickle_, pickle_[call.items[2]]);
  const auto strides = integers(pickle_, pickle_[call.items[3]]);
  if (!reference || offset.kind != PickleKind::Int || !sizes || !strides || sizes->size() != strides->size()) return damaged();
  std::optional<std::string_view> name = scalar_of_storage(reference->global);
  if (typed) {
    const auto& type = pickle_[call.items[6]];
    if (type.kind != PickleKind::Global || !type.text.starts_with("torch.")) return damaged();
    name = std::string_view(type.text).substr(6);
  }
  const auto* scalar = name ? torch_scalar(*name) : nullptr;
  if (!scalar) return damaged();
  return SavedTensor{{scalar, *sizes, *strides, offset.integer}, reference->key};
}

Result<std::vector<std::byte>> TorchSave::storage(const std::string& key) const {
  const auto* member = archive_.find(root_ + "data/" + key);
  if (!member) return error(fmt::format("found no storage '{}' in a torch.save file", key.substr(0, 200)));
  return archive_.read(*member);
}

std::vector<std::pair<std::string, std::uint32_t>> TorchSave::dictionary() const {
  std::vector<std::pair<std::string, std::uint32_t>> entries;
  const auto& root = pickle_[pickle_.root];
  if (root.kind != PickleKind::Dict) return entries;
  for (std::size_t i = 0; i + 1 < root.items.size(); i += 2)
    if (pickle_[root.items[i]].kind == PickleKind::String) entries.emplace_back(pickle_[root.items[i]].text, root.items[i + 1]);
  return entries;
}

Result<std::vector<Tensor>> read_saved_tensors(std::span<const std::byte> bytes) {
  ByteBudget excess{unpacking_excess_bytes};
  CORTEN_TRY(const auto saved, TorchSave::open(bytes, {}, excess));
  return TensorWalk(saved, bytes.size()).run();
}

}  // namespace corten
