// SPDX-License-Identifier: Apache-2.0
// QEMU plugin that counts the instructions between two markers, in all and per layer.
//
// A marker is a reserved 16-bit hint, which every M-profile core executes as a no-operation. Neither a marker nor the
// call instruction right after the begin marker is counted. One line per marked region goes to the file `out`:
//
//   total [layer:count]...
//
// where `layer` is the number of the line in the file `layers` (hexadecimal entry addresses) whose address was
// entered last. When QEMU ends within a region, a last line says "in" and the current layer, or "in" alone.
// Arguments: out=FILE,layers=FILE.
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The few declarations of QEMU's plugin interface, version 1, that are used here.
#define EXPORT __attribute__((visibility("default")))
typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn*, void (*)(unsigned, void*),
                                            enum qemu_plugin_cb_flags, void*);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn*, enum qemu_plugin_op, void*, uint64_t);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void*), void*);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn*);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn*);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn*);
EXPORT int qemu_plugin_version = 1;

enum { begin_marker = 0xbf70, end_marker = 0xbf80 };

static uint64_t executed;       // since QEMU started; only differences mean anything
static uint64_t begun_at;       // `executed` at the begin marker
static uint64_t entered_at;     // `executed` at the entry of the current layer
static uint64_t call_address;   // of the instruction after the begin marker
static uint64_t* entries;       // entry address per line of the layers file
static uint64_t* layer_counts;  // per line
static size_t layer_total;
static size_t current_layer;    // index into layer_counts; layer_total: none
static bool counting;
static FILE* out;

static void leave_layer(void) {
  if (current_layer < layer_total) layer_counts[current_layer] += executed - entered_at;
  entered_at = executed;
}

static void on_begin(unsigned cpu, void* data) {
  (void)cpu, (void)data;
  memset(layer_counts, 0, layer_total * sizeof *layer_counts);
  current_layer = layer_total;
  begun_at = entered_at = executed;
  counting = true;
}

static void on_layer(unsigned cpu, void* data) {
  (void)cpu;
  if (!counting) return;
  leave_layer();
  current_layer = (size_t)data;
}

static void on_end(unsigned cpu, void* data) {
  (void)cpu, (void)data;
  leave_layer();
  counting = false;
  fprintf(out, "%" PRIu64, executed - begun_at);
  for (size_t i = 0; i < layer_total; i++)
    if (layer_counts[i]) fprintf(out, " %zu:%" PRIu64, i, layer_counts[i]);
  fputc('\n', out);
}

static uint16_t first_halfword(const struct qemu_plugin_insn* instruction) {
  uint16_t value;
  memcpy(&value, qemu_plugin_insn_data(instruction), sizeof value);
  return value;
}

static void watch_layer_entry(struct qemu_plugin_insn* instruction, uint64_t address) {
  for (size_t i = 0; i < layer_total; i++) {
    if (entries[i] != address) continue;
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_layer, QEMU_PLUGIN_CB_NO_REGS, (void*)i);
    return;
  }
}

static void instrument(struct qemu_plugin_insn* instruction) {
  uint64_t address = qemu_plugin_insn_vaddr(instruction);
  uint16_t code = first_halfword(instruction);
  if (code == begin_marker) {
    call_address = address + 2;
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
  } else if (code == end_marker) {
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
  } else if (address != call_address) {
    watch_layer_entry(instruction, address);
    qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64, &executed, 1);
  }
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  size_t total = qemu_plugin_tb_n_insns(block);
  for (size_t i = 0; i < total; i++) instrument(qemu_plugin_tb_get_insn(block, i));
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
  for (int i = 0; i < argc; i++) {
    if (!strncmp(argv[i], "out=", 4)) out = fopen(argv[i] + 4, "w");
    if (!strncmp(argv[i], "layers=", 7)) layers_path = argv[i] + 7;
  }
  if (!out || !layers_path || !read_layers(layers_path)) {
    fputs("count: cannot open the files named by out= and layers=\n", stderr);
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_qemu_exit, NULL);
  return 0;
}
