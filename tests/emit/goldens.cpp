// SPDX-License-Identifier: Apache-2.0
// The emitted text of tests/emit/*.cir is that of the *.golden file beside it, the same each time. CORTEN_BLESS=1 writes it instead.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "tests/emit/program_of.h"

namespace corten {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The graph of `NAME.cir`; "bytes" constants are 1, −2, 3, −4 …
Result<Program> read_program(const std::string& name, std::string_view core) {
  std::vector<std::byte> constants;
  for (int i = 1; i <= 64; ++i) constants.push_back(static_cast<std::byte>(i % 2 ? i : -i));
  CORTEN_TRY(auto graph, parse(read(fs::path(CORTEN_SOURCE_DIR) / "tests" / "emit" / (name + ".cir")), constants, name + ".cir"));
  CORTEN_CHECK(verify(graph));
  CORTEN_CHECK(run_passes(graph, "lower", "lower"));
  return make_program(std::move(graph), *find_core(core), {});
}

std::string joined(const Files& files) {
  std::string text;
  for (const auto& [name, content] : files) text += fmt::format("==== {}\n{}", name, content);
  return text;
}

class Golden : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Golden, IsWhatIsEmitted) {
  const auto [name, core] = GetParam();
  const auto program = read_program(name, core);
  ASSERT_TRUE(program.ok()) << program.diagnostics().front().message;
  const auto path = fs::path(CORTEN_SOURCE_DIR) / "tests" / "emit" / fmt::format("{}.golden", name);
  const auto found = joined({{name + std::string(".h"), emit_header(*program)}, {name + std::string(".cpp"), emit_source(*program)}, {name + std::string("_weights.cpp"), emit_weights(*program)}});
  if (std::getenv("CORTEN_BLESS")) std::ofstream(path, std::ios::binary) << found;
  EXPECT_EQ(found, read(path));
}

TEST_P(Golden, Compiles) { EXPECT_EQ(test::complaints(*read_program(GetParam().first, "host")), ""); }

TEST_P(Golden, IsTheSameWhereverThingsLieInMemory) {
  const auto [name, core] = GetParam();
  const auto first = joined(emit(*read_program(name, core), true));
  std::vector<std::unique_ptr<char[]>> holes;
  for (std::size_t i = 0; i < 200; ++i) {
    holes.push_back(std::make_unique<char[]>(i * 37 % 1000 + 1));
    if (i % 3 == 0) holes.erase(holes.begin() + static_cast<std::ptrdiff_t>(i * 7 % holes.size()));
    if (i % 20) continue;
    ASSERT_EQ(joined(emit(*read_program(name, core), true)), first);
  }
}

INSTANTIATE_TEST_SUITE_P(Emit, Golden, testing::Values(std::pair{"perceptron", "cortex-m4"}, std::pair{"two_ends", "cortex-m55"}), [](const auto& info) { return std::string(info.param.first); });

TEST(Emit, RuntimeHeadersAreThoseThatTheProgramReads) {
  const auto files = emit(*read_program("perceptron", "cortex-m4"), true);
  EXPECT_TRUE(files.count("corten/rt/fully_connected.h"));
  EXPECT_TRUE(files.count("corten/rt/requantize.h"));
  EXPECT_FALSE(files.count("corten/rt/conv2d.h"));
  EXPECT_FALSE(files.count("corten/rt/softmax.h"));
  for (const auto& [name, text] : emit(*read_program("perceptron", "cortex-m4"), false)) EXPECT_FALSE(name.starts_with("corten/")) << name;
}

}  // namespace
}  // namespace corten
