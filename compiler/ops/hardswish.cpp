// SPDX-License-Identifier: Apache-2.0
// x times the piecewise linear sigmoid.
#include "compiler/ops/table.h"

namespace corten {
namespace {

struct HardSwish : NoParameters {
  static constexpr std::string_view name = "hardswish";
  static std::span<const Spelling> spellings();
  double operator()(double x) const { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }
};

constexpr Spelling hardswish_spellings[] = {{"aten.hardswish.default", import_activation<HardSwish>}};
std::span<const Spelling> HardSwish::spellings() { return hardswish_spellings; }

const Register<TableActivation<HardSwish>> hardswish_operator;

}  // namespace
}  // namespace corten
