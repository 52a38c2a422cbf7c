// SPDX-License-Identifier: Apache-2.0
// Makes an access outside the program's memory a fault.
#pragma once

namespace harness {

/// Where the core has a memory protection unit. Null pointers fault too.
void protect_memory();

}  // namespace harness
