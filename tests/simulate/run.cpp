// SPDX-License-Identifier: Apache-2.0
// Outputs, stack and bytes of simulated programs, on every core QEMU models.
#include <algorithm>

#include "simulate/elf_file.h"
#include "tests/simulate/fake_program.h"

namespace corten::test {
namespace {

/// Output i is input i plus `addend`.
FakeProgram adding(const std::string& name, int addend) {
  return {.name = name, .source = "void run(void* arena) noexcept { for (int i = 0; i < 8; i++) bytes(arena)[16 + i] = "
                                  "static_cast<std::uint8_t>(bytes(arena)[i] + " + std::to_string(addend) + "); }"};
}

using Simulate = EachCore;

TEST_P(Simulate, ReturnsOutputsOfManyInferences) {
  const SimulatedProgram program = write_program(workspace, adding("add3", 3));
  std::vector<std::byte> input, expected;
  for (int i = 0; i < 8 * 50; i++) {
    input.push_back(static_cast<std::byte>(i % 251));
    expected.push_back(static_cast<std::byte>(i % 251 + 3));
  }
  const auto runs = build_and_run(workspace, GetParam(), {program}, {input});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  const corten::Run& run = runs->at(0);
  EXPECT_EQ(run.outputs, expected);
  EXPECT_EQ(run.instructions.size(), 50u);
  EXPECT_EQ(std::ranges::count(run.instructions, run.instructions[0]), 50);
  EXPECT_TRUE(run.arena.empty());
}

TEST_P(Simulate, MeasuresStack) {
  const SimulatedProgram program = write_program(workspace, {.name = "deep", .source = R"(
[[gnu::noinline]] static int frame(volatile std::uint8_t* out) {
  volatile std::uint8_t local[1000];
  for (int i = 0; i < 1000; i++) local[i] = static_cast<std::uint8_t>(i);
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum += local[i];
  out[0] = static_cast<std::uint8_t>(sum);
  return sum;
}
void run(void* arena) noexcept { bytes(arena)[17] = static_cast<std::uint8_t>(frame(bytes(arena) + 16) >> 8); })"});
  const auto runs = build_and_run(workspace, GetParam(), {program}, {bytes_of({0, 0, 0, 0, 0, 0, 0, 0})});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  EXPECT_GE(runs->at(0).stack_bytes, 1000u);
  EXPECT_LE(runs->at(0).stack_bytes, 1000u + 48);  // saved registers of two functions, alignment
}

TEST_P(Simulate, RunsSeveralProgramsOfOneElf) {
  const std::vector<SimulatedProgram> programs = {write_program(workspace, adding("one", 1)),
                                                  write_program(workspace, adding("two", 2)),
                                                  write_program(workspace, adding("three", 3))};
  const auto input = bytes_of({10, 20, 30, 40, 50, 60, 70, 80});
  auto twice = input;
  twice.insert(twice.end(), input.begin(), input.end());
  const auto runs = build_and_run(workspace, GetParam(), programs, {input, twice, input});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  ASSERT_EQ(runs->size(), 3u);
  EXPECT_EQ(runs->at(0).outputs, bytes_of({11, 21, 31, 41, 51, 61, 71, 81}));
  EXPECT_EQ(runs->at(1).outputs, bytes_of({12, 22, 32, 42, 52, 62, 72, 82, 12, 22, 32, 42, 52, 62, 72, 82}));
  EXPECT_EQ(runs->at(2).outputs, bytes_of({13, 23, 33, 43, 53, 63, 73, 83}));
}

TEST_P(Simulate, FillsTheArenaAnewBeforeEachInference) {
  const SimulatedProgram program = write_program(workspace, {.name = "stale", .source = R"(
void run(void* arena) noexcept { for (int i = 0; i < 8; i++) bytes(arena)[16 + i] = bytes(arena)[24 + i]; })"});
  const auto runs = build_and_run(workspace, GetParam(), {program}, {std::vector<std::byte>(16)});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  const auto& outputs = runs->at(0).outputs;
  EXPECT_FALSE(std::equal(outputs.begin(), outputs.begin() + 8, outputs.begin() + 8));
}

TEST_P(Simulate, ConcatenatesSeveralInputsAndOutputs) {
  FakeProgram fake{.name = "ends", .arena_bytes = 48, .source = R"(
void run(void* arena) noexcept { for (int i = 0; i < 4; i++) bytes(arena)[40 + i] = bytes(arena)[i] + bytes(arena)[32 + i]; bytes(arena)[16] = 99; })"};
  SimulatedProgram program = write_program(workspace, fake);
  std::ofstream(program.folder / "ends.h", std::ios::app)
      << "namespace ends {\ninline std::int8_t* input_b(void* arena) { return static_cast<std::int8_t*>(arena) + 32; }\n"
         "inline const std::int8_t* output_sum(const void* arena) { return static_cast<const std::int8_t*>(arena) + 40; }\n}\n";
  program.inputs = {{"input", 4}, {"input_b", 4}};
  program.outputs = {{"output_sum", 4}, {"output", 1}};
  const auto runs = build_and_run(workspace, GetParam(), {program}, {bytes_of({1, 2, 3, 4, 10, 20, 30, 40, 5, 6, 7, 8, 50, 60, 70, 80})});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  EXPECT_EQ(runs->at(0).outputs, bytes_of({11, 22, 33, 44, 99, 55, 66, 77, 88, 99}));
}

TEST_P(Simulate, AddsNoLibraryRoutineToTheProgram) {
  const SimulatedProgram program = write_program(workspace, adding("plain", 1));
  const auto elf = build(*find_core(GetParam()), {program}, workspace.path() / "work");
  ASSERT_TRUE(elf) << message_of(elf.diagnostics());
  const auto content = read_elf(elf->path);
  ASSERT_TRUE(content);
  for (const ElfFunction& function : content->functions)
    EXPECT_FALSE(function.symbol.starts_with("__aeabi_") || function.symbol.find("alloc") != std::string::npos) << function.symbol;
}

INSTANTIATE_TEST_SUITE_P(Cores, Simulate, ::testing::ValuesIn(core_names()), test_name);

TEST(SimulateOtherCores, RunOnTheBoardThatStandsIn) {
  for (const char* core : {"cortex-m0plus", "cortex-m23", "cortex-m35p", "cortex-m52", "cortex-m85"}) {
    Workspace workspace;
    const SimulatedProgram program = write_program(workspace, adding("add5", 5));
    const auto runs = build_and_run(workspace, core, {program}, {bytes_of({1, 2, 3, 4, 5, 6, 7, 8})});
    ASSERT_TRUE(runs) << core << ": " << message_of(runs.diagnostics());
    EXPECT_EQ(runs->at(0).outputs, bytes_of({6, 7, 8, 9, 10, 11, 12, 13})) << core;
  }
}

TEST(SimulateArena, IsDumpedOnDemand) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, adding("add1", 1));
  const auto runs = build_and_run(workspace, "cortex-m4", {program}, {std::vector<std::byte>(16, std::byte{7})}, {.dump_arena = true});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  const auto& arena = runs->at(0).arena;
  ASSERT_EQ(arena.size(), 64u);
  EXPECT_EQ(arena[0], std::byte{7});
  EXPECT_EQ(arena[16], std::byte{8});
  EXPECT_EQ(arena[32 + 23], std::byte{8});
}

TEST(SimulateBytes, CountConstantsAndCodeOfTheProgramAlone) {
  Workspace workspace;
  const SimulatedProgram program = write_program(workspace, {.name = "sized", .source = R"(
extern const std::uint8_t table[1000];
const std::uint8_t table[1000] = {1, 2, 3};
extern const std::uint8_t unused[5000];
const std::uint8_t unused[5000] = {1};
void run(void* arena) noexcept { bytes(arena)[16] = table[bytes(arena)[0]]; })"});
  const auto runs = build_and_run(workspace, "cortex-m4", {program}, {bytes_of({2, 0, 0, 0, 0, 0, 0, 0})});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  EXPECT_EQ(runs->at(0).outputs[0], std::byte{3});
  EXPECT_EQ(runs->at(0).constant_bytes, 1000u);
  EXPECT_GE(runs->at(0).code_bytes, 8u);
  EXPECT_LE(runs->at(0).code_bytes, 32u);
}

TEST(SimulateBigPrograms, PutConstantsAndArenaWhereTheyFit) {
  for (const char* core : {"cortex-m55", "cortex-m0", "cortex-m33"}) {
    Workspace workspace;
    const SimulatedProgram program = write_program(workspace, {.name = "big", .arena_bytes = 600 * 1024, .source = R"(
extern const std::uint8_t table[700 * 1024];
const std::uint8_t table[700 * 1024] = {11, 22, 33};
void run(void* arena) noexcept {
  bytes(arena)[arena_bytes - 1] = table[bytes(arena)[0]];
  bytes(arena)[16] = bytes(arena)[arena_bytes - 1];
})"});
    const auto runs = build_and_run(workspace, core, {program}, {bytes_of({2, 0, 0, 0, 0, 0, 0, 0})});
    ASSERT_TRUE(runs) << core << ": " << message_of(runs.diagnostics());
    EXPECT_EQ(runs->at(0).outputs[0], std::byte{33}) << core;
    EXPECT_EQ(runs->at(0).constant_bytes, 700u * 1024) << core;
  }
}

}  // namespace
}  // namespace corten::test
