// SPDX-License-Identifier: Apache-2.0
// The same programs on this machine, with and without sanitizers.
#include <gmock/gmock.h>

#include "compiler/compile.h"
#include "compiler/interpret/interpret.h"
#include "simulate/run_program.h"
#include "tests/simulate/fake_program.h"

namespace corten::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Host : ::testing::TestWithParam<bool> {
  Workspace workspace;

  Result<std::vector<corten::Run>> run(const std::vector<SimulatedProgram>& programs, const std::vector<std::vector<std::byte>>& inputs,
                                       const SimulateOptions& options = {}) {
    CORTEN_TRY(const Elf elf, build(*find_core("host"), programs, workspace.path() / "work", {.sanitize = GetParam()}));
    return simulate(elf, inputs, options);
  }
  std::string failure(const FakeProgram& fake, const SimulateOptions& options = {}) {
    const auto runs = run({write_program(workspace, fake)}, {std::vector<std::byte>(8)}, options);
    return runs ? "" : message_of(runs.diagnostics());
  }
};

TEST_P(Host, RunsManyInferencesOfSeveralPrograms) {
  const auto adding = [&](const std::string& name, const std::string& addend) {
    return write_program(workspace, {.name = name, .source = "void run(void* arena) noexcept { for (int i = 0; i < 8; i++) bytes(arena)[16 + i] = "
                                                             "static_cast<std::uint8_t>(bytes(arena)[i] + " + addend + "); }"});
  };
  const auto input = bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  const auto runs = run({adding("three", "3"), adding("five", "5")}, {input, input}, {.dump_arena = true});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  EXPECT_EQ(runs->at(0).outputs, bytes_of({4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
  EXPECT_EQ(runs->at(1).outputs, bytes_of({6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}));
  ASSERT_EQ(runs->at(1).arena.size(), 64u);
  EXPECT_EQ(runs->at(1).arena[32 + 16], std::byte{14});
  EXPECT_TRUE(runs->at(0).instructions.empty() && runs->at(0).cycles_modelled.empty() && runs->at(0).layers.empty());
  EXPECT_EQ(runs->at(0).stack_bytes, 0u);
}

TEST_P(Host, FillsTheArenaAnewBeforeEachInference) {
  const SimulatedProgram program = write_program(workspace, {.name = "stale", .source = R"(
void run(void* arena) noexcept { for (int i = 0; i < 8; i++) bytes(arena)[16 + i] = bytes(arena)[24 + i]; })"});
  const auto runs = run({program}, {std::vector<std::byte>(16)});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  const auto& outputs = runs->at(0).outputs;
  EXPECT_FALSE(std::equal(outputs.begin(), outputs.begin() + 8, outputs.begin() + 8));
}

TEST_P(Host, NamesAWriteJustPastTheArena) {
  EXPECT_THAT(failure({.name = "past", .arena_bytes = 33, .source = "void run(void* arena) noexcept { bytes(arena)[33] = 1; }"}),
              HasSubstr(GetParam() ? "past: AddressSanitizer: heap-buffer-overflow" : "past: wrote 1 bytes past the end of the arena"));
}

TEST_P(Host, NamesAWriteJustBeforeTheArena) {
  EXPECT_THAT(failure({.name = "before", .source = "void run(void* arena) noexcept { bytes(arena)[-1] = 1; }"}),
              HasSubstr(GetParam() ? "before: AddressSanitizer: heap-buffer-overflow" : "before: wrote 1 bytes before the start of the arena"));
}

TEST_P(Host, StopsAnEndlessLoop) {
  EXPECT_THAT(failure({.name = "endless", .source = "void run(void* arena) noexcept { volatile std::uint8_t* p = bytes(arena); while (*p == 0) {} }"},
                      {.timeout_seconds = 0.5}),
              HasSubstr("endless: still running after 0.5 seconds"));
}

TEST_P(Host, NamesAnEndOutsideTheArena) {
  SimulatedProgram program = write_program(workspace, {.name = "outside", .source = "void run(void*) noexcept {}"});
  program.outputs[0].bytes = 17;  // at offset 16 of 32
  const auto runs = run({program}, {std::vector<std::byte>(8)});
  ASSERT_FALSE(runs);
  EXPECT_THAT(message_of(runs.diagnostics()), HasSubstr("outside: an input or output of 17 bytes at offset 16 does not lie in the arena"));
}

INSTANTIATE_TEST_SUITE_P(Sanitizers, Host, ::testing::Bool(), [](const auto& info) { return info.param ? "watch" : "are_off"; });

TEST(HostSanitizers, ReportAReadPastTheArenaAndUndefinedArithmetic) {
  Workspace workspace;
  const std::vector<std::pair<std::string, std::string>> sources = {
      {"bytes(arena)[16] = bytes(arena)[32 + bytes(arena)[0]];", "heap-buffer-overflow"},
      {"const int big = 2147483647 - bytes(arena)[0]; bytes(arena)[16] = static_cast<std::uint8_t>(big + 1 + bytes(arena)[1] > 5);", "signed integer overflow"}};
  for (const auto& [statement, expected] : sources) {
    const SimulatedProgram program = write_program(workspace, {.name = "wild", .source = "void run(void* arena) noexcept { " + statement + " }"});
    const auto elf = build(*find_core("host"), {program}, workspace.path() / "work", {.sanitize = true});
    ASSERT_TRUE(elf) << message_of(elf.diagnostics());
    const auto runs = simulate(*elf, {std::vector<std::byte>(8)});
    ASSERT_FALSE(runs) << expected;
    EXPECT_THAT(message_of(runs.diagnostics()), AllOf(HasSubstr("wild: "), HasSubstr(expected)));
  }
}

TEST(HostSignals, NameTheProgram) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "broken", .source = "void run(void*) noexcept { __builtin_trap(); }"});
  const auto runs = build_and_run(workspace, "host", {program}, {std::vector<std::byte>(8)});
  ASSERT_FALSE(runs);
  EXPECT_THAT(message_of(runs.diagnostics()), HasSubstr("broken ended with signal"));
}

TEST(HostKernels, OfMveAreRefused) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "vector", .source = "void run(void*) noexcept {}"});
  const auto elf = build(*find_core("host"), {program}, workspace.path() / "work", {.host_kernels = Isa::Mve});
  ASSERT_FALSE(elf);
  EXPECT_THAT(message_of(elf.diagnostics()), HasSubstr("emulates no MVE"));
}

/// An emitted program under the sanitizers, against the integer interpreter.
TEST(HostPrograms, ComputeWhatTheInterpreterComputes) {
  const std::string folder = CORTEN_SOURCE_DIR "/examples/digits/";
  const CompileOptions options = {.calibrate = folder + "calibration.npy"};
  for (const char* core : {"host", "cortex-m4"}) {
    const auto program = compile(folder + "digits_cnn.pt2", *find_core(core), options);
    ASSERT_TRUE(program) << message_of(program.diagnostics());
    const auto samples = random_samples(program->graph, 8, 1);
    const auto run = run_on_host(*program, samples, {.optimization = "-O1", .sanitize = true});
    ASSERT_TRUE(run) << core << ": " << message_of(run.diagnostics());
    const auto outputs = output_tensors(program->graph, *run);
    for (std::size_t i = 0; i < samples.size(); i++) {
      const auto expected = interpret(program->graph, samples[i]);
      ASSERT_TRUE(expected);
      EXPECT_EQ(outputs[i], *expected) << core << ", sample " << i;
    }
  }
}

}  // namespace
}  // namespace corten::test
