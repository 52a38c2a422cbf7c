// SPDX-License-Identifier: Apache-2.0
// Hyperbolic tangent.
#include "compiler/ops/table.h"

namespace corten {
namespace {

struct Tanh : NoParameters {
  static constexpr std::string_view name = "tanh";
  static std::span<const Spelling> spellings();
  double operator()(double x) const { return std::tanh(x); }
};

constexpr Spelling tanh_spellings[] = {{"aten.tanh.default", import_activation<Tanh>}};
std::span<const Spelling> Tanh::spellings() { return tanh_spellings; }

const Register<TableActivation<Tanh>> tanh_operator;

}  // namespace
}  // namespace corten
