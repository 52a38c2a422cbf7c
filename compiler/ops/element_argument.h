// SPDX-License-Identifier: Apache-2.0
// Element types among the arguments of a source node: dtype, out_dtype.
#pragma once
#include <optional>

#include "compiler/ops/import.h"

namespace corten {

/// Nothing when the argument is absent or None.
inline std::optional<Element> element_argument(const Import& import, std::string_view name) {
  for (const auto& [key, value] : import.node().arguments)
    if (const auto* element = std::get_if<Element>(&value); element && key == name) return *element;
  return std::nullopt;
}

}  // namespace corten
