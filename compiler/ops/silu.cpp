// SPDX-License-Identifier: Apache-2.0
// x times the logistic function of x.
#include "compiler/ops/table.h"

namespace corten {
namespace {

struct Silu : NoParameters {
  static constexpr std::string_view name = "silu";
  static std::span<const Spelling> spellings();
  double operator()(double x) const { return x / (1 + std::exp(-x)); }
};

constexpr Spelling silu_spellings[] = {{"aten.silu.default", import_activation<Silu>}};
std::span<const Spelling> Silu::spellings() { return silu_spellings; }

const Register<TableActivation<Silu>> silu_operator;

}  // namespace
}  // namespace corten
