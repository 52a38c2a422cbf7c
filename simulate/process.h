// SPDX-License-Identifier: Apache-2.0
// Runs programs of this machine: compiler, linker, QEMU.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "corten/result.h"

namespace corten {

struct Command {
  std::vector<std::string> arguments;    // the first one names the program, looked up in PATH
  std::filesystem::path folder;          // to run in
  std::filesystem::path output_file;     // gets standard output and standard error
  double timeout_seconds = 0;            // 0: none
};

enum class Ending { Exited, Killed, TimedOut };

struct Outcome {
  Ending ending;
  int status;          // exit status, or the signal that killed it
  std::string output;  // content of output_file
};

/// Runs one command to its end. Fails when the program is not installed, with the command that installs it as help.
Result<Outcome> run_process(const Command& command);

/// Runs all commands, as many at once as this machine has processors. Fails when one can't be started.
Result<std::vector<Outcome>> run_processes(const std::vector<Command>& commands);

/// `text` cut at each space.
std::vector<std::string> words(std::string_view text);

}  // namespace corten
