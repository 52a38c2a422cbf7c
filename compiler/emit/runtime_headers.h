// SPDX-License-Identifier: Apache-2.0
// The device headers, compiled in so that an installed compiler finds them.
#pragma once
#include <span>
#include <string_view>
#include <utility>

namespace corten {

/// File name ("conv2d.h") and text of every header of runtime/include/corten/rt.
std::span<const std::pair<std::string_view, std::string_view>> runtime_headers();

}  // namespace corten
