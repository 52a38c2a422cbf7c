// SPDX-License-Identifier: Apache-2.0
// scale · x above zero, scale · alpha · (e^(input_scale · x) − 1) below; selu decomposes into it.
#include "compiler/ops/table.h"

namespace corten {
namespace {

struct Elu {
  static constexpr std::string_view name = "elu";
  float alpha = 1, scale = 1, input_scale = 1;
  template <class F>
  void fields(F&& f) {
    f("alpha", alpha), f("scale", scale), f("input_scale", input_scale);
  }
  static std::span<const Spelling> spellings();
  double operator()(double x) const { return double{scale} * (x > 0 ? x : double{alpha} * std::expm1(x * double{input_scale})); }
};

Status import_elu(Import& import) {
  const auto number = [&](std::string_view name) { return static_cast<float>(import.number(name, 1)); };
  return import_elementwise(import, "self", op("elu"), parameters(Elu{number("alpha"), number("scale"), number("input_scale")}));
}

constexpr Spelling elu_spellings[] = {{"aten.elu.default", import_elu}};
std::span<const Spelling> Elu::spellings() { return elu_spellings; }

const Register<TableActivation<Elu>> elu_operator;

}  // namespace
}  // namespace corten
