// SPDX-License-Identifier: Apache-2.0
// Reads the few pickle opcodes torch.save writes into a tree of values; executes nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corten/result.h"

namespace corten {

/// `Call` is a global applied to arguments, `Persistent` a reference to data outside the pickle.
enum class PickleKind : std::uint8_t { None, Bool, Int, Float, String, Tuple, List, Dict, Global, Call, Persistent };

struct PickleValue {
  PickleKind kind = PickleKind::None;
  std::int64_t integer = 0;  // Bool, Int
  double real = 0;           // Float
  std::string text = {};     // String; Global and Call: "module.name"
  std::vector<std::uint32_t> items = {};  // Tuple, List, Call: elements; Dict: key, value, key, value …; Persistent: the one id
};

/// Values refer to each other by index. Shared and even circular references are possible: bound every walk.
struct Pickle {
  std::vector<PickleValue> values;
  std::uint32_t root = 0;

  const PickleValue& operator[](std::uint32_t index) const { return values[index]; }
};

/// Most values a pickle may hold.
inline constexpr std::size_t most_pickle_values = std::size_t{1} << 18;

/// Protocols 2 to 5. `allowed` lists the globals that may be named; `collections.OrderedDict` becomes a Dict.
/// Errors: any other global or opcode, damage, more than `most_pickle_values`.
Result<Pickle> parse_pickle(std::span<const std::byte> bytes, std::span<const std::string_view> allowed, const Origin& origin);

}  // namespace corten
