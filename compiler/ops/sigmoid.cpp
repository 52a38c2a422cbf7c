// SPDX-License-Identifier: Apache-2.0
// The logistic function, 1 / (1 + e^−x).
#include "compiler/ops/table.h"

namespace corten {
namespace {

struct Sigmoid : NoParameters {
  static constexpr std::string_view name = "sigmoid";
  static std::span<const Spelling> spellings();
  double operator()(double x) const { return 1 / (1 + std::exp(-x)); }
};

constexpr Spelling sigmoid_spellings[] = {{"aten.sigmoid.default", import_activation<Sigmoid>}};
std::span<const Spelling> Sigmoid::spellings() { return sigmoid_spellings; }

const Register<TableActivation<Sigmoid>> sigmoid_operator;

}  // namespace
}  // namespace corten
