// SPDX-License-Identifier: Apache-2.0
// Finds what makes an exported program more than one inference: training mode and memory between calls.
#pragma once
#include "compiler/frontends/pt2_program.h"
#include "corten/result.h"

namespace corten::pt2 {

/// Removes the nodes that no output depends on. Precondition: the program is functional.
void remove_dead_nodes(Program& program);

/// One diagnostic per node that behaves as in training, or if there is none, per buffer that changes from call to call.
/// Batch norm's counter of batches may change: it has no effect.
Status check_inference_only(const Program& program);

}  // namespace corten::pt2
