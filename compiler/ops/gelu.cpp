// SPDX-License-Identifier: Apache-2.0
// x times the normal distribution function of x, exact or by its tanh approximation.
#include <fmt/format.h>

#include <numbers>

#include "compiler/ops/table.h"

namespace corten {
namespace {

struct Gelu {
  static constexpr std::string_view name = "gelu";
  bool tanh = false;  // the approximation
  template <class F>
  void fields(F&& f) {
    f("tanh", tanh);
  }
  static std::span<const Spelling> spellings();
  double operator()(double x) const {
    using std::numbers::pi, std::numbers::sqrt2;
    if (tanh) return x / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
    return x / 2 * std::erfc(-x / sqrt2);
  }
};

Status import_gelu(Import& import) {
  const auto approximate = import.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") return import.error(fmt::format("approximate is '{}', expected 'none' or 'tanh'", approximate));
  return import_elementwise(import, "self", op("gelu"), parameters(Gelu{approximate == "tanh"}));
}

constexpr Spelling gelu_spellings[] = {{"aten.gelu.default", import_gelu}};
std::span<const Spelling> Gelu::spellings() { return gelu_spellings; }

const Register<TableActivation<Gelu>> gelu_operator;

}  // namespace
}  // namespace corten
