// SPDX-License-Identifier: Apache-2.0
// Rewrites in-place operators so that no node changes an earlier value.
#pragma once
#include "compiler/frontends/pt2_program.h"
#include "corten/result.h"

namespace corten::pt2 {

/// Every in-place operator becomes its functional form; values that share memory with the changed one are derived anew where they are read
/// afterwards. Example:
///
///     relu_ = relu_(linear); view = view(relu_); mul_ = mul_(view, 2); add = add(relu_, relu_)
///     relu_ = relu(linear);  view = view(relu_); mul_ = mul(view, 2); relu__v2 = view(mul_); add = add(relu__v2, relu__v2)
///
/// Buffers that are written to are recorded in `updates`. Errors: writes through views that can't be undone, by name.
Status functionalize(Program& program);

}  // namespace corten::pt2
