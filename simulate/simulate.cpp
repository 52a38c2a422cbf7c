// SPDX-License-Identifier: Apache-2.0
// Runs a built ELF, in QEMU or on this machine, and collects outputs, counts and stack.
#include "simulate/simulate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "simulate/elf_file.h"
#include "simulate/failure.h"
#include "simulate/host_build.h"
#include "simulate/layers.h"
#include "simulate/process.h"

namespace corten {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

std::size_t total_bytes(const std::vector<End>& ends) {
  std::size_t total = 0;
  for (const End& end : ends) total += end.bytes;
  return total;
}

Status write_file(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) return error(fmt::format("cannot write {}", path.string()));
  return {};
}

Result<Bytes> read_file(const fs::path& path, std::size_t expected_bytes) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (content.size() != expected_bytes)
    return error(fmt::format("{} holds {} bytes, expected {}", path.string(), content.size(), expected_bytes));
  const auto bytes = std::as_bytes(std::span(content));
  return Bytes(bytes.begin(), bytes.end());
}

Result<std::size_t> inferences_of(const SimulatedProgram& program, const Bytes& input) {
  const std::size_t bytes = total_bytes(program.inputs);
  if (bytes == 0) return std::size_t{1};
  if (input.size() % bytes != 0)
    return error(fmt::format("input of {} has {} bytes, expected a multiple of {}", program.name, input.size(), bytes));
  return input.size() / bytes;
}

struct Prepared {
  std::vector<std::size_t> inferences;  // per program
  std::vector<LayerEntry> layers;
};

std::string lines_of(const std::vector<LayerEntry>& layers) {
  std::string text;
  for (const LayerEntry& entry : layers) text += fmt::format("{:x}\n", entry.address);
  return text;
}

/// Writes the files that harness and plugin read: inputs, harness.plan and layers.txt.
Result<Prepared> prepare(const Elf& elf, const ElfContent& content, const std::vector<Bytes>& inputs, bool dump_arena) {
  if (inputs.size() != elf.programs.size())
    return error(fmt::format("{} inputs for {} programs", inputs.size(), elf.programs.size()));
  const fs::path folder = elf.path.parent_path();
  Prepared prepared;
  std::vector<std::uint32_t> plan;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    CORTEN_TRY(const std::size_t inferences, inferences_of(elf.programs[i], inputs[i]));
    CORTEN_CHECK(write_file(folder / (elf.programs[i].name + ".in"), inputs[i]));
    prepared.inferences.push_back(inferences);
    plan.push_back(static_cast<std::uint32_t>(inferences));
    plan.push_back(dump_arena ? 1 : 0);
  }
  CORTEN_CHECK(write_file(folder / "harness.plan", std::as_bytes(std::span(plan))));
  if (is_host(*elf.core)) return prepared;
  CORTEN_TRY(prepared.layers, find_layers(content, elf.programs));
  const std::string layer_lines = lines_of(prepared.layers);
  CORTEN_CHECK(write_file(folder / "layers.txt", std::as_bytes(std::span(layer_lines))));
  return prepared;
}

/// The plugin of this build, or the one installed beside the running program.
fs::path plugin_path() {
  std::error_code failure;
#ifdef CORTEN_COUNT_PLUGIN
  if (fs::exists(CORTEN_COUNT_PLUGIN, failure)) return CORTEN_COUNT_PLUGIN;
#endif
  const fs::path beside = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const char* name : {"corten_count.so", "../lib/corten/corten_count.so"})
    if (fs::exists(beside / name, failure)) return beside / name;
  return {};
}

/// QEMU splits its options at commas; a doubled comma stands for one.
std::string with_commas_doubled(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += c == ',' ? std::string(",,") : std::string(1, c);
  return doubled;
}

Result<Command> qemu_command(const Elf& elf, const SimulateOptions& options) {
  const fs::path plugin = plugin_path();
  if (plugin.empty()) return error("corten_count.so not found beside the program", {}, "build the target corten_count");
  const fs::path folder = elf.path.parent_path();
  const Board& board = *find_board(*elf.core);
  Command command{{"qemu-system-arm", "-M", std::string(board.machine)}, folder, folder / "qemu.log", options.timeout_seconds};
  for (const std::string& word : words(board.arguments)) command.arguments.push_back(word);
  for (const std::string& word : words("-display none -monitor none -serial none -semihosting-config enable=on,target=native"))
    command.arguments.push_back(word);
  if (options.instruction_clock)
    for (const char* word : {"-icount", "shift=0,sleep=off"}) command.arguments.push_back(word);
  const std::string plugin_options = fmt::format(",out=counts.txt,layers=layers.txt,core={},each={}", elf.core->name,
                                                 options.instruction_clock ? "on" : "off");
  for (const std::string& word : {std::string("-plugin"), "file=" + with_commas_doubled(plugin.string()) + plugin_options,
                                  std::string("-kernel"), elf.path.filename().string()})
    command.arguments.push_back(word);
  return command;
}

double default_timeout(const Elf& elf, const std::vector<std::size_t>& inferences) {
  double seconds = 60;
  for (std::size_t i = 0; i < inferences.size(); i++) {
    const double bytes = static_cast<double>(elf.sizes[i].constant_bytes + elf.programs[i].arena_bytes);
    seconds += static_cast<double>(inferences[i]) * (0.5 + bytes / 20'000);
  }
  return seconds;
}

struct Counted {
  std::uint64_t instructions = 0;
  std::uint64_t half_cycles = 0;
};

std::uint64_t cycles(std::uint64_t half_cycles) { return (half_cycles + 1) / 2; }

struct EntryCount {
  std::size_t entry;  // index of a layer entry
  Counted counted;
};

struct RegionCount {
  Counted total;
  std::vector<EntryCount> by_entry;
};

struct Counts {
  std::vector<RegionCount> regions;  // one per inference, program after program
  std::size_t unfinished_entry = SIZE_MAX;  // index of the layer entry QEMU ended in
};

/// Numbers separated by colons; missing ones are 0.
std::array<std::uint64_t, 3> numbers(const std::string& word) {
  std::array<std::uint64_t, 3> parsed{};
  const char* next = word.data();
  const char* const end = word.data() + word.size();
  for (std::uint64_t& number : parsed) {
    next = std::from_chars(next, end, number).ptr;
    if (next == end || *next != ':') break;
    next++;
  }
  return parsed;
}

Counts read_counts(const fs::path& path) {
  Counts counts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = words(line);
    if (parts.empty()) continue;
    if (parts[0] == "in") {
      if (parts.size() > 1) counts.unfinished_entry = numbers(parts[1])[0];
      continue;
    }
    const auto [instructions, half_cycles, unused] = numbers(parts[0]);
    RegionCount region{{instructions, half_cycles}, {}};
    for (std::size_t i = 1; i < parts.size(); i++) {
      const auto [entry, executed, spent] = numbers(parts[i]);
      region.by_entry.push_back({entry, {executed, spent}});
    }
    counts.regions.push_back(std::move(region));
  }
  return counts;
}

std::vector<LayerCount> layer_counts(const SimulatedProgram& program, std::size_t index, const RegionCount& region,
                                     const std::vector<LayerEntry>& entries) {
  std::vector<LayerCount> layers;
  for (const std::string& name : program.layers) layers.push_back({name, 0, 0});
  for (const auto& [entry, counted] : region.by_entry) {
    if (entry >= entries.size() || entries[entry].program != index) continue;
    layers[entries[entry].layer].instructions += counted.instructions;
    layers[entries[entry].layer].cycles_modelled += counted.half_cycles;
  }
  for (LayerCount& layer : layers) layer.cycles_modelled = cycles(layer.cycles_modelled);
  return layers;
}

std::string layer_name(const Elf& elf, const Prepared& prepared, std::size_t entry) {
  if (entry >= prepared.layers.size()) return {};
  const LayerEntry& found = prepared.layers[entry];
  return elf.programs[found.program].layers[found.layer];
}

std::size_t stack_bytes_of(std::span<const Told> told, std::size_t program) {
  for (const Told& line : told)
    if (line.key == "stack" && line.values.size() == 2 && line.values[0] == program) return line.values[1];
  return 0;
}

/// Files that the harness wrote.
Status read_outputs(const SimulatedProgram& program, const fs::path& folder, std::size_t inferences, bool dump_arena, Run& run) {
  if (inferences == 0) return {};
  CORTEN_TRY(run.outputs, read_file(folder / (program.name + ".out"), inferences * total_bytes(program.outputs)));
  if (!dump_arena) return {};
  CORTEN_TRY(run.arena, read_file(folder / (program.name + ".arena"), inferences * program.arena_bytes));
  return {};
}

Result<std::vector<Run>> collect(const Elf& elf, const Prepared& prepared, std::span<const Told> told, bool dump_arena) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < elf.programs.size(); i++) {
    Run run{.stack_bytes = stack_bytes_of(told, i), .code_bytes = elf.sizes[i].code_bytes, .constant_bytes = elf.sizes[i].constant_bytes};
    CORTEN_CHECK(read_outputs(elf.programs[i], elf.path.parent_path(), prepared.inferences[i], dump_arena, run));
    runs.push_back(std::move(run));
  }
  return runs;
}

Status add_counts(const Elf& elf, const Prepared& prepared, const Counts& counts, std::vector<Run>& runs) {
  std::size_t region = 0;
  for (std::size_t i = 0; i < elf.programs.size(); i++) {
    const std::size_t inferences = prepared.inferences[i];
    if (region + inferences > counts.regions.size()) return error("the counting plugin wrote fewer counts than inferences");
    if (inferences > 0) runs[i].layers = layer_counts(elf.programs[i], i, counts.regions[region], prepared.layers);
    for (std::size_t n = 0; n < inferences; n++, region++) {
      runs[i].instructions.push_back(counts.regions[region].total.instructions);
      runs[i].cycles_modelled.push_back(cycles(counts.regions[region].total.half_cycles));
    }
  }
  return {};
}

Result<std::vector<Run>> run_on_host(const Elf& elf, const std::vector<Bytes>& inputs, const SimulateOptions& options) {
  const ElfContent no_content;
  CORTEN_TRY(const Prepared prepared, prepare(elf, no_content, inputs, options.dump_arena));
  Command command = host_command(elf, options);
  if (command.timeout_seconds <= 0) command.timeout_seconds = default_timeout(elf, prepared.inferences);
  CORTEN_TRY(const Outcome outcome, run_process(command));
  const std::vector<Told> told = told_lines(outcome.output);
  CORTEN_CHECK(failure_of({elf, no_content, outcome, told, "", command.timeout_seconds}));
  return collect(elf, prepared, told, options.dump_arena);
}

}  // namespace

Result<std::vector<Run>> simulate(const Elf& elf, const std::vector<Bytes>& inputs, const SimulateOptions& options) {
  if (is_host(*elf.core)) return run_on_host(elf, inputs, options);
  CORTEN_TRY(const ElfContent content, read_elf(elf.path));
  CORTEN_TRY(const Prepared prepared, prepare(elf, content, inputs, options.dump_arena));
  CORTEN_TRY(Command command, qemu_command(elf, options));
  if (command.timeout_seconds <= 0) command.timeout_seconds = default_timeout(elf, prepared.inferences);
  CORTEN_TRY(const Outcome outcome, run_process(command));
  const std::vector<Told> told = told_lines(outcome.output);
  const Counts counts = read_counts(command.folder / "counts.txt");
  CORTEN_CHECK(failure_of({elf, content, outcome, told, layer_name(elf, prepared, counts.unfinished_entry), command.timeout_seconds}));
  CORTEN_TRY(std::vector<Run> runs, collect(elf, prepared, told, options.dump_arena));
  CORTEN_CHECK(add_counts(elf, prepared, counts, runs));
  return runs;
}

}  // namespace corten
