// SPDX-License-Identifier: Apache-2.0
// The piecewise linear sigmoid, (x + 3) / 6 within [0, 1].
#include "compiler/ops/table.h"

namespace corten {
namespace {

struct HardSigmoid : NoParameters {
  static constexpr std::string_view name = "hardsigmoid";
  static std::span<const Spelling> spellings();
  double operator()(double x) const { return std::clamp(x + 3, 0.0, 6.0) / 6; }
};

constexpr Spelling hardsigmoid_spellings[] = {{"aten.hardsigmoid.default", import_activation<HardSigmoid>}};
std::span<const Spelling> HardSigmoid::spellings() { return hardsigmoid_spellings; }

const Register<TableActivation<HardSigmoid>> hardsigmoid_operator;

}  // namespace
}  // namespace corten
