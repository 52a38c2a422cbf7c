// SPDX-License-Identifier: Apache-2.0
// Decodes what the device harness and QEMU say about a fault, a time-out or a broken promise.
#include "simulate/failure.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <sstream>

namespace corten {
namespace {

std::uint32_t value(const Told& told, std::size_t index) { return index < told.values.size() ? told.values[index] : 0; }

const Told* last_told(std::span<const Told> told, std::string_view key) {
  for (std::size_t i = told.size(); i-- > 0;)
    if (told[i].key == key) return &told[i];
  return nullptr;
}

std::string program_of(const Ended& ended) {
  const Told* program = last_told(ended.told, "program");
  if (program == nullptr || value(*program, 0) >= ended.elf.programs.size()) return "harness";
  return ended.elf.programs[value(*program, 0)].name;
}

std::string in_layer(const Ended& ended) { return ended.layer.empty() ? "" : fmt::format(" (layer {})", ended.layer); }

struct StatusBit {
  int bit;
  std::string_view meaning;
};

// Configurable Fault Status Register, Armv7-M and Armv8-M architecture reference manuals. The stack comes first:
// when saving registers failed, the other bits describe a consequence.
constexpr int stack_bits[] = {4, 5, 12, 13, 20};
constexpr StatusBit status_bits[] = {
    {16, "undefined instruction"}, {17, "branch to an address without the Thumb bit"}, {18, "invalid return address"},
    {19, "coprocessor instruction without coprocessor"}, {24, "unaligned access"}, {25, "division by zero"},
    {0, "instruction fetch not allowed"}, {8, "instruction fetch from no memory"},
    {1, "memory access not allowed"}, {9, "bus fault"}, {10, "imprecise bus fault"},
};

std::string faulting_address(const Told& fault) {
  const std::uint32_t status = value(fault, 4);
  if ((status >> 15 & 1) != 0) return fmt::format(" accessing {:#010x}", value(fault, 6));
  if ((status >> 7 & 1) != 0) return fmt::format(" accessing {:#010x}", value(fault, 5));
  return {};
}

std::string fault_kind(const Told& fault) {
  const std::uint32_t status = value(fault, 4);
  for (const int bit : stack_bits)
    if ((status >> bit & 1) != 0) return "stack overflow";
  for (const StatusBit& entry : status_bits)
    if ((status >> entry.bit & 1) != 0) return std::string(entry.meaning) + faulting_address(fault);
  switch (value(fault, 0)) {
    case 2: return "non-maskable interrupt";
    case 3: return "hard fault";
    case 7: return "secure fault";
    case 11: return "supervisor call";
    default: return fmt::format("unexpected exception {}", value(fault, 0));
  }
}

Diagnostic fault_diagnostic(const Ended& ended, const Told& fault) {
  const bool frame_readable = value(fault, 3) != 0;
  if (!frame_readable)
    return error(fmt::format("{}: fault{}: the stack pointer left the stack", program_of(ended), in_layer(ended)), {},
                 "the program needs more stack than the simulation gives it, or an assembly kernel broke sp");
  const std::uint32_t address = value(fault, 1);
  const ElfFunction* function = function_at(ended.content, address);
  return error(fmt::format("{}: fault at {:#010x} in {}{}: {}", program_of(ended), address,
                           function != nullptr ? function->name : "no function", in_layer(ended), fault_kind(fault)));
}

Diagnostic guard_diagnostic(const Ended& ended, const Told& guard) {
  const bool after = value(guard, 1) != 0;
  return error(fmt::format("{}: wrote {} bytes {} the arena", program_of(ended), value(guard, 2) + (after ? 1 : 0),
                           after ? "past the end of" : "before the start of"));
}

/// The bits that call_measured (device/call.S) returns.
std::string register_name(int bit) {
  if (bit < 8) return fmt::format("r{}", bit + 4);
  return bit < 24 ? fmt::format("s{}", bit + 8) : "sp";
}

Diagnostic registers_diagnostic(const Ended& ended, const Told& told) {
  std::string names;
  for (int bit = 0; bit <= 24; bit++)
    if ((value(told, 1) >> bit & 1) != 0) names += (names.empty() ? "" : ", ") + register_name(bit);
  return error(fmt::format("{}: {} came back changed from run, expected callee-saved registers preserved",
                           program_of(ended), names));
}

constexpr std::string_view does_not_fit_message = "the program does not fit the simulated board for ";

std::string how_it_ended(const Outcome& outcome) {
  if (outcome.ending == Ending::Killed) return fmt::format("signal {} ({})", outcome.status, strsignal(outcome.status));
  return fmt::format("status {}", outcome.status);
}

/// What a sanitizer reports, or the beginning of the output.
Diagnostic ended_diagnostic(const Ended& ended) {
  const std::string& output = ended.outcome.output;
  const std::string runner = is_host(*ended.elf.core) ? program_of(ended) : "qemu-system-arm";
  if (const auto at = output.find("ERROR: AddressSanitizer"); at != std::string::npos)
    return error(fmt::format("{}: {}", runner, output.substr(at + 7, 1200)));
  if (const auto at = output.find("runtime error:"); at != std::string::npos) {
    const auto line = output.rfind('\n', at) + 1;  // npos + 1 is the beginning
    return error(fmt::format("{}: {}", runner, output.substr(line, 1200)));
  }
  return error(fmt::format("{} ended with {}:\n{}", runner, how_it_ended(ended.outcome), output.substr(0, 1000)));
}

}  // namespace

Diagnostic does_not_fit_diagnostic(const Core& core, const std::string& linker) {
  return error(fmt::format("{}{}:\n{}", does_not_fit_message, core.name, linker));
}

bool does_not_fit(const Diagnostics& diagnostics) {
  return diagnostics.size() == 1 && diagnostics[0].message.starts_with(does_not_fit_message);
}

std::vector<Told> told_lines(std::string_view output) {
  std::vector<Told> told;
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('@')) continue;
    Told entry;
    for (const std::string& word : words(line.substr(1))) {
      std::uint32_t number = 0;
      if (entry.key.empty()) entry.key = word;
      else if (std::from_chars(word.data(), word.data() + word.size(), number, 16).ec == std::errc()) entry.values.push_back(number);
    }
    told.push_back(std::move(entry));
  }
  return told;
}

Status failure_of(const Ended& ended) {
  if (ended.outcome.ending == Ending::TimedOut)
    return error(fmt::format("{}: still running after {} seconds{}", program_of(ended), ended.timeout_seconds, in_layer(ended)));
  if (const Told* fault = last_told(ended.told, "fault")) return fault_diagnostic(ended, *fault);
  if (const Told* guard = last_told(ended.told, "guard")) return guard_diagnostic(ended, *guard);
  if (const Told* changed = last_told(ended.told, "registers")) return registers_diagnostic(ended, *changed);
  if (const Told* end = last_told(ended.told, "end"))
    return error(fmt::format("{}: an input or output of {} bytes at offset {} does not lie in the arena",
                             program_of(ended), value(*end, 2), static_cast<std::int32_t>(value(*end, 1))));
  if (last_told(ended.told, "file") != nullptr)
    return error(fmt::format("{}: the simulated core cannot read its input or write its output file", program_of(ended)));
  if (ended.outcome.output.find("Lockup") != std::string::npos)
    return error(fmt::format("{}: the core locked up{}", program_of(ended), in_layer(ended)), {},
                 "a fault while handling a fault, most often after a stack overflow");
  if (ended.outcome.ending == Ending::Killed || ended.outcome.status != 0) return ended_diagnostic(ended);
  return {};
}

}  // namespace corten
