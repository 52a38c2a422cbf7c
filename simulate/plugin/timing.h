// SPDX-License-Identifier: Apache-2.0
// Modelled cycles of Thumb and MVE instructions, per core. The table and its limits: docs/cycles.md.
#ifndef CORTEN_TIMING_H
#define CORTEN_TIMING_H
#include <stdbool.h>
#include <stdint.h>

struct timing;

/// What is known of the instruction before, within one straight run of code. Zero at its start.
struct timing_context {
  int previous_class;
  int conditional_left;  // instructions still under an IT
};

/// In half cycles.
struct timing_cost {
  unsigned cost;   // as when a conditional branch is not taken
  unsigned taken;  // on top when control does not go on at the next instruction
};

/// Null when no core has this name.
const struct timing* find_timing(const char* core);

/// `code` holds the instruction's halfwords, the first in the upper half where there are two.
struct timing_cost timing_of(const struct timing* core, uint32_t code, bool wide, struct timing_context* context);

#endif
