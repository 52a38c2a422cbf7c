// SPDX-License-Identifier: Apache-2.0
// QEMU plugin that counts the instructions between two markers, and models their cycles, in all and per layer.
//
// A marker is a reserved 16-bit hint, which every M-profile core executes as a no-operation. Neither a marker nor the
// call instruction right after the begin marker is counted. One line per marked region goes to the file `out`:
//
//   instructions:half_cycles [layer:instructions:half_cycles]...
//
// where `layer` is the number of the line in the file `layers` (hexadecimal entry addresses) whose address was
// entered last. When QEMU ends within a region, a last line says "in" and the current layer, or "in" alone.
// Arguments: out=FILE,layers=FILE,core=NAME,each=on|off.
//
// QEMU calls back once per straight run of instructions, which costs less than adding up each of them. With each=on it
// calls back for every instruction: under -icount it leaves a run at an access to a device and executes the rest anew.
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

// The few declarations of QEMU's plugin interface, version 1, that are used here.
#define EXPORT __attribute__((visibility("default")))
typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn*, void (*)(unsigned, void*),
                                            enum qemu_plugin_cb_flags, void*);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void*), void*);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn*);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn*);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn*);
EXPORT int qemu_plugin_version = 1;

enum { begin_marker = 0xbf70, end_marker = 0xbf80 };

struct count {
  uint64_t instructions;
  uint64_t half_cycles;
};

// Instructions that are executed one after the other, from `address` on. A layer begins at the first or nowhere.
struct run {
  struct count count;
  uint64_t address;
  uint64_t next_address;      // where control goes on unless the last instruction branches
  unsigned taken;             // half cycles on top when it does; 0: unconditional, or no branch
  size_t layer;               // that is entered here; layer_total: none
};

static struct count executed;       // since QEMU started; only differences mean anything
static struct count begun_at;       // `executed` at the begin marker
static struct count entered_at;     // `executed` at the entry of the current layer
static const struct run* last_run;  // executed last
static uint64_t call_address;       // of the instruction after the begin marker
static uint64_t* entries;           // entry address per line of the layers file
static struct count* layer_counts;  // per line
static size_t layer_total;
static size_t current_layer;        // index into layer_counts; layer_total: none
static bool counting;
static FILE* out;
static const struct timing* timing;
static bool each_instruction;

static struct count since(struct count start) {
  return (struct count){executed.instructions - start.instructions, executed.half_cycles - start.half_cycles};
}

static void leave_layer(void) {
  struct count spent = since(entered_at);
  if (current_layer < layer_total) {
    layer_counts[current_layer].instructions += spent.instructions;
    layer_counts[current_layer].half_cycles += spent.half_cycles;
  }
  entered_at = executed;
}

static void on_begin(unsigned cpu, void* data) {
  (void)cpu, (void)data;
  memset(layer_counts, 0, layer_total * sizeof *layer_counts);
  current_layer = layer_total;
  begun_at = entered_at = executed;
  last_run = NULL;
  counting = true;
}

// Control arrives at `address`: by the conditional branch that ended the run before, or past it?
static void settle_branch(uint64_t address) {
  if (last_run && last_run->taken && address != last_run->next_address) executed.half_cycles += last_run->taken;
}

static void on_run(unsigned cpu, void* data) {
  (void)cpu;
  const struct run* run = data;
  if (!counting) return;
  settle_branch(run->address);
  last_run = run;
  if (run->layer < layer_total) {
    leave_layer();
    current_layer = run->layer;
  }
  executed.instructions += run->count.instructions;
  executed.half_cycles += run->count.half_cycles;
}

static void on_end(unsigned cpu, void* data) {
  (void)cpu;
  settle_branch((uintptr_t)data);
  leave_layer();
  counting = false;
  struct count all = since(begun_at);
  fprintf(out, "%" PRIu64 ":%" PRIu64, all.instructions, all.half_cycles);
  for (size_t i = 0; i < layer_total; i++)
    if (layer_counts[i].instructions) fprintf(out, " %zu:%" PRIu64 ":%" PRIu64, i, layer_counts[i].instructions, layer_counts[i].half_cycles);
  fputc('\n', out);
}

static uint32_t code_of(const struct qemu_plugin_insn* instruction) {
  uint16_t halves[2] = {0, 0};
  size_t size = qemu_plugin_insn_size(instruction);
  memcpy(halves, qemu_plugin_insn_data(instruction), size);
  return size == 2 ? halves[0] : (uint32_t)halves[0] << 16 | halves[1];
}

static size_t layer_at(uint64_t address) {
  size_t i = 0;
  while (i < layer_total && entries[i] != address) i++;
  return i;
}

// Runs live as long as the code that QEMU made of them, which is until it ends.
static struct run* begin_run(struct qemu_plugin_insn* instruction, uint64_t address) {
  struct run* run = calloc(1, sizeof *run);
  if (!run) abort();
  run->address = address;
  run->layer = layer_at(address);
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_run, QEMU_PLUGIN_CB_NO_REGS, run);
  return run;
}

static void add_to_run(struct run* run, struct qemu_plugin_insn* instruction, struct timing_context* context) {
  bool wide = qemu_plugin_insn_size(instruction) == 4;
  struct timing_cost cost = timing_of(timing, code_of(instruction), wide, context);
  run->count.instructions++;
  run->count.half_cycles += cost.cost;
  run->taken = cost.taken;
  run->next_address = qemu_plugin_insn_vaddr(instruction) + (wide ? 4 : 2);
}

// True when the instruction is not to be counted.
static bool watch_marker(struct qemu_plugin_insn* instruction, uint64_t address) {
  bool narrow = qemu_plugin_insn_size(instruction) == 2;
  uint32_t code = code_of(instruction);
  if (narrow && code == begin_marker) {
    call_address = address + 2;
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
    return true;
  }
  if (narrow && code == end_marker) {
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_end, QEMU_PLUGIN_CB_NO_REGS, (void*)(uintptr_t)address);
    return true;
  }
  return address == call_address;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  size_t total = qemu_plugin_tb_n_insns(block);
  struct run* run = NULL;
  struct timing_context context = {0, 0};
  for (size_t i = 0; i < total; i++) {
    struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block, i);
    uint64_t address = qemu_plugin_insn_vaddr(instruction);
    if (watch_marker(instruction, address)) {
      run = NULL;
      continue;
    }
    if (!run || each_instruction || layer_at(address) < layer_total) run = begin_run(instruction, address);
    add_to_run(run, instruction, &context);
  }
}

static void on_qemu_exit(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  if (counting && current_layer < layer_total) fprintf(out, "in %zu\n", current_layer);
  if (counting && current_layer == layer_total) fputs("in\n", out);
  fclose(out);
}

static bool read_layers(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) return false;
  uint64_t address;
  while (fscanf(file, "%" SCNx64, &address) == 1) {
    uint64_t* grown = realloc(entries, (layer_total + 1) * sizeof *entries);
    if (!grown) break;
    entries = grown;
    entries[layer_total++] = address;
  }
  fclose(file);
  layer_counts = calloc(layer_total + 1, sizeof *layer_counts);
  return layer_counts != NULL;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  (void)info;
  const char* layers_path = NULL;
  const char* core = "";
  for (int i = 0; i < argc; i++) {
    if (!strncmp(argv[i], "out=", 4)) out = fopen(argv[i] + 4, "w");
    if (!strncmp(argv[i], "layers=", 7)) layers_path = argv[i] + 7;
    if (!strncmp(argv[i], "core=", 5)) core = argv[i] + 5;
    if (!strcmp(argv[i], "each=on")) each_instruction = true;
  }
  timing = find_timing(core);
  if (!timing) {
    fprintf(stderr, "count: no timing of core \"%s\"\n", core);
    return -1;
  }
  if (!out || !layers_path || !read_layers(layers_path)) {
    fputs("count: cannot open the files named by out= and layers=\n", stderr);
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_qemu_exit, NULL);
  return 0;
}
