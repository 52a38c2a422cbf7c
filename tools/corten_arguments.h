// SPDX-License-Identifier: Apache-2.0
// What the user typed, and what it means to the library.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "compiler/compile.h"

namespace corten::cli {

struct Arguments {
  std::string model, name, core = "cortex-m4";
  std::string output, input, calibrate, quantize, dump, json, golden, parameter;
  std::string stage = "imported", rounding = "double", io = "quantized", io_layout = "nhwc", error_format = "text", stop_after;
  std::vector<std::string> allow_float;
  std::int64_t random = 0;
  std::uint64_t seed = 1;
  bool keep_input = false, keep_intermediates = false, no_runtime = false, no_fuse = false, no_shrink = false, print_changed = false, table = false;
  std::string as;
};

/// Options for the compiler. Errors: a quantizer file that can't be read.
Result<CompileOptions> compile_options(const Arguments& arguments);

/// Prints diagnostics to standard error as --error-format asks, and returns the exit status for them.
int fail(const Diagnostics& diagnostics, const Arguments& arguments);

/// Counts on standard error what takes longer than a second, if that is a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  void operator()(std::size_t done, std::size_t all);

 private:
  std::string what_;
  double start_;
  bool shown_ = false;
};

/// Shows on standard error how long something goes on, once that is longer than a second and if that is a terminal.
class Elapsed {
 public:
  explicit Elapsed(std::string what);
  ~Elapsed();

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  std::thread thread_;
};

int compile_command(const Arguments& arguments);
int simulate_command(const Arguments& arguments);
int run_command(const Arguments& arguments);
int verify_command(const Arguments& arguments);
int quantize_command(const Arguments& arguments);
int inspect_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int ops_command(const Arguments& arguments);

/// Evaluates to the value of a Result, or returns from the command with its diagnostics printed.
#define CORTEN_OR_FAIL(declaration, arguments, ...)                                             \
  auto CORTEN_CONCAT(result_, __LINE__) = (__VA_ARGS__);                                        \
  if (!CORTEN_CONCAT(result_, __LINE__).ok()) return fail(CORTEN_CONCAT(result_, __LINE__).diagnostics(), arguments); \
  declaration = std::move(*CORTEN_CONCAT(result_, __LINE__))

}  // namespace corten::cli
