// SPDX-License-Identifier: Apache-2.0
// A result is not its value.
// ERROR: cannot convert
#include "corten/result.h"

corten::Result<int> number();

#ifdef CORTEN_WRONG
int f() { return number(); }
#else
int f() { return *number(); }
#endif
