// SPDX-License-Identifier: Apache-2.0
// Child processes with a time limit, their output captured in a file.
#include "simulate/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

extern char** environ;

namespace corten {
namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  pid_t id = 0;
  const Command* command = nullptr;
  Clock::time_point started = {};
};

std::string package_of(std::string_view program) {
  if (program.starts_with("arm-none-eabi-"))
    return "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib";
  if (program == "qemu-system-arm" || program == "g++") return std::string(program);
  return {};
}

Diagnostic cannot_start(const std::string& program, int reason) {
  const std::string package = package_of(program);
  return error(fmt::format("cannot run {}: {}", program, std::strerror(reason)), {},
               package.empty() ? "" : "sudo apt-get install " + package);
}

Result<Child> start(const Command& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, command.output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
  Child child{.command = &command, .started = Clock::now()};
  const int failure = posix_spawnp(&child.id, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return cannot_start(command.arguments[0], failure);
  return child;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Outcome outcome_of(int status, bool timed_out, const Command& command) {
  Outcome outcome{Ending::Exited, 0, content_of(command.output_file)};
  if (timed_out) {
    outcome.ending = Ending::TimedOut;
  } else if (WIFSIGNALED(status)) {
    outcome.ending = Ending::Killed;
    outcome.status = WTERMSIG(status);
  } else {
    outcome.status = WEXITSTATUS(status);
  }
  return outcome;
}

bool out_of_time(const Child& child) {
  const std::chrono::duration<double> elapsed = Clock::now() - child.started;
  return child.command->timeout_seconds > 0 && elapsed.count() > child.command->timeout_seconds;
}

/// Asks first, so that the process can still write what it knows; then insists.
int end_process(pid_t id) {
  int status = 0;
  ::kill(id, SIGTERM);
  for (int i = 0; i < 400; i++) {
    if (::waitpid(id, &status, WNOHANG) != 0) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(id, SIGKILL);
  ::waitpid(id, &status, 0);
  return status;
}

Outcome wait_for(const Child& child) {
  int status = 0;
  if (child.command->timeout_seconds <= 0) {
    while (::waitpid(child.id, &status, 0) < 0 && errno == EINTR) {}
    return outcome_of(status, false, *child.command);
  }
  while (::waitpid(child.id, &status, WNOHANG) == 0) {
    if (out_of_time(child)) return outcome_of(end_process(child.id), true, *child.command);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  return outcome_of(status, false, *child.command);
}

}  // namespace

Result<Outcome> run_process(const Command& command) {
  CORTEN_TRY(const Child child, start(command));
  return wait_for(child);
}

Result<std::vector<Outcome>> run_processes(const std::vector<Command>& commands) {
  const std::size_t at_once = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Outcome> outcomes;
  std::vector<Child> running;
  Diagnostics failures;
  for (std::size_t next = 0; next < commands.size() || outcomes.size() < running.size();) {
    const bool may_start = failures.empty() && next < commands.size() && running.size() - outcomes.size() < at_once;
    if (may_start) {
      Result<Child> child = start(commands[next++]);
      if (child) running.push_back(*child);
      else failures = child.diagnostics();
      continue;
    }
    if (outcomes.size() == running.size()) break;
    outcomes.push_back(wait_for(running[outcomes.size()]));
  }
  if (!failures.empty()) return failures;
  return outcomes;
}

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace corten
