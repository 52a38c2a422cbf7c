// SPDX-License-Identifier: Apache-2.0
// Hand-written stand-ins for emitted programs, and folders to build them in.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/simulate.h"

namespace corten::test {

/// A folder that lives as long as the object.
class Workspace {
 public:
  Workspace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "corten_simulate_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Workspace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct FakeProgram {
  std::string name = "fake";
  std::size_t arena_bytes = 32;
  std::size_t input_bytes = 8;   // at offset 0
  std::size_t output_bytes = 8;  // at offset 16
  std::vector<std::string> layers = {};
  std::string source = {};  // defines NAME::run(void*); `bytes(arena)` is the arena as std::uint8_t*
};

inline void write_file(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }

/// Writes header and source of `fake` into a folder of its own.
inline SimulatedProgram write_program(const Workspace& workspace, const FakeProgram& fake) {
  const std::filesystem::path folder = workspace.path() / fake.name;
  std::filesystem::create_directories(folder);
  write_file(folder / (fake.name + ".h"),
             "#pragma once\n#include <cstddef>\n#include <cstdint>\nnamespace " + fake.name +
                 " {\ninline constexpr std::size_t arena_bytes = " + std::to_string(fake.arena_bytes) +
                 ";\nvoid run(const std::int8_t*, std::int8_t*, void*) noexcept;\nvoid run(void* arena) noexcept;\n"
                 "inline std::int8_t* input(void* arena) noexcept { return static_cast<std::int8_t*>(arena); }\n"
                 "inline const std::int8_t* output(const void* arena) noexcept { return static_cast<const std::int8_t*>(arena) + 16; }\n}\n");
  write_file(folder / (fake.name + ".cpp"),
             "#include \"" + fake.name + ".h\"\nnamespace " + fake.name +
                 " {\n[[maybe_unused]] static std::uint8_t* bytes(void* arena) { return static_cast<std::uint8_t*>(arena); }\n" +
                 fake.source + "\n}\n");
  return {fake.name, folder, {{"input", fake.input_bytes}}, {{"output", fake.output_bytes}}, fake.arena_bytes, fake.layers};
}

inline std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

/// Builds and runs `programs` on `core`; the diagnostics of whichever step fails.
inline Result<std::vector<Run>> build_and_run(const Workspace& workspace, std::string_view core,
                                              const std::vector<SimulatedProgram>& programs,
                                              const std::vector<std::vector<std::byte>>& inputs,
                                              const SimulateOptions& options = {}) {
  CORTEN_TRY(const Elf elf, build(*find_core(core), programs, workspace.path() / std::string(core)));
  return simulate(elf, inputs, options);
}

inline std::string message_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.message + "\n";
  return text;
}

inline std::vector<std::string> core_names() {
  std::vector<std::string> names;
  for (const Core* core : simulated_cores()) names.emplace_back(core->name);
  return names;
}

inline std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

class EachCore : public ::testing::TestWithParam<std::string> {
 protected:
  Workspace workspace;
};

}  // namespace corten::test
