// SPDX-License-Identifier: Apache-2.0
// What is said when a simulated program misbehaves.
#include <gmock/gmock.h>

#include "tests/simulate/fake_program.h"

namespace corten::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class Failure : public EachCore {
 protected:
  /// The message of a run on one inference of zeros, or "" when it succeeds.
  std::string failure(const FakeProgram& fake, const SimulateOptions& options = {}) {
    const SimulatedProgram program = write_program(workspace, fake);
    const auto runs = build_and_run(workspace, GetParam(), {program}, {std::vector<std::byte>(8)}, options);
    return runs ? "" : message_of(runs.diagnostics());
  }
};

TEST_P(Failure, NamesAWriteJustPastTheArena) {
  EXPECT_THAT(failure({.name = "past", .arena_bytes = 33, .source = "void run(void* arena) noexcept { bytes(arena)[33] = 1; }"}),
              HasSubstr("past: wrote 1 bytes past the end of the arena"));
}

TEST_P(Failure, NamesAWriteJustBeforeTheArena) {
  EXPECT_THAT(failure({.name = "before", .source = "void run(void* arena) noexcept { bytes(arena)[-1] = 1; }"}),
              HasSubstr("before: wrote 1 bytes before the start of the arena"));
}

TEST_P(Failure, NamesFunctionAndLayerOfABadAccess) {
  const std::string message = failure({.name = "bad", .layers = {"conv1", "dense"}, .source = R"(
[[gnu::noipa]] static void fetch(volatile std::uint32_t* from, std::uint8_t* to) { *to = static_cast<std::uint8_t>(*from); }
[[gnu::noipa]] static void conv1(std::uint8_t* to) { *to = 1; }
[[gnu::noipa]] static void dense(std::uint8_t* to) { fetch(reinterpret_cast<volatile std::uint32_t*>(0xC0000000u), to); *to += 1; }
void run(void* arena) noexcept { conv1(bytes(arena) + 16); dense(bytes(arena) + 16); })"});
  EXPECT_THAT(message, AllOf(HasSubstr("bad: fault at 0x"), HasSubstr("in bad::fetch (layer dense)"),
                             AnyOf(HasSubstr("memory access not allowed accessing 0xc0000000"), HasSubstr("hard fault"))));
}

TEST_P(Failure, NamesAWriteThroughANullPointer) {
  if (GetParam() == "cortex-m0") GTEST_SKIP() << "has no memory protection unit";
  EXPECT_THAT(failure({.name = "null", .source = R"(
[[gnu::noipa]] static void store(std::uint8_t* to) { *to = 1; }
void run(void*) noexcept { store(nullptr); })"}),
              AllOf(HasSubstr("in null::store"), HasSubstr("memory access not allowed accessing 0x00000000")));
}

TEST_P(Failure, NamesAWriteToConstants) {
  if (GetParam() == "cortex-m0") GTEST_SKIP() << "has no memory protection unit";
  EXPECT_THAT(failure({.name = "weights", .source = R"(
extern const std::uint8_t table[4];
const std::uint8_t table[4] = {1, 2, 3, 4};
[[gnu::noipa]] static void store(const std::uint8_t* to) { *const_cast<std::uint8_t*>(to) = 1; }
void run(void*) noexcept { store(table); })"}),
              AllOf(HasSubstr("in weights::store"), HasSubstr("memory access not allowed")));
}

TEST_P(Failure, StopsAnEndlessLoop) {
  EXPECT_THAT(failure({.name = "endless", .layers = {"stuck"}, .source = R"(
[[gnu::noipa]] static void stuck(volatile std::uint8_t* p) { while (*p == 0) {} }
void run(void* arena) noexcept { stuck(bytes(arena)); })"}, {.timeout_seconds = 0.7}),
              HasSubstr("endless: still running after 0.7 seconds (layer stuck)"));
}

TEST_P(Failure, NamesRegistersThatAreNotPreserved) {
  EXPECT_THAT(failure({.name = "clobber", .source = R"(
[[gnu::naked]] void run(void*) noexcept { __asm__ volatile(".syntax unified\n movs r5, #1\n mov r9, r5\n bx lr\n"); })"}),
              HasSubstr("clobber: r5, r9 came back changed"));
}

TEST_P(Failure, NamesAFloatRegisterAndAStackPointerNotPreserved) {
  if (find_core(GetParam())->compiler_flags.find("hard") == std::string_view::npos) GTEST_SKIP() << "has no float registers";
  EXPECT_THAT(failure({.name = "clobber", .source = R"(
[[gnu::naked]] void run(void*) noexcept { __asm__ volatile(".syntax unified\n vmov s16, r0\n vmov s31, r0\n sub sp, #8\n bx lr\n"); })"}),
              HasSubstr("clobber: s16, s31, sp came back changed"));
}

TEST_P(Failure, NamesAnOverflowingStack) {
  const std::string message = failure({.name = "overflow", .source = R"(
[[gnu::noipa]] static int dive(int depth) { volatile int local[64]; local[0] = depth; return depth == 0 ? 0 : dive(depth - 1) + local[0]; }
void run(void* arena) noexcept { bytes(arena)[16] = static_cast<std::uint8_t>(dive(1000)); })"});
  EXPECT_THAT(message, HasSubstr("overflow: "));
  EXPECT_THAT(message, HasSubstr("stack")) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Cores, Failure, ::testing::ValuesIn(core_names()), test_name);

TEST(FailureOfUnalignedAccess, IsAFaultOnBaselineCores) {
  for (const char* core : {"cortex-m0", "cortex-m0plus", "cortex-m23"}) {
    Workspace workspace;
    const SimulatedProgram program = write_program(workspace, {.name = "odd", .source = R"(
[[gnu::noipa]] static std::uint32_t load(const std::uint8_t* p) { std::uint32_t v; __asm__ volatile("ldr %0, [%1]" : "=l"(v) : "l"(p)); return v; }
void run(void* arena) noexcept { bytes(arena)[16] = static_cast<std::uint8_t>(load(bytes(arena) + 1)); })"});
    const auto runs = build_and_run(workspace, core, {program}, {std::vector<std::byte>(8)});
    ASSERT_FALSE(runs) << core;
    EXPECT_THAT(message_of(runs.diagnostics()), HasSubstr("in odd::load")) << core;
  }
}

TEST(FailureToBuild, ShowsTheCompilersWords) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "wrong", .source = "void run(void*) noexcept { undeclared(); }"});
  const auto elf = build(*find_core("cortex-m4"), {program}, workspace.path() / "work");
  ASSERT_FALSE(elf);
  EXPECT_THAT(message_of(elf.diagnostics()), AllOf(HasSubstr("wrong.cpp does not compile for cortex-m4"), HasSubstr("undeclared")));
}

TEST(FailureToBuild, TellsAProgramTooLargeForTheBoardApart) {
  Workspace workspace;
  const SimulatedProgram large = write_program(workspace, {.name = "large", .arena_bytes = 100 << 20, .source = "void run(void*) noexcept {}"});
  const auto elf = build(*find_core("cortex-m4"), {large}, workspace.path() / "large_work");
  ASSERT_FALSE(elf);
  EXPECT_TRUE(does_not_fit(elf.diagnostics())) << message_of(elf.diagnostics());
  EXPECT_THAT(message_of(elf.diagnostics()), HasSubstr("does not fit the simulated board for cortex-m4"));
  const SimulatedProgram wrong = write_program(workspace, {.name = "wrong", .source = "void run(void*) noexcept { undeclared(); }"});
  const auto other = build(*find_core("cortex-m4"), {wrong}, workspace.path() / "wrong_work");
  ASSERT_FALSE(other);
  EXPECT_FALSE(does_not_fit(other.diagnostics()));
}

TEST(FailureToBuild, NamesALayerWithoutFunction) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "lost", .layers = {"conv1"}, .source = "void run(void*) noexcept {}"});
  const auto elf = build(*find_core("cortex-m4"), {program}, workspace.path() / "work");
  ASSERT_FALSE(elf);
  EXPECT_THAT(message_of(elf.diagnostics()), HasSubstr("layer conv1 of lost has no function"));
}

TEST(FailureToBuild, RefusesTwoProgramsOfOneName) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "twin", .source = "void run(void*) noexcept {}"});
  const auto elf = build(*find_core("cortex-m4"), {program, program}, workspace.path() / "work");
  ASSERT_FALSE(elf);
  EXPECT_THAT(message_of(elf.diagnostics()), HasSubstr("two programs are named twin"));
}

TEST(FailureToBuild, NamesThePackageOfAMissingTool) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "early", .source = "void run(void*) noexcept {}"});
  const std::string path = getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const auto elf = build(*find_core("cortex-m4"), {program}, workspace.path() / "work");
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(elf);
  EXPECT_THAT(elf.diagnostics()[0].message, HasSubstr("cannot run arm-none-eabi-g++"));
  EXPECT_THAT(elf.diagnostics()[0].help, HasSubstr("apt-get install gcc-arm-none-eabi"));
}

TEST(FailureOfEnds, NamesAnEndOutsideTheArena) {
  Workspace workspace;
  SimulatedProgram program = write_program(workspace, {.name = "outside", .source = "void run(void*) noexcept {}"});
  program.outputs[0].bytes = 17;  // at offset 16 of 32
  const auto runs = build_and_run(workspace, "cortex-m4", {program}, {std::vector<std::byte>(8)});
  ASSERT_FALSE(runs);
  EXPECT_THAT(message_of(runs.diagnostics()), HasSubstr("outside: an input or output of 17 bytes at offset 16 does not lie in the arena"));
}

TEST(FailureOfInputs, NamesASizeThatDoesNotDivide) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "uneven", .source = "void run(void*) noexcept {}"});
  const auto runs = build_and_run(workspace, "cortex-m4", {program}, {std::vector<std::byte>(12)});
  ASSERT_FALSE(runs);
  EXPECT_THAT(message_of(runs.diagnostics()), HasSubstr("input of uneven has 12 bytes, expected a multiple of 8"));
}

}  // namespace
}  // namespace corten::test
