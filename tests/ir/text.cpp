// SPDX-License-Identifier: Apache-2.0
// The text form: exact both ways on random graphs, and calm on hostile text.
#include "compiler/ir/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/ir/random_graph.h"

namespace corten {
namespace {

using test::RandomGraph;
using testing::HasSubstr;
using testing::MatchesRegex;

Result<Graph> read_back(const GraphText& text) { return parse(text.text, text.constants, "random.cir"); }

constexpr std::uint64_t seeds = 2000;

TEST(Text, GraphsComeBackAsTheyWere) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto graph = RandomGraph(seed).make();
    ASSERT_TRUE(verify(graph).ok()) << "seed " << seed << ": " << verify(graph).diagnostics().front().message;
    const auto back = read_back(print(graph));
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.diagnostics().front().message;
    ASSERT_TRUE(*back == graph) << "seed " << seed;
  }
}

TEST(Text, TextComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto inline_limit = seed % 3 == 0 ? std::size_t{0} : seed % 3 == 1 ? inline_elements : static_cast<std::size_t>(-1);
    const auto text = print(RandomGraph(seed).make(), inline_limit);
    const auto back = read_back(text);
    ASSERT_TRUE(back.ok()) << "seed " << seed;
    const auto again = print(*back, inline_limit);
    ASSERT_EQ(again.text, text.text) << "seed " << seed;
    ASSERT_EQ(again.constants, text.constants) << "seed " << seed;
  }
}

/// Bytes changed, removed, doubled or swapped with bytes from elsewhere in the text.
std::string mutated(std::string text, std::mt19937_64& random) {
  static constexpr std::string_view alphabet = "%[]{}(),:=_ \n\"\\-+.0123456789einfaxqorder\xff";
  for (auto count = 1 + random() % 4; count > 0 && !text.empty(); --count) {
    const auto at = random() % text.size(), length = std::min<std::size_t>(random() % 12, text.size() - at), from = random() % text.size();
    switch (random() % 5) {
      case 0: text[at] = alphabet[random() % alphabet.size()]; break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(from, length)); break;
      case 3: text.insert(at, std::to_string(random())); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

TEST(Text, MutatedTextIsReadOrRefusedWithItsLine) {
  std::mt19937_64 random(20261201);
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto text = print(RandomGraph(seed % 100).make());
    const auto hostile = mutated(text.text, random);
    const auto graph = parse(hostile, text.constants, "hostile.cir");
    if (graph) continue;
    ++refused;
    const auto& diagnostic = graph.diagnostics().front();
    ASSERT_EQ(diagnostic.origin.file, "hostile.cir");
    if (diagnostic.message.find("expected a line 'graph") == std::string::npos) {
      ASSERT_THAT(diagnostic.origin.source, MatchesRegex("hostile.cir:[0-9]+")) << diagnostic.message;
    }
  }
  EXPECT_GT(refused, 1000);
}

Diagnostic refusal(const std::string& text) {
  const auto graph = parse("graph g imported rounding double\n" + text, {}, "g.cir");
  return graph ? error("accepted") : graph.diagnostics().front();
}

struct Refused {
  const char *text, *message;
};

class RefusedText : public testing::TestWithParam<Refused> {};

TEST_P(RefusedText, SaysWhatIsWrong) {
  const auto diagnostic = refusal(GetParam().text);
  EXPECT_THAT(diagnostic.message, HasSubstr(GetParam().message));
  EXPECT_EQ(diagnostic.origin.source, "g.cir:2");
}

INSTANTIATE_TEST_SUITE_P(Text, RefusedText,
                         testing::Values(Refused{"input %x: f64[1]\n", "unknown element 'f64'"}, Refused{"input %x: f32[-1]\n", "shape is negative or too large"},
                                         Refused{"input %x: f32[9999999999, 9999999999]\n", "shape is negative or too large"}, Refused{"input %x: f32[1\n", "expected a list"},
                                         Refused{"input x: f32[1]\n", "expected '%'"}, Refused{"input %x: f32[1] order [a]\n", "a list holds something that is not a number"},
                                         Refused{"output %x\n", "%x is not defined yet"}, Refused{"%y: f32[1] = conv3d(%x) as y\n", "unknown operator 'conv3d'"},
                                         Refused{"constant %c: f32[2] = [1]\n", "the list has another element count than the type"},
                                         Refused{"constant %c: i8[1] = [128]\n", "a list holds something that is not a number"}, Refused{"constant %c: f32[1] = bytes 0 4\n", "another size than its type"},
                                         Refused{"constant %c: i8[1] quantized(axis 0, scales [1], zero_points [1, 2]) = [1]\n", "scales and zero_points differ in count"},
                                         Refused{"constant %c: f32[1] = [1] at {node \"open\n", "a quoted text does not end"}, Refused{"constant %c: f32[1] = [1] at {color \"red\"}\n", "unknown origin field 'color'"},
                                         Refused{"input %x: f32[1] and more\n", "nothing more expected"}));

TEST(Text, SaysWhatIsWrongInTheLineThatHasIt) {
  const auto twice = parse("graph g imported rounding double\ninput %x: f32[1]\n// comment\n\ninput %x: f32[1]\n", {}, "g.cir");
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.diagnostics().front().message, "%x is defined twice");
  EXPECT_EQ(twice.diagnostics().front().origin.source, "g.cir:5");
  const auto field = parse("graph g imported rounding double\ninput %x: f32[1]\n%y: f32[1] = clamp(%x) {lo 1} as y\n", {}, "g.cir");
  ASSERT_FALSE(field.ok());
  EXPECT_EQ(field.diagnostics().front().message, "field 'lo' is unknown");
  EXPECT_EQ(field.diagnostics().front().origin.source, "g.cir:3");
}

TEST(Text, RefusesAHeadItDoesNotKnow) {
  EXPECT_THAT(parse("", {}, "g.cir").diagnostics().front().message, HasSubstr("expected a line 'graph NAME STAGE rounding MODE'"));
  EXPECT_EQ(parse("graph g cooked rounding double\n", {}, "g.cir").diagnostics().front().message, "unknown stage");
  EXPECT_EQ(parse("graph g integer rounding triple\n", {}, "g.cir").diagnostics().front().message, "rounding is neither double nor single");
}

TEST(Text, KnowsEveryStage) {
  for (const auto* stage : {"imported", "annotated", "folded", "integer"}) {
    const auto text = std::string("graph g ") + stage + " rounding single\n";
    const auto graph = parse(text, {}, "g.cir");
    ASSERT_TRUE(graph.ok()) << stage;
    EXPECT_EQ(print(*graph).text, text);
  }
}

TEST(Text, EqualGraphsAreEqualInEveryPart) {
  const std::string text = "graph g imported rounding double\ninput %x: f32[2] order [0]\nconstant %c: f32[2] = [0, 1] at {node \"c\"}\n%y: f32[2] = add(%x, %c) as y at {node \"add\"}\noutput %y\n";
  const auto graph = parse(text, {}, "g.cir");
  ASSERT_TRUE(graph.ok());
  for (const auto& [from, to] : {std::pair{"graph g", "graph h"}, {"double", "single"}, {"imported", "folded"}, {" order [0]", ""}, {"[0, 1] at", "[-0, 1] at"}, {"{node \"c\"}", "{node \"d\"}"}, {"\"add\"", "\"sub\""},
                                 {"add(%x, %c)", "add(%c, %x)"}, {"add(%x, %c)", "add(%x, %c) {alpha 2}"}, {"output %y", "output %x"}, {"as y", "as z"}}) {
    auto other = text;
    other.replace(other.find(from), std::string_view(from).size(), to);
    const auto changed = parse(other, {}, "g.cir");
    ASSERT_TRUE(changed.ok()) << other << changed.diagnostics().front().message;
    EXPECT_FALSE(*graph == *changed) << other;
  }
}

TEST(Text, FilesComeBackWithTheConstantsBesideThem) {
  const auto path = (std::filesystem::temp_directory_path() / ("corten_text_" + std::to_string(::getpid()) + ".cir")).string();
  const auto graph = RandomGraph(7).make();
  ASSERT_TRUE(write_graph(graph, path).ok());
  const auto back = read_graph(path);
  std::filesystem::remove(path), std::filesystem::remove(path + ".constants");
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(*back == graph);
  EXPECT_EQ(read_graph(path).diagnostics().front().message, "can't be read");
}

TEST(Text, NumbersKeepTheirBits) {
  for (const auto* word : {"0", "-0", "inf", "-inf", "1e-45", "3.4028235e+38", "0.1", "16777216"}) {
    const std::string text = std::string("graph g imported rounding double\nconstant %c: f32[1] = [") + word + "]\n";
    const auto graph = parse(text, {}, "g.cir");
    ASSERT_TRUE(graph.ok()) << word;
    EXPECT_EQ(print(*graph).text, text);
  }
  const auto graph = parse("graph g imported rounding double\nconstant %c: f32[2] = [-0, nan]\n", {}, "g.cir");
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(std::signbit(graph->values[0].constant->as<float>()[0]));
  EXPECT_TRUE(std::isnan(graph->values[0].constant->as<float>()[1]));
}

}  // namespace
}  // namespace corten
