// SPDX-License-Identifier: Apache-2.0
// The larger of two broadcast operands.
#include "compiler/ops/extremum.h"
#include "compiler/ops/import.h"

namespace corten {
namespace {

Status import_maximum(Import& import) { return import_binary(import, "self", "other", op("maximum"), parameters(NoParameters{})); }

constexpr Spelling maximum_spellings[] = {{"aten.maximum.default", import_maximum}, {"aten.max.other", import_maximum}};

struct Maximum {
  static constexpr std::string_view name = "maximum", integer_name = "cortex_m.maximum", kernel = "maximum";
  static std::span<const Spelling> spellings() { return maximum_spellings; }
  /// Not a number wins, as in PyTorch.
  template <class T>
  static T choose(T a, T b) {
    return a > b || a != a ? a : b;
  }
};

const Register<Extremum<Maximum>> maximum_operator;
const Register<IntegerExtremum<Maximum>> integer_maximum;

}  // namespace
}  // namespace corten
