// SPDX-License-Identifier: Apache-2.0
// What the user may have meant by a misspelled word.
#pragma once
#include <span>
#include <string_view>

namespace corten {

/// The word of `known` the fewest edits away from `word`; empty when none is close (a third of its letters, at least 2).
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace corten
