// SPDX-License-Identifier: Apache-2.0
// A status must be looked at.
// ERROR: unused-result
#include "corten/result.h"

corten::Status check();

#ifdef CORTEN_WRONG
void f() { check(); }
#else
void f() { if (!check()) return; }
#endif
