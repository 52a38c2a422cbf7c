// SPDX-License-Identifier: Apache-2.0
// Instruction counts against loops counted by hand and against the simulated core's own timer.
#include "tests/simulate/fake_program.h"

namespace corten::test {
namespace {

// spin(n) executes 4 n + 1 instructions; the branch to it and the load of n make 4 n + 3.
constexpr const char* spin = R"(
extern "C" [[gnu::naked, gnu::noipa]] void spin(unsigned) {
  __asm__ volatile(".syntax unified\n1: nop\n nop\n subs r0, r0, #1\n bne 1b\n bx lr\n");
}
)";

using Count = EachCore;

TEST_P(Count, EqualsAHandCountedLoop) {
  const SimulatedProgram program = write_program(workspace, {.name = "loop", .source = R"(
[[gnu::naked]] void run(void*) noexcept {
  __asm__ volatile(".syntax unified\n ldrb r1, [r0]\n1: nop\n nop\n subs r1, r1, #1\n bne 1b\n strb r1, [r0, #16]\n bx lr\n");
})"});
  std::vector<std::byte> input(24);
  input[0] = std::byte{1}, input[8] = std::byte{10}, input[16] = std::byte{200};
  const auto runs = build_and_run(workspace, GetParam(), {program}, {input});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  EXPECT_EQ(runs->at(0).instructions, (std::vector<std::uint64_t>{4 + 3, 40 + 3, 800 + 3}));
}

TEST_P(Count, IsSplitAtLayerEntries) {
  const SimulatedProgram program = write_program(workspace, {.name = "layered", .layers = {"conv1", "dense", "spin"}, .source = std::string(spin) + R"(
extern "C" [[gnu::naked, gnu::noipa]] void shared(unsigned) {
  __asm__ volatile(".syntax unified\n1: subs r0, r0, #1\n bne 1b\n bx lr\n");
}
[[gnu::naked, gnu::noipa]] static void conv1(unsigned) { __asm__ volatile("b shared"); }
[[gnu::naked, gnu::noipa]] static void dense(unsigned) { __asm__ volatile("b shared"); }
void run(void*) noexcept { conv1(100); spin(50); dense(1000); conv1(10); })"});
  const auto runs = build_and_run(workspace, GetParam(), {program}, {std::vector<std::byte>(8)});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  const auto& layers = runs->at(0).layers;
  ASSERT_EQ(layers.size(), 3u);
  // Beyond the loops: the branch into them, bx, and what run does before the next call.
  EXPECT_EQ(layers[0].name, "conv1");
  EXPECT_NEAR(static_cast<double>(layers[0].instructions), 2 * 110 + 4, 8);
  EXPECT_NEAR(static_cast<double>(layers[1].instructions), 2 * 1000 + 2, 4);
  EXPECT_NEAR(static_cast<double>(layers[2].instructions), 4 * 50 + 1, 3);
  std::uint64_t sum = 0;
  for (const LayerCount& layer : layers) sum += layer.instructions;
  EXPECT_LE(sum, runs->at(0).instructions[0]);
  EXPECT_GE(sum + 4, runs->at(0).instructions[0]);
}

INSTANTIATE_TEST_SUITE_P(Cores, Count, ::testing::ValuesIn(core_names()), test_name);

/// Core, and instructions per tick of its SysTick when virtual time advances 1 ns per instruction.
struct Clock {
  const char* core;
  double instructions_per_tick;
};

TEST(CountAgainstTimer, AgreesWithInstructionsPerTick) {
  // The boards' clocks: 25 MHz on the Armv7-M boards, 20 MHz on mps2-an505, 32 MHz on mps3-an547.
  for (const Clock clock : {Clock{"cortex-m3", 40}, {"cortex-m4", 40}, {"cortex-m7", 40}, {"cortex-m33", 50}, {"cortex-m55", 31.25}}) {
    Workspace workspace;
    const SimulatedProgram program = write_program(workspace, {.name = "timed", .source = std::string(spin) + R"(
static volatile std::uint32_t* systick = reinterpret_cast<volatile std::uint32_t*>(0xE000E010);
void run(void* arena) noexcept {
  systick[1] = 0xFFFFFF;
  systick[2] = 0;
  systick[0] = 5;
  const std::uint32_t before = systick[2];
  spin(1000000);
  const std::uint32_t after = systick[2];
  *reinterpret_cast<std::uint32_t*>(bytes(arena) + 16) = (before - after) & 0xFFFFFF;
})"});
    const auto runs = build_and_run(workspace, clock.core, {program}, {std::vector<std::byte>(8)}, {.instruction_clock = true});
    ASSERT_TRUE(runs) << clock.core << ": " << message_of(runs.diagnostics());
    double ticks = 0;
    for (int i = 3; i >= 0; i--) ticks = ticks * 256 + std::to_integer<int>(runs->at(0).outputs[static_cast<std::size_t>(i)]);
    const double counted = static_cast<double>(runs->at(0).instructions[0]);
    EXPECT_NEAR(ticks * clock.instructions_per_tick, counted, 2 * clock.instructions_per_tick + 20) << clock.core;
    EXPECT_NEAR(counted, 4'000'003, 25) << clock.core;
  }
}

}  // namespace
}  // namespace corten::test
