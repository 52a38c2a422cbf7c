// SPDX-License-Identifier: Apache-2.0
// x above zero, a fraction of it below.
#include "compiler/ops/table.h"

namespace corten {
namespace {

struct LeakyRelu {
  static constexpr std::string_view name = "leaky_relu";
  float slope = 0.01f;  // below zero
  template <class F>
  void fields(F&& f) {
    f("slope", slope);
  }
  static std::span<const Spelling> spellings();
  double operator()(double x) const { return x > 0 ? x : x * double{slope}; }
};

Status import_leaky_relu(Import& import) {
  return import_elementwise(import, "self", op("leaky_relu"), parameters(LeakyRelu{static_cast<float>(import.number("negative_slope", 0.01))}));
}

constexpr Spelling leaky_relu_spellings[] = {{"aten.leaky_relu.default", import_leaky_relu}};
std::span<const Spelling> LeakyRelu::spellings() { return leaky_relu_spellings; }

const Register<TableActivation<LeakyRelu>> leaky_relu_operator;

}  // namespace
}  // namespace corten
