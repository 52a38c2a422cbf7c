// SPDX-License-Identifier: Apache-2.0
// The smaller of two broadcast operands.
#include "compiler/ops/extremum.h"
#include "compiler/ops/import.h"

namespace corten {
namespace {

Status import_minimum(Import& import) { return import_binary(import, "self", "other", op("minimum"), parameters(NoParameters{})); }

constexpr Spelling minimum_spellings[] = {{"aten.minimum.default", import_minimum}, {"aten.min.other", import_minimum}};

struct Minimum {
  static constexpr std::string_view name = "minimum", integer_name = "cortex_m.minimum", kernel = "minimum";
  static std::span<const Spelling> spellings() { return minimum_spellings; }
  /// Not a number wins, as in PyTorch.
  template <class T>
  static T choose(T a, T b) {
    return a < b || a != a ? a : b;
  }
};

const Register<Extremum<Minimum>> minimum_operator;
const Register<IntegerExtremum<Minimum>> integer_minimum;

}  // namespace
}  // namespace corten
