// SPDX-License-Identifier: Apache-2.0
// Decodes Thumb, floating-point and MVE instructions into classes and looks up what a class costs on a core.
#include "timing.h"

#include <stddef.h>
#include <string.h>

enum instruction_class {
  class_none,
  class_alu,
  class_load,
  class_store,
  class_store_register_offset,
  class_dual,           // LDRD, STRD
  class_many,           // LDM, STM, PUSH, POP and their floating-point kin
  class_multiply,       // 32-bit product, with or without accumulation by the DSP extension
  class_multiply_add,   // MLA, MLS
  class_multiply_long,
  class_accumulate_long,
  class_divide,
  class_branch,         // B
  class_call,           // BL
  class_jump,           // BX, BLX, an instruction that writes pc
  class_table_branch,
  class_loop_end,       // LE, LETP
  class_float_multiply_add,
  class_float_divide,
  class_vector_memory,
  class_vector_scatter, // gather loads and scatter stores
  class_vector_multiply,
  class_vector_other,
  class_total
};

struct decoded {
  enum instruction_class class;
  unsigned registers;  // words that class_many moves
  bool writes_pc;      // a load that is also a jump
  bool conditional;    // a branch with a condition of its own
};

/// Half cycles. One column of the table in docs/cycles.md.
struct timing {
  const char* cores;              // names, each with a space after it
  uint8_t cost[class_total];
  uint8_t per_register;           // of class_many, on top of its cost
  uint8_t pipelined_load;         // class_load right after another load or store
  uint8_t pc;                     // on top when a load writes pc
  uint8_t taken;                  // on top of 1 cycle when a conditional branch is taken
  uint8_t vector_overlap_missed;  // on top when the vector instruction before needs the same unit
};

#define FLOAT_UNITS .cost[class_float_multiply_add] = 6, .cost[class_float_divide] = 28
#define NO_VECTORS .cost[class_vector_memory] = 4, .cost[class_vector_scatter] = 4, .cost[class_vector_multiply] = 4, .cost[class_vector_other] = 4
#define ONE_CYCLE .cost[class_none] = 2, .cost[class_alu] = 2, .cost[class_multiply] = 2

static const struct timing timings[] = {
    {.cores = "cortex-m0 ", ONE_CYCLE, FLOAT_UNITS, NO_VECTORS,
     .cost[class_load] = 4, .cost[class_store] = 4, .cost[class_store_register_offset] = 4, .cost[class_dual] = 6,
     .cost[class_many] = 2, .cost[class_multiply_add] = 2, .cost[class_multiply_long] = 2, .cost[class_accumulate_long] = 2,
     .cost[class_divide] = 2, .cost[class_branch] = 6, .cost[class_call] = 8, .cost[class_jump] = 6, .cost[class_table_branch] = 6,
     .cost[class_loop_end] = 6, .per_register = 2, .pipelined_load = 4, .pc = 6, .taken = 4},
    {.cores = "cortex-m0plus cortex-m23 ", ONE_CYCLE, FLOAT_UNITS, NO_VECTORS,
     .cost[class_load] = 4, .cost[class_store] = 4, .cost[class_store_register_offset] = 4, .cost[class_dual] = 6,
     .cost[class_many] = 2, .cost[class_multiply_add] = 2, .cost[class_multiply_long] = 2, .cost[class_accumulate_long] = 2,
     .cost[class_divide] = 34, .cost[class_branch] = 4, .cost[class_call] = 6, .cost[class_jump] = 4, .cost[class_table_branch] = 4,
     .cost[class_loop_end] = 4, .per_register = 2, .pipelined_load = 4, .pc = 4, .taken = 2},
    {.cores = "cortex-m3 ", ONE_CYCLE, FLOAT_UNITS, NO_VECTORS,
     .cost[class_load] = 4, .cost[class_store] = 2, .cost[class_store_register_offset] = 4, .cost[class_dual] = 6,
     .cost[class_many] = 2, .cost[class_multiply_add] = 4, .cost[class_multiply_long] = 8, .cost[class_accumulate_long] = 11,
     .cost[class_divide] = 14, .cost[class_branch] = 6, .cost[class_call] = 6, .cost[class_jump] = 6, .cost[class_table_branch] = 8,
     .cost[class_loop_end] = 6, .per_register = 2, .pipelined_load = 2, .pc = 4, .taken = 4},
    {.cores = "cortex-m4 cortex-m33 cortex-m35p ", ONE_CYCLE, FLOAT_UNITS, NO_VECTORS,
     .cost[class_load] = 4, .cost[class_store] = 2, .cost[class_store_register_offset] = 4, .cost[class_dual] = 6,
     .cost[class_many] = 2, .cost[class_multiply_add] = 2, .cost[class_multiply_long] = 2, .cost[class_accumulate_long] = 2,
     .cost[class_divide] = 14, .cost[class_branch] = 6, .cost[class_call] = 6, .cost[class_jump] = 6, .cost[class_table_branch] = 8,
     .cost[class_loop_end] = 6, .per_register = 2, .pipelined_load = 2, .pc = 4, .taken = 4},
    {.cores = "cortex-m7 ", ONE_CYCLE, FLOAT_UNITS, NO_VECTORS,
     .cost[class_load] = 2, .cost[class_store] = 2, .cost[class_store_register_offset] = 2, .cost[class_dual] = 2,
     .cost[class_many] = 2, .cost[class_multiply_add] = 2, .cost[class_multiply_long] = 2, .cost[class_accumulate_long] = 2,
     .cost[class_divide] = 14, .cost[class_branch] = 2, .cost[class_call] = 2, .cost[class_jump] = 2, .cost[class_table_branch] = 8,
     .cost[class_loop_end] = 2, .per_register = 1, .pipelined_load = 2, .pc = 0, .taken = 0},
    {.cores = "cortex-m52 cortex-m55 cortex-m85 ", ONE_CYCLE, FLOAT_UNITS,
     .cost[class_load] = 2, .cost[class_store] = 2, .cost[class_store_register_offset] = 2, .cost[class_dual] = 2,
     .cost[class_many] = 2, .cost[class_multiply_add] = 2, .cost[class_multiply_long] = 2, .cost[class_accumulate_long] = 2,
     .cost[class_divide] = 14, .cost[class_branch] = 6, .cost[class_call] = 6, .cost[class_jump] = 6, .cost[class_table_branch] = 8,
     .cost[class_loop_end] = 0, .cost[class_vector_memory] = 2, .cost[class_vector_scatter] = 8, .cost[class_vector_multiply] = 2,
     .cost[class_vector_other] = 2, .per_register = 1, .pipelined_load = 2, .pc = 4, .taken = 4, .vector_overlap_missed = 2},
};

static unsigned ones(uint32_t bits) { return (unsigned)__builtin_popcount(bits); }
static unsigned field(uint32_t code, int low, int width) { return code >> low & ((1u << width) - 1); }
static bool matches(uint32_t code, uint32_t mask, uint32_t value) { return (code & mask) == value; }
static struct decoded plain(enum instruction_class class) { return (struct decoded){class, 0, false, false}; }

// ---- 16-bit instructions --------------------------------------------------------------------------------------------

static struct decoded decode_special(uint16_t code) {
  bool jump = matches(code, 0xFF00, 0x4700);
  bool compares = matches(code, 0xFF00, 0x4500);
  bool to_pc = matches(code, 0x0087, 0x0087) && !compares;  // ADD or MOV
  return plain(jump || to_pc ? class_jump : class_alu);
}

static struct decoded decode_miscellaneous(uint16_t code) {
  if (matches(code, 0xFE00, 0xB400)) return (struct decoded){class_many, ones(code & 0x1FF), false, false};
  if (matches(code, 0xFE00, 0xBC00)) return (struct decoded){class_many, ones(code & 0x1FF), code >> 8 & 1, false};
  if (matches(code, 0xF500, 0xB100)) return (struct decoded){class_branch, 0, false, true};
  return plain(class_alu);
}

static struct decoded decode_narrow(uint16_t code) {
  switch (code >> 12) {
    case 0x4:
      if (code & 0x0800) return plain(class_load);  // from pc
      if (code & 0x0400) return decode_special(code);
      return plain(matches(code, 0xFFC0, 0x4340) ? class_multiply : class_alu);
    case 0x5:
      return plain(field(code, 9, 3) < 3 ? class_store_register_offset : class_load);
    case 0x6: case 0x7: case 0x8: case 0x9:
      return plain(code & 0x0800 ? class_load : class_store);
    case 0xB:
      return decode_miscellaneous(code);
    case 0xC:
      return (struct decoded){class_many, ones(code & 0xFF), false, false};
    case 0xD:
      if (field(code, 8, 4) < 14) return (struct decoded){class_branch, 0, false, true};
      return plain(class_alu);
    case 0xE:
      return plain(class_branch);
    default:
      return plain(class_alu);
  }
}

// ---- 32-bit instructions of the core --------------------------------------------------------------------------------

static struct decoded decode_multiple_or_dual(uint32_t code) {
  if (matches(code, 0x00400000, 0)) {
    bool load = code >> 20 & 1;
    return (struct decoded){class_many, ones(code & 0xFFFF), load && (code & 0x8000), false};
  }
  if (matches(code, 0xFFF0FFE0, 0xE8D0F000)) return plain(class_table_branch);
  if (code & 0x01200000) return plain(class_dual);
  return plain(code & 0x00100000 ? class_load : class_store);  // exclusive
}

static struct decoded decode_branch(uint32_t code) {
  if (matches(code, 0x0000F001, 0x0000C001)) {
    bool end = matches(code, 0xFFFF0000, 0xF00F0000) || matches(code, 0xFFFF0000, 0xF02F0000) || matches(code, 0xFFFF0000, 0xF01F0000);
    return end ? plain(class_loop_end) : (struct decoded){class_branch, 0, false, true};  // WLS, WLSTP
  }
  if (matches(code, 0x0000D000, 0x0000D000)) return plain(class_call);
  if (matches(code, 0x0000D000, 0x00009000)) return plain(class_branch);
  bool with_condition = matches(code, 0x0000D000, 0x00008000) && !matches(code, 0x03800000, 0x03800000);
  return with_condition ? (struct decoded){class_branch, 0, false, true} : plain(class_alu);
}

static struct decoded decode_single(uint32_t code) {
  bool load = code >> 20 & 1, word = field(code, 21, 2) == 2, to_pc = field(code, 12, 4) == 15;
  if (load && to_pc && !word) return plain(class_alu);  // preload
  if (load) return (struct decoded){class_load, 0, to_pc, false};
  bool register_offset = matches(code, 0x00800FC0, 0);
  return plain(register_offset ? class_store_register_offset : class_store);
}

static struct decoded decode_multiply(uint32_t code) {
  unsigned operation = field(code, 20, 3);
  if (matches(code, 0x00800000, 0)) {
    bool adds = operation == 0 && field(code, 12, 4) != 15;
    return plain(adds ? class_multiply_add : class_multiply);
  }
  if (operation == 1 || operation == 3) return plain(class_divide);
  return plain(operation < 4 ? class_multiply_long : class_accumulate_long);
}

// ---- floating point and MVE -----------------------------------------------------------------------------------------

static struct decoded decode_float_memory(uint32_t code) {
  if (matches(code, 0x01A00000, 0)) return plain(class_alu);  // VMOV with two core registers
  bool single = matches(code, 0x01200000, 0x01000000);
  if (!single) return (struct decoded){class_many, code & 0xFF, false, false};
  return plain(code & 0x00100000 ? class_load : class_store);
}

static struct decoded decode_float(uint32_t code) {
  if (matches(code, 0x02000000, 0)) return decode_float_memory(code);
  if (matches(code, 0xFF000010, 0xEE000010)) return plain(class_alu);  // transfers
  if (matches(code, 0xFFB00040, 0xEE800000) || matches(code, 0xFFBF00C0, 0xEEB100C0)) return plain(class_float_divide);  // VDIV, VSQRT
  bool multiply_add = matches(code, 0xFFA00000, 0xEE000000) && !matches(code, 0x00200000, 0x00200000);
  bool fused = matches(code, 0xFFB00000, 0xEE900000) || matches(code, 0xFFB00000, 0xEEA00000);
  return plain(multiply_add || fused ? class_float_multiply_add : class_alu);
}

static struct decoded decode_vector_memory(uint32_t code) {
  if (matches(code, 0x11A00000, 0)) return plain(class_alu);  // VMOV of two lanes
  bool vector_offset = matches(code, 0x01201000, 0), vector_base = matches(code, 0x11001E00, 0x11001E00);
  return plain(vector_offset || vector_base ? class_vector_scatter : class_vector_memory);
}

struct pattern {
  uint32_t mask, value;
  uint32_t others;  // where all of these bits are set, it is another instruction
};

static const struct pattern vector_multiplies[] = {
    {0xEFF00ED0, 0xEEF00E00, 0},  // VMLADAV, VMLSDAV
    {0xEF801FD1, 0xEE800E00, 0},  // VMLALDAV
    {0xFF800FD1, 0xEE800E01, 0},  // VMLSLDAV
    {0xEF811FD1, 0xEE800F00, 0x00600000},  // VRMLALDAVH
    {0xEFF31FD1, 0xEEF10F00, 0},  // VADDV
    {0xEF8F1FD1, 0xEE890F00, 0},  // VADDLV
    {0xFFC11FF1, 0xEF000950, 0},  // VMUL
    {0xFFC11FF0, 0xEE011E60, 0x00300000},  // VMUL by a core register
    {0xEFC10FF1, 0xEE010E01, 0x00300000},  // VMULH, VRMULH
    {0xEFC10FF1, 0xEE010E00, 0},  // VMULL
    {0xEFC10FF0, 0xEE010E40, 0},  // VMLA, VMLAS
    {0xEFC11FF1, 0xEF000B40, 0},  // VQDMULH, VQRDMULH
    {0xEFC11FF0, 0xEE010E60, 0},  // by a core register
    {0xFFC10FD0, 0xEE000E40, 0},  // VQDMLAH, VQRDMLAH, VQDMLASH, VQRDMLASH
    {0xEFC10FF0, 0xEE000E00, 0},  // VQDMLADH, VQDMLSDH
    {0xEFF10FF1, 0xEE300F01, 0},  // VQDMULL
    {0xEFF10FF0, 0xEE300F60, 0},  // by a core register
    {0xFFE11FF1, 0xFF000D50, 0},  // VMUL of floats
    {0xEFF11FF0, 0xEE310E60, 0},  // by a core register
    {0xFFC11FF1, 0xEF000C50, 0},  // VFMA, VFMS
    {0xEFF10FF0, 0xEE310E40, 0},  // VFMA, VFMAS by a core register
};

static struct decoded decode_vector(uint32_t code) {
  for (size_t i = 0; i < sizeof vector_multiplies / sizeof *vector_multiplies; i++) {
    const struct pattern* multiply = &vector_multiplies[i];
    bool other = multiply->others && matches(code, multiply->others, multiply->others);
    if (matches(code, multiply->mask, multiply->value) && !other) return plain(class_vector_multiply);
  }
  return plain(class_vector_other);
}

static struct decoded decode_coprocessor(uint32_t code) {
  bool scalar_float = matches(code, 0x00000E00, 0x00000A00) && !matches(code, 0x03000000, 0x03000000);
  if (scalar_float) return decode_float(code);
  if (matches(code, 0xEE000E00, 0xEC000E00)) return decode_vector_memory(code);
  return decode_vector(code);
}

static struct decoded decode_wide(uint32_t code) {
  if (matches(code, 0xEC000000, 0xEC000000)) return decode_coprocessor(code);
  if (matches(code, 0xFE000000, 0xE8000000)) return decode_multiple_or_dual(code);
  if (matches(code, 0xF8008000, 0xF0008000)) return decode_branch(code);
  if (matches(code, 0xFE000000, 0xF8000000)) return decode_single(code);
  if (matches(code, 0xFF000000, 0xFB000000)) return decode_multiply(code);
  return plain(class_alu);
}

// ---- cost -----------------------------------------------------------------------------------------------------------

static bool is_single_memory(int class) { return class == class_load || class == class_store || class == class_store_register_offset; }

static unsigned base_cost(const struct timing* core, const struct decoded* what, int previous) {
  if (what->class == class_load && is_single_memory(previous)) return core->pipelined_load + (what->writes_pc ? core->pc : 0);
  unsigned cost = core->cost[what->class] + what->registers * core->per_register + (what->writes_pc ? core->pc : 0);
  bool same_unit = what->class >= class_vector_memory && what->class == (enum instruction_class)previous;
  return same_unit ? cost + core->vector_overlap_missed : cost;
}

static bool is_jump(const struct decoded* what) {
  return what->writes_pc || what->class == class_branch || what->class == class_call || what->class == class_jump;
}

const struct timing* find_timing(const char* core) {
  for (size_t i = 0; i < sizeof timings / sizeof *timings; i++)
    for (const char* name = timings[i].cores; *name; name = strchr(name, ' ') + 1)
      if (strlen(core) == (size_t)(strchr(name, ' ') - name) && !strncmp(name, core, strlen(core))) return &timings[i];
  return NULL;
}

struct timing_cost timing_of(const struct timing* core, uint32_t code, bool wide, struct timing_context* context) {
  struct decoded what = wide ? decode_wide(code) : decode_narrow((uint16_t)code);
  unsigned cost = base_cost(core, &what, context->previous_class);
  bool under_it = context->conditional_left > 0;
  if (under_it) context->conditional_left--;
  if (!wide && matches(code, 0xFF00, 0xBF00) && (code & 0xF)) context->conditional_left = 4 - __builtin_ctz(code & 0xF);
  context->previous_class = what.class;
  if (what.conditional) return (struct timing_cost){2, core->taken};
  if (under_it && is_jump(&what) && cost > 2) return (struct timing_cost){2, cost - 2};
  return (struct timing_cost){cost, 0};
}
