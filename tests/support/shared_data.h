// SPDX-License-Identifier: Apache-2.0
// Finds the reference data that lies beside the repository.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace corten::test {

/// Folder of the reference data: $CORTEN_SHARED, or ../shared beside the repository.
inline std::filesystem::path shared_folder() {
  if (const char* folder = std::getenv("CORTEN_SHARED")) return folder;
  return std::filesystem::path(CORTEN_SOURCE_DIR) / ".." / "shared";
}

inline std::filesystem::path shared_data(const std::string& relative) { return shared_folder() / "data" / relative; }

inline bool in_ci() {
  const char* ci = std::getenv("CI");
  return ci && std::string(ci) == "true";
}

}  // namespace corten::test

/// Skips the test when `path` is missing; fails instead under CI=true, where the data must be there.
#define CORTEN_NEED_DATA(path)                                                           \
  if (!std::filesystem::exists(path)) {                                                  \
    if (corten::test::in_ci()) FAIL() << "reference data is missing: " << (path);        \
    GTEST_SKIP() << "reference data is missing: " << (path);                             \
  }
