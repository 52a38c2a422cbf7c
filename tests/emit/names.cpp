// SPDX-License-Identifier: Apache-2.0
// Names that mean something in C++, in the C library or in the runtime still give programs that compile.
#include <fmt/format.h>

#include "tests/emit/program_of.h"

namespace corten {
namespace {

using test::complaints;
using test::program_of;

constexpr const char* grid = "i8[1, 4] quantized(scale 0.5, zero_point 0)";

std::string chain(const std::string& graph_name, const std::vector<std::string>& layers) {
  auto text = fmt::format("graph {} folded rounding double\ninput %v0: {}\n", graph_name, grid);
  for (std::size_t i = 0; i < layers.size(); ++i) text += fmt::format("%v{}: {} = add(%v{}, %v0) as {}\n", i + 1, grid, i, layers[i]);
  return text + fmt::format("output %v{}\n", layers.size());
}

std::string complaints_about(const std::string& text) {
  const auto program = program_of(text);
  return program ? complaints(*program) : program.diagnostics().front().message;
}

class LayerName : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(LayerName, Compiles) { EXPECT_EQ(complaints_about(chain("net", GetParam())), ""); }

INSTANTIATE_TEST_SUITE_P(Names, LayerName,
                         testing::Values(std::vector<std::string>{"int", "class", "return"}, std::vector<std::string>{"run", "input", "output", "arena", "layers", "constants", "net"},
                                         std::vector<std::string>{"rt", "std", "corten"}, std::vector<std::string>{"add", "conv2d", "softmax", "requantize", "Rounding", "Add"},
                                         std::vector<std::string>{"memcpy", "printf", "main"}, std::vector<std::string>{"NULL", "INT8_MAX", "CORTEN_LAYER"}),
                         [](const auto& info) { return info.param.front() + "_and_others"; });

class GraphName : public testing::TestWithParam<const char*> {};

TEST_P(GraphName, Compiles) { EXPECT_EQ(complaints_about(chain(GetParam(), {"first"})), ""); }

INSTANTIATE_TEST_SUITE_P(Names, GraphName, testing::Values("int", "float", "rt", "std", "corten", "layers", "constants", "memcpy", "NULL", "add", "run"),
                         [](const auto& info) { return std::string(info.param); });

class EndNames : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(EndNames, Compile) {
  const auto [first, second] = GetParam();
  EXPECT_EQ(complaints_about(fmt::format("graph net folded rounding double\ninput %{0}: {2}\ninput %{1}: {2}\n%sum: {2} = add(%{0}, %{1}) as sum\n%twice: {2} = add(%sum, %{1}) as twice\noutput %sum\noutput %twice\n", first, second, grid)), "");
}

INSTANTIATE_TEST_SUITE_P(Names, EndNames, testing::Values(std::pair{"int", "default"}, std::pair{"arena", "arena_data"}, std::pair{"input", "output"}, std::pair{"Element", "scale"}, std::pair{"run", "std"}, std::pair{"a", "a_data"}),
                         [](const auto& info) { return std::string(info.param.first) + "_and_" + info.param.second; });

TEST(Names, OneInputBesideAnOutputThatIsCalledInput) {
  EXPECT_EQ(complaints_about(fmt::format("graph net folded rounding double\ninput %x: {0}\n%a: {0} = add(%x, %x) as input\n%b: {0} = add(%a, %x) as y\noutput %a\noutput %b\n", grid)), "");
}

TEST(Names, OneValueIsTwoOutputs) {
  EXPECT_EQ(complaints_about(fmt::format("graph net folded rounding double\ninput %x: {0}\n%y: {0} = add(%x, %x) as a\noutput %y\noutput %y\n", grid)), "");
}

TEST(Names, AnInputIsAnOutput) {
  EXPECT_EQ(complaints_about(fmt::format("graph net folded rounding double\ninput %x: {0}\ninput %z: {0}\n%y: {0} = add(%x, %z) as a\noutput %x\noutput %y\n", grid)), "");
}

TEST(Names, NothingButEnds) { EXPECT_EQ(complaints_about(fmt::format("graph net integer rounding double\ninput %x: {0}\noutput %x\n", grid)), ""); }

TEST(Names, SourceLinesCantLeaveTheirComment) {
  for (const auto* source : {"net.py:1 in forward: x = a + \\\\", "net.py:1\\n#error injected"})
    EXPECT_EQ(complaints_about(fmt::format("graph net folded rounding double\ninput %x: {0}\n%y: {0} = add(%x, %x) as a at {{source \"{1}\"}}\noutput %y\n", grid, source)), "") << source;
}

TEST(Names, AreIdentifiers) {
  EXPECT_EQ(identifier("größe.1"), "gr____e_1");
  EXPECT_EQ(identifier("3x-y"), "_3x_y");
  EXPECT_EQ(identifier(""), "_");
}

TEST(Names, TheHeaderIsCAndCpp) {
  for (const auto& text : {chain("net", {"first"}), fmt::format("graph net folded rounding double\ninput %x: {0}\ninput %z: {0}\n%y: {0} = add(%x, %z) as a\n%w: {0} = add(%y, %z) as b\noutput %y\noutput %w\n", grid)}) {
    const auto program = program_of(text);
    ASSERT_TRUE(program.ok());
    test::Folder folder;
    ASSERT_TRUE(write_files(emit(*program, false), folder.path().string()).ok());
    EXPECT_EQ(complaints("printf '#include \"net.h\"\\n' | gcc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -I. -x c -", folder.path()), "");
    EXPECT_EQ(complaints("printf '#include \"net.h\"\\n' | g++ -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only -I. -x c++ -", folder.path()), "");
  }
}

}  // namespace
}  // namespace corten
