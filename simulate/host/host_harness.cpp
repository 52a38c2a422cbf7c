// SPDX-License-Identifier: Apache-2.0
// Runs every program of the table on this machine, on the inferences in its input file, watching its memory.
#include <cstdio>
#include <cstdlib>

#include "harness.h"

#if defined(__SANITIZE_ADDRESS__)
// What a program leaves unfreed is not the question here, and the leak detector fails where tracing is forbidden.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

namespace harness {
namespace {

struct Plan {
  std::uint32_t inferences;
  std::uint32_t dump_arena;
};

[[noreturn]] void fail(const char* key, std::uint32_t program, std::uint32_t first = 0, std::uint32_t second = 0) {
  tell(key, {program, first, second});
  std::exit(1);
}

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint32_t guard = 0;  // the sanitizer watches every byte outside the allocation, reads included
#else
constexpr std::uint32_t guard = guard_bytes;
#endif

std::uint8_t guard_byte(std::uint32_t index) { return static_cast<std::uint8_t>(0xC9 ^ (index * 37)); }

/// An arena of exactly the bytes the program asks for, between guards.
class Arena {
 public:
  explicit Arena(std::uint32_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    if (posix_memalign(&memory, 16, bytes + 2 * guard) == 0) memory_ = static_cast<std::uint8_t*>(memory);
  }
  ~Arena() { std::free(memory_); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::uint8_t* data() { return memory_ == nullptr ? nullptr : memory_ + guard; }

  /// Other garbage in every inference, so that no result can rest on what the arena held before.
  void fill(std::uint32_t inference) {
    const std::uint32_t pattern = 0xA5A5A5A5u + inference * 0x9E3779B9u;
    for (std::uint32_t i = 0; i < bytes_; i++) data()[i] = static_cast<std::uint8_t>(pattern >> (i % 4 * 8));
    for (std::uint32_t i = 0; i < guard; i++) memory_[i] = data()[bytes_ + i] = guard_byte(i);
  }

  void check_guards(std::uint32_t program) {
    std::uint32_t before = guard;
    while (before > 0 && memory_[before - 1] == guard_byte(before - 1)) before--;
    if (before > 0) fail("guard", program, 0, guard - before + 1);
    for (std::uint32_t i = 0; i < guard; i++)
      if (data()[bytes_ + i] != guard_byte(i)) fail("guard", program, 1, i);
  }

 private:
  std::uint32_t bytes_;
  std::uint8_t* memory_ = nullptr;
};

class Runner {
 public:
  Runner(std::uint32_t index, const Plan& plan) : index_(index), program_(programs[index]), plan_(plan), arena_(program_.arena_bytes) {}

  void run_all() {
    input_ = open(program_.input_file, "rb");
    output_ = open(program_.output_file, "wb");
    if (plan_.dump_arena != 0) dump_ = open(program_.arena_file, "wb");
    if (arena_.data() == nullptr) fail("file", index_);
    for (std::uint32_t i = 0; i < plan_.inferences; i++) run_once(i);
    for (std::FILE* file : {input_, output_, dump_})
      if (file != nullptr && std::fclose(file) != 0) fail("file", index_);
  }

 private:
  std::FILE* open(const char* path, const char* mode) {
    std::FILE* file = std::fopen(path, mode);
    if (file == nullptr) fail("file", index_);
    return file;
  }

  void run_once(std::uint32_t inference) {
    arena_.fill(inference);
    for (std::uint32_t i = 0; i < program_.input_count; i++)
      if (std::fread(place_of(program_.inputs[i]), program_.inputs[i].bytes, 1, input_) != 1) fail("file", index_);
    program_.run(arena_.data());
    arena_.check_guards(index_);
    for (std::uint32_t i = 0; i < program_.output_count; i++) write(output_, place_of(program_.outputs[i]), program_.outputs[i].bytes);
    if (dump_ != nullptr) write(dump_, arena_.data(), program_.arena_bytes);
  }

  void write(std::FILE* file, const std::uint8_t* from, std::uint32_t bytes) {
    if (bytes != 0 && std::fwrite(from, bytes, 1, file) != 1) fail("file", index_);
  }

  std::uint8_t* place_of(const End& end) {
    auto* place = static_cast<std::uint8_t*>(const_cast<void*>(end.address(arena_.data())));
    const std::ptrdiff_t offset = place - arena_.data();
    if (offset < 0 || end.bytes > program_.arena_bytes || offset > static_cast<std::ptrdiff_t>(program_.arena_bytes - end.bytes))
      fail("end", index_, static_cast<std::uint32_t>(offset), end.bytes);
    return place;
  }

  std::uint32_t index_;
  const Program& program_;
  const Plan& plan_;
  Arena arena_;
  std::FILE* input_ = nullptr;
  std::FILE* output_ = nullptr;
  std::FILE* dump_ = nullptr;
};

}  // namespace

void tell(const char* key, std::initializer_list<std::uint32_t> values) {
  std::printf("@%s", key);
  for (const std::uint32_t value : values) std::printf(" %08x", value);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace harness

int main() {
  using namespace harness;
  std::FILE* file = std::fopen("harness.plan", "rb");
  if (file == nullptr) fail("file", 0);
  for (std::uint32_t i = 0; i < program_count; i++) {
    tell("program", {i});
    Plan plan;
    if (std::fread(&plan, sizeof plan, 1, file) != 1) fail("file", i);
    if (plan.inferences > 0) Runner(i, plan).run_all();
  }
  std::fclose(file);
}
