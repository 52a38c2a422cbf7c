// SPDX-License-Identifier: Apache-2.0
// Runs the cases of tests/passes/*.ir: passes on a graph's text give the expected text. CORTEN_BLESS=1 writes what they give instead.
//
// A file begins with "// RUN: PASS…"; a case is "// CASE: name", a graph, "// ----", and the graph after the passes,
// or "error: MESSAGE". Other comments belong to the reader.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/pass.h"

namespace corten {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view run_mark = "// RUN: ", case_mark = "// CASE: ", expected_mark = "// ----";

struct Case {
  std::string name = {}, input = {}, expected = {};  // comments left out
  std::size_t expected_line = 0;      // of the first line of `expected`
  std::size_t expected_lines = 0;
};

struct Golden {
  fs::path path;
  std::vector<std::string> lines;
  std::vector<std::string> passes;
  std::vector<Case> cases;
};

void add_line(Golden& golden, std::size_t number, bool& in_expected) {
  const std::string_view line = golden.lines[number];
  if (line.starts_with(case_mark)) {
    golden.cases.push_back({.name = std::string(line.substr(case_mark.size()))});
    in_expected = false;
  } else if (line == expected_mark) {
    in_expected = true;
    golden.cases.back().expected_line = number + 1;
  } else if (!golden.cases.empty() && !line.empty() && !line.starts_with("//")) {
    auto& test = golden.cases.back();
    (in_expected ? test.expected : test.input) += std::string(line) + "\n";
    if (in_expected) test.expected_lines = number + 1 - test.expected_line;
  }
}

Golden read_golden(const fs::path& path) {
  Golden golden{path, {}, {}, {}};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) golden.lines.push_back(line);
  bool in_expected = false;
  for (std::size_t i = 0; i < golden.lines.size(); ++i) {
    if (golden.lines[i].starts_with(run_mark)) {
      std::istringstream words(golden.lines[i].substr(run_mark.size()));
      for (std::string pass; words >> pass;) golden.passes.push_back(pass);
    }
    add_line(golden, i, in_expected);
  }
  return golden;
}

std::string error_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& diagnostic : diagnostics) text += "error: " + diagnostic.message + "\n";
  return text;
}

std::string run(const Golden& golden, const Case& test) {
  auto graph = parse(test.input, {}, golden.path.filename().string());
  if (!graph) return "input: " + error_text(graph.diagnostics());
  if (const auto status = verify(*graph); !status) return "input: " + error_text(status.diagnostics());
  for (const auto& name : golden.passes) {
    const auto* pass = find_pass(name);
    if (!pass) return "no pass is called " + name + "\n";
    if (const auto status = pass->run(*graph); !status) return error_text(status.diagnostics());
    if (const auto status = verify(*graph); !status) return "after " + name + ": " + error_text(status.diagnostics());
  }
  return print(*graph, static_cast<std::size_t>(-1)).text;
}

/// Writes the file with the expected text of `number` replaced.
void bless(Golden golden, std::size_t number, const std::string& text) {
  const auto& test = golden.cases[number];
  std::ofstream file(golden.path);
  for (std::size_t i = 0; i < golden.lines.size(); ++i) {
    if (i == test.expected_line) file << text;
    if (i < test.expected_line || i >= test.expected_line + test.expected_lines) file << golden.lines[i] << "\n";
  }
}

std::vector<Golden> all_goldens() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(CORTEN_SOURCE_DIR) / "tests" / "passes"))
    if (entry.path().extension() == ".ir") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Golden> goldens;
  for (const auto& path : paths) goldens.push_back(read_golden(path));
  return goldens;
}

class GoldenTest : public testing::Test {
 public:
  GoldenTest(fs::path path, std::size_t number) : path_(std::move(path)), number_(number) {}
  void TestBody() override {
    const auto golden = read_golden(path_);
    const auto& test = golden.cases[number_];
    ASSERT_FALSE(golden.passes.empty()) << "no line begins with " << run_mark;
    const auto found = run(golden, test);
    if (found == test.expected) return;
    if (std::getenv("CORTEN_BLESS")) return bless(golden, number_, found);
    ADD_FAILURE() << fmt::format("{}:{}: {}\nexpected\n{}found\n{}", path_.string(), test.expected_line, test.name, test.expected, found);
  }

 private:
  fs::path path_;
  std::size_t number_;
};

const bool registered = [] {
  for (const auto& golden : all_goldens())
    for (std::size_t i = 0; i < golden.cases.size(); ++i)
      testing::RegisterTest(golden.path.stem().c_str(), golden.cases[i].name.c_str(), nullptr, nullptr, golden.path.c_str(), static_cast<int>(golden.cases[i].expected_line),
                            [path = golden.path, i]() -> testing::Test* { return new GoldenTest(path, i); });
  return true;
}();

TEST(Goldens, EachPassHasAFileThatBeginsWithItsExample) {
  std::set<std::string> covered;
  for (const auto& golden : all_goldens())
    if (!golden.cases.empty() && golden.cases.front().name == "example") covered.insert(golden.passes.begin(), golden.passes.end());
  for (const auto& pass : passes()) EXPECT_TRUE(covered.count(std::string(pass.name))) << pass.name;
}

TEST(Goldens, PassesLeaveWhatTheyMadeAlone) {
  for (const auto& golden : all_goldens())
    for (const auto& test : golden.cases) {
      if (test.expected.starts_with("error: ") || golden.path.stem() == "cut_ends") continue;
      auto again = test;
      again.input = test.expected;
      EXPECT_EQ(run(golden, again), test.expected) << golden.path.stem() << ", " << test.name;
    }
}

}  // namespace
}  // namespace corten
