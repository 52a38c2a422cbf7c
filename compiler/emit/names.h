// SPDX-License-Identifier: Apache-2.0
// Names from a model that are safe in emitted C and C++.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace corten {

/// `name`, with '_' appended until C, C++, <cstring> and the emitted program mean nothing else by it and it is not in `taken`; then it is.
std::string safe_name(std::string name, std::set<std::string>& taken);

/// Text of the user's as the rest of a line comment: control characters become spaces, backslashes at the end go.
std::string comment_text(std::string_view text);

}  // namespace corten
