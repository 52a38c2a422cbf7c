// SPDX-License-Identifier: Apache-2.0
// A result becomes a bool in conditions only, so that a Result<int> never counts as 1.
// ERROR: cannot convert
#include "corten/result.h"

corten::Result<int> number();

#ifdef CORTEN_WRONG
bool f() { return number(); }
#else
bool f() { return number().ok(); }
#endif
