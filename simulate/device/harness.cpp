// SPDX-License-Identifier: Apache-2.0
// Runs every program of the table on the inferences in its input file, watching its memory, stack and registers.
#include "harness.h"

#include "semihosting.h"

extern "C" {
extern std::uint32_t program_stack_bottom[], program_stack_top[];
/// Calls run(arena) on the program's own stack between the markers the counting plugin looks for.
/// Returns 0, or one bit for each register that came back changed: r4…r11, s16…s31, sp.
std::uint32_t call_measured(void (*run)(void*), void* arena);
void harness_main();
}

namespace harness {
namespace {

constexpr std::uint32_t stack_paint = 0xA5C35A3C;

struct Plan {
  std::uint32_t inferences;
  std::uint32_t dump_arena;
};

[[noreturn]] void fail(const char* key, std::uint32_t program, std::uint32_t first = 0, std::uint32_t second = 0) {
  tell(key, {program, first, second});
  exit(1);
}

std::uint8_t guard_byte(std::uint32_t index) { return static_cast<std::uint8_t>(0xC9 ^ (index * 37)); }

void paint_guard(std::uint8_t* guard) {
  for (std::uint32_t i = 0; i < guard_bytes; i++) guard[i] = guard_byte(i);
}

/// Index of the first changed byte, or guard_bytes.
std::uint32_t first_changed(const std::uint8_t* guard) {
  std::uint32_t i = 0;
  while (i < guard_bytes && guard[i] == guard_byte(i)) i++;
  return i;
}

/// Index of the last changed byte: the one nearest to the arena that follows.
std::uint32_t last_changed(const std::uint8_t* guard) {
  std::uint32_t i = guard_bytes;
  while (i > 0 && guard[i - 1] == guard_byte(i - 1)) i--;
  return i - 1;
}

/// Other garbage in every inference, so that no result can rest on what the arena held before.
void fill_with_garbage(std::uint8_t* arena, std::uint32_t bytes, std::uint32_t inference) {
  const std::uint32_t pattern = 0xA5A5A5A5u + inference * 0x9E3779B9u;
  for (std::uint32_t i = 0; i < bytes; i++) arena[i] = static_cast<std::uint8_t>(pattern >> (i % 4 * 8));
}

void paint_stack() {
  for (std::uint32_t* p = program_stack_bottom; p < program_stack_top; p++) *p = stack_paint;
}

std::uint32_t deepest_stack_bytes() {
  const std::uint32_t* p = program_stack_bottom;
  while (p < program_stack_top && *p == stack_paint) p++;
  return static_cast<std::uint32_t>(program_stack_top - p) * 4;
}

class Runner {
 public:
  Runner(std::uint32_t index, const Plan& plan) : index_(index), program_(programs[index]), plan_(plan) {}

  void run_all() {
    open_files();
    paint_stack();
    for (std::uint32_t i = 0; i < plan_.inferences; i++) run_once(i);
    close(input_);
    close(output_);
    if (plan_.dump_arena) close(dump_);
    tell("stack", {index_, deepest_stack_bytes()});
  }

 private:
  void open_files() {
    input_ = open(program_.input_file, Mode::Read);
    output_ = open(program_.output_file, Mode::Write);
    if (plan_.dump_arena) dump_ = open(program_.arena_file, Mode::Write);
    if (input_ < 0 || output_ < 0 || dump_ < 0) fail("file", index_);
  }

  void run_once(std::uint32_t inference) {
    paint_guard(memory);
    paint_guard(arena_ + program_.arena_bytes);
    fill_with_garbage(arena_, program_.arena_bytes, inference);
    for (std::uint32_t i = 0; i < program_.input_count; i++)
      if (!read(input_, place_of(program_.inputs[i]), program_.inputs[i].bytes)) fail("file", index_);
    const std::uint32_t changed_registers = call_measured(program_.run, arena_);
    check_guards();
    if (changed_registers != 0) fail("registers", index_, changed_registers);
    for (std::uint32_t i = 0; i < program_.output_count; i++)
      if (!write(output_, place_of(program_.outputs[i]), program_.outputs[i].bytes)) fail("file", index_);
    if (plan_.dump_arena && !write(dump_, arena_, program_.arena_bytes)) fail("file", index_);
  }

  void check_guards() {
    const std::uint32_t before = last_changed(memory);
    if (before < guard_bytes) fail("guard", index_, 0, guard_bytes - before);
    const std::uint32_t after = first_changed(arena_ + program_.arena_bytes);
    if (after < guard_bytes) fail("guard", index_, 1, after);
  }

  std::uint8_t* place_of(const End& end) {
    auto* place = static_cast<std::uint8_t*>(const_cast<void*>(end.address(arena_)));
    if (place < arena_ || end.bytes > program_.arena_bytes ||
        static_cast<std::uint32_t>(place - arena_) > program_.arena_bytes - end.bytes)
      fail("end", index_, static_cast<std::uint32_t>(place - arena_), end.bytes);
    return place;
  }

  std::uint32_t index_;
  const Program& program_;
  const Plan& plan_;
  std::uint8_t* arena_ = memory + guard_bytes;
  int input_ = 0;
  int output_ = 0;
  int dump_ = 0;
};

}  // namespace

void tell(const char* key, std::initializer_list<std::uint32_t> values) {
  char line[160];
  char* end = line;
  *end++ = '@';
  while (*key != 0) *end++ = *key++;
  for (const std::uint32_t value : values) {
    *end++ = ' ';
    for (int shift = 28; shift >= 0; shift -= 4) *end++ = "0123456789abcdef"[value >> shift & 15];
  }
  *end++ = '\n';
  *end = 0;
  call(Semihosting::Write0, line);
}

}  // namespace harness

extern "C" void harness_main() {
  using namespace harness;
  const int file = open("harness.plan", Mode::Read);
  if (file < 0) fail("file", 0);
  for (std::uint32_t i = 0; i < program_count; i++) {
    tell("program", {i});
    Plan plan;
    if (!read(file, &plan, sizeof plan)) fail("file", i);
    if (plan.inferences > 0) Runner(i, plan).run_all();
  }
  close(file);
}
