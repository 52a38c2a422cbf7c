// SPDX-License-Identifier: Apache-2.0
// CORTEN_TRY returns diagnostics, so the function around it returns a result.
// ERROR: cannot convert
#include "corten/result.h"

corten::Result<int> number();

#ifdef CORTEN_WRONG
int f() {
  CORTEN_TRY(const int n, number());
  return n;
}
#else
corten::Result<int> f() {
  CORTEN_TRY(const int n, number());
  return n;
}
#endif
