// SPDX-License-Identifier: Apache-2.0
// Activations of one variable: reals beside PyTorch's, tables beside ExecuTorch's.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/shared_data.h"
#include "tests/support/source_builder.h"

namespace corten::test {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

struct Reals {
  std::string target;
  Arguments arguments;
  std::vector<float> expected;  // by torch 2.13 at −6, −3, −1.5, −0.25, 0, 0.5, 2, 3.5, 8
};

TEST(activations, equal_pytorch) {
  const std::vector<Reals> cases = {
      {"aten.sigmoid.default", {}, {0.00247262302f, 0.0474258736f, 0.182425529f, 0.437823504f, 0.5f, 0.622459352f, 0.880797029f, 0.970687747f, 0.999664664f}},
      {"aten.tanh.default", {}, {-0.999987721f, -0.995054781f, -0.905148268f, -0.244918659f, 0, 0.462117165f, 0.964027584f, 0.998177886f, 0.999999762f}},
      {"aten.hardsigmoid.default", {}, {0, 0, 0.25f, 0.458333343f, 0.5f, 0.583333313f, 0.833333313f, 1, 1}},
      {"aten.hardswish.default", {}, {0, 0, -0.375f, -0.114583336f, 0, 0.291666657f, 1.66666663f, 3.5f, 8}},
      {"aten.silu.default", {}, {-0.0148357386f, -0.142277613f, -0.273638278f, -0.109455876f, 0, 0.311229676f, 1.76159406f, 3.39740729f, 7.99731731f}},
      {"aten.gelu.default", {}, {0, -0.00405022502f, -0.10021086f, -0.100323416f, 0, 0.345731229f, 1.95449972f, 3.49918556f, 8}},
      {"aten.gelu.default", {{"approximate", std::string("tanh")}}, {0, -0.00363743305f, -0.100428432f, -0.100324646f, 0, 0.345714003f, 1.95459771f, 3.49938369f, 8}},
      {"aten.leaky_relu.default", {{"negative_slope", 0.2}}, {-1.20000005f, -0.600000024f, -0.300000012f, -0.0500000007f, 0, 0.5f, 2, 3.5f, 8}},
      {"aten.elu.default", {{"alpha", 1.5}, {"scale", 2.0}, {"input_scale", 0.5}}, {-2.85063887f, -2.33060956f, -1.58290029f, -0.35250929f, 0, 1, 4, 7, 16}},
  };
  for (const auto& c : cases) {
    SourceBuilder b;
    auto arguments = c.arguments;
    arguments.insert(arguments.begin(), {"self", ref("x")});
    b.input("x", {9}).node("y", c.target, arguments);
    EXPECT_THAT(values<float>(b.run({{-6, -3, -1.5f, -0.25f, 0, 0.5f, 2, 3.5f, 8}})), Pointwise(FloatNear(1e-6f), c.expected)) << c.target;
  }
}

TEST(activations, refuse_an_approximation_they_do_not_know) {
  SourceBuilder b;
  b.input("x", {1}).node("y", "aten.gelu.default", {{"self", ref("x")}, {"approximate", std::string("erf")}});
  EXPECT_THAT(b.problem(), HasSubstr("approximate is 'erf', expected 'none' or 'tanh'"));
}

ParametersPtr default_parameters(const Operator& op) {
  FieldReader reader({});
  return op.parse_parameters(reader);
}

std::vector<std::int8_t> all_codes() {
  std::vector<std::int8_t> result;
  for (int code = -128; code <= 127; ++code) result.push_back(static_cast<std::int8_t>(code));
  return result;
}

std::vector<std::int8_t> table(std::string_view name, Quantization x, Quantization y) {
  QuantizedNode n;
  const auto input = n.input({256}, std::move(x));
  return codes(n.lowered(name, default_parameters(op(name)), {input}, std::move(y)), {all_codes()});
}

TEST(quantized_activation, equals_executorch_tables) {
  struct Case {
    std::string name;
    Quantization x, y;
  };
  const std::vector<Case> cases = {{"sigmoid", per_tensor(0.07785890996456146f, -2), per_tensor(0.003919482696801424f, -128)},
                                   {"tanh", per_tensor(0.07185792922973633f, -2), per_tensor(0.007839307188987732f, 0)},
                                   {"silu", per_tensor(0.072194904088974f, 2), per_tensor(0.03640475496649742f, -120)},
                                   {"gelu", per_tensor(0.06773865967988968f, -9), per_tensor(0.03668542951345444f, -123)}};
  for (const auto& c : cases) {
    const auto path = shared_data("pt2e/" + c.name + "/constants_all.bin");
    CORTEN_NEED_DATA(path);
    std::vector<std::int8_t> expected(256);
    std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(expected.data()), 256);
    EXPECT_EQ(table(c.name, c.x, c.y), expected) << c.name;
  }
}

// By hand: x = (q − 10) / 16 at both ends and around the corners.
TEST(quantized_activation, reads_both_ends_of_its_table) {
  const auto y = table("hardswish", per_tensor(0.0625f, 10), per_tensor(0.03125f, -100));
  const auto at = [&](int code) { return int{y[static_cast<std::size_t>(code + 128)]}; };
  EXPECT_EQ(at(-128), -100);  // −8.625
  EXPECT_EQ(at(-38), -100);   // −3
  EXPECT_EQ(at(-14), -112);   // −1.5 · 1.5 / 6 = −0.375
  EXPECT_EQ(at(10), -100);    // 0
  EXPECT_EQ(at(58), -4);      // 3
  EXPECT_EQ(at(127), 127);    // 7.3125 → 134, beyond the range
}

}  // namespace
}  // namespace corten::test
