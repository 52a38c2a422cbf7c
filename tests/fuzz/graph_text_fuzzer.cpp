// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the text form of graphs; a graph that is read must come back from what is printed of it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "compiler/ir/text.h"
#include "compiler/ops/operator.h"

namespace corten {
namespace {

/// A field of every kind that parameters have.
struct AllFields {
  std::int64_t wide = 0;
  std::int32_t narrow = 0;
  bool flag = false;
  float single = 0;
  double exact = 0;
  std::array<std::int64_t, 2> pair = {};
  std::vector<std::int64_t> list;
  template <class F>
  void fields(F&& f) {
    f("wide", wide), f("narrow", narrow), f("flag", flag), f("single", single), f("exact", exact), f("pair", pair), f("list", list);
  }
};

/// Stands for the operators, which this program is built without.
class Fuzzed final : public OperatorWith<AllFields> {
 public:
  std::string_view name() const override { return "fuzzed"; }
  Result<std::vector<Type>> infer(const Call&) const override { return std::vector<Type>{}; }
  std::vector<Tensor> evaluate(const Call&, std::span<const Tensor* const>) const override { return {}; }
};

const Register<Fuzzed> fuzzed;

}  // namespace
}  // namespace corten

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> constants(64, std::byte{1});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto graph = corten::parse(text, constants, "fuzz.cir");
  if (!graph) return 0;
  const auto printed = corten::print(*graph);
  const auto back = corten::parse(printed.text, printed.constants, "fuzz.cir");
  if (!back || corten::print(*back).text != printed.text) std::abort();
  return 0;
}
