// SPDX-License-Identifier: Apache-2.0
// Modelled cycles of sequences added up by hand from the table in docs/cycles.md.
#include <map>

#include "tests/simulate/fake_program.h"

namespace corten::test {
namespace {

FakeProgram sequence(const std::string& name, const std::string& assembly) {
  return {.name = name, .source = "[[gnu::naked]] void run(void*) noexcept { __asm__ volatile(\".syntax unified\\n\" R\"(" + assembly + ")\"); }"};
}

struct Expected {
  std::uint64_t instructions;
  std::map<std::string, std::uint64_t> cycles;  // by core
};

void expect_cycles(const std::string& assembly, const Expected& expected) {
  for (const auto& [core, cycles] : expected.cycles) {
    Workspace workspace;
    const auto runs = build_and_run(workspace, core, {write_program(workspace, sequence("timed", assembly))}, {std::vector<std::byte>(8)});
    ASSERT_TRUE(runs) << core << ": " << message_of(runs.diagnostics());
    EXPECT_EQ(runs->at(0).instructions, std::vector{expected.instructions}) << core;
    EXPECT_EQ(runs->at(0).cycles_modelled, std::vector{cycles}) << core;
  }
}

TEST(Cycles, OfALoop) {
  // movs 1; three times ldrb + muls + subs; bne taken twice and once not; push, pop, bx.
  constexpr const char* loop = R"(
    movs r1, #3
 1: ldrb r2, [r0]
    muls r2, r1
    subs r1, #1
    bne 1b
    push {r4, r5}
    pop {r4, r5}
    bx lr)";
  expect_cycles(loop, {16, {{"cortex-m0", 1 + 3 * (2 + 1 + 1) + (3 + 3 + 1) + 3 + 3 + 3},
                            {"cortex-m0plus", 1 + 3 * (2 + 1 + 1) + (2 + 2 + 1) + 3 + 3 + 2},
                            {"cortex-m3", 1 + 3 * (2 + 1 + 1) + (3 + 3 + 1) + 3 + 3 + 3},
                            {"cortex-m4", 1 + 3 * (2 + 1 + 1) + (3 + 3 + 1) + 3 + 3 + 3},
                            {"cortex-m7", 1 + 3 * (1 + 1 + 1) + (1 + 1 + 1) + 2 + 2 + 1},
                            {"cortex-m55", 1 + 3 * (1 + 1 + 1) + (3 + 3 + 1) + 2 + 2 + 3}}});
}

TEST(Cycles, OfMultipliesAndPipelinedLoads) {
  constexpr const char* mix = R"(
    movs r3, #20
    ldr r1, [r0]
    ldr r2, [r0, #4]
    str r1, [r0, #16]
    strb r2, [r0, r3]
    smull r1, r2, r1, r2
    smlal r1, r2, r3, r3
    smlal r1, r2, r3, r3
    mla r1, r2, r3, r3
    movs r2, #1
    udiv r1, r1, r2
    ldrd r1, r2, [r0]
    cmp r3, #20
    it ne
    bxne lr
    b 1f
 1: bx lr)";
  const std::uint64_t as_m4 = 1 + (2 + 1) + (1 + 2) + (1 + 1 + 1 + 1) + 1 + 7 + 3 + 1 + 1 + 1 + 3 + 3;
  expect_cycles(mix, {17, {{"cortex-m3", 1 + (2 + 1) + (1 + 2) + (4 + 11 + 2) + 1 + 7 + 3 + 1 + 1 + 1 + 3 + 3},
                           {"cortex-m4", as_m4},
                           {"cortex-m33", as_m4},
                           {"cortex-m7", 1 + (1 + 1) + (1 + 1) + 4 + 1 + 7 + 1 + 1 + 1 + 1 + 1 + 1},
                           {"cortex-m55", 1 + (1 + 1) + (1 + 1) + 4 + 1 + 7 + 1 + 1 + 1 + 1 + 3 + 3}}});
}

TEST(Cycles, OfConditionalReturnsThatAreTaken) {
  // On a Cortex-M4: cmp 1, it 1, bxeq 3.
  expect_cycles("cmp r0, r0\n it eq\n bxeq lr\n nop\n bx lr", {3, {{"cortex-m4", 1 + 1 + 3}}});
}

TEST(Cycles, OfVectorsThatShareAUnit) {
  constexpr const char* vectors = R"(
    movs r2, #3
    dls lr, r2
 1: vldrb.8 q0, [r0]
    vldrb.8 q1, [r0]
    vmladav.s8 r2, q0, q1
    vadd.i8 q0, q0, q1
    vadd.i8 q0, q0, q1
    vstrb.8 q0, [r0, #16]
    le lr, 1b
    vmov.i32 q1, #0
    vldrb.u8 q0, [r0, q1]
    bx r12)";
  const std::string keep_return = "mov r12, lr\n";  // the loop counts in lr
  expect_cycles(keep_return + vectors, {1 + 2 + 3 * 7 + 3, {{"cortex-m55", 1 + 2 + 3 * (1 + 2 + 1 + 1 + 2 + 1 + 0) + 1 + 4 + 3}}});
}

TEST(Cycles, AreSplitAtLayerEntries) {
  Workspace workspace;
  FakeProgram fake = sequence("layered", "push {lr}\n bl first\n bl second\n pop {pc}");
  fake.layers = {"first", "second"};
  fake.source = "extern \"C\" [[gnu::naked, gnu::noipa, gnu::used]] void first() { __asm__ volatile(\"nop\\n bx lr\"); }\n"
                "extern \"C\" [[gnu::naked, gnu::noipa, gnu::used]] void second() { __asm__ volatile(\"nop\\n nop\\n nop\\n bx lr\"); }\n" + fake.source;
  const auto runs = build_and_run(workspace, "cortex-m4", {write_program(workspace, fake)}, {std::vector<std::byte>(8)});
  ASSERT_TRUE(runs) << message_of(runs.diagnostics());
  const corten::Run& run = runs->at(0);
  ASSERT_EQ(run.layers.size(), 2u);
  EXPECT_EQ(run.layers[0].cycles_modelled, 1u + 3 + 3);          // nop, bx, bl second
  EXPECT_EQ(run.layers[1].cycles_modelled, 1u + 1 + 1 + 3 + 4);  // nops, bx, pop into pc
  EXPECT_EQ(run.cycles_modelled[0], 2u + 3 + 7 + 10);            // push and bl before the first layer
}

}  // namespace
}  // namespace corten::test
