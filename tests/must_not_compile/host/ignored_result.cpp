// SPDX-License-Identifier: Apache-2.0
// A result must be looked at.
// ERROR: unused-result
#include "corten/result.h"

corten::Result<int> number();

#ifdef CORTEN_WRONG
void f() { number(); }
#else
void f() { if (!number()) return; }
#endif
