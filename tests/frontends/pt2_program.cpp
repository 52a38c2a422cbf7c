// SPDX-License-Identifier: Apache-2.0
// What the reader makes of programs written out by hand: sizes, arguments, regions, outputs, refusals.
#include "compiler/frontends/pt2_program.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/frontends/pt2_builder.h"

namespace corten {
namespace {

using namespace test;
using namespace std::string_literals;

std::string symbol(const std::string& name, int hint) {
  return fmt::format(R"json({{"as_expr":{{"expr_str":"Symbol('{}', positive=True, integer=True)","hint":{{"as_int":{}}}}}}})json", name, hint);
}
std::string expression(const std::string& text, int hint) {
  return fmt::format(R"({{"as_expr":{{"expr_str":"{}","hint":{{"as_int":{}}}}}}})", text, hint);
}
const std::string four = R"({"as_int":4})";

TEST(Pt2Program, BatchBecomesOneEverywhere) {
  const auto graph =
      Pt2Builder()
          .value_of_sizes("x", {symbol("s77", 3), symbol("s5", 6), four})
          .bare_input("x")
          .raw_node("aten.sym_size.int", {tensor("self", "x"), integer("dim", 0)}, {R"({"as_sym_int":{"as_name":"n"}})"})
          .raw_node("aten.sym_size.int", {tensor("self", "x"), integer("dim", -2)}, {R"({"as_sym_int":{"as_name":"c"}})"})
          .raw_node("_operator.mul", {argument("a", R"({"as_sym_int":{"as_name":"n"}})"), argument("b", R"({"as_sym_int":{"as_name":"c"}})")},
                    {R"({"as_sym_int":{"as_name":"nc"}})"})
          .value_of_sizes("v", {expression("Mul(Symbol('s77', positive=True), Symbol('s5', positive=True))", 18), four})
          .raw_node("aten.view.default", {tensor("self", "x"), argument("size", R"({"as_sym_ints":[{"as_name":"nc"},{"as_int":4}]})")},
                    {Pt2Builder::reference("v")})
          .output("v")
          .read();
  EXPECT_EQ(print(graph), "v = view.default(self=x, size=[6, 4])\nreturn v\n");
  EXPECT_EQ(graph->inputs[0].shape, (Shape{1, 6, 4}));
  ASSERT_EQ(graph->values.size(), 1u);
  EXPECT_EQ(graph->values[0].shape, (Shape{6, 4}));
}

TEST(Pt2Program, IntegersListedInTheFileHelpOut) {
  const auto graph = Pt2Builder()
                         .value_of_sizes("x", {symbol("s0", 3), four})
                         .bare_input("x")
                         .integer_value("k", expression("2*s0 + 1", 7))
                         .raw_node("custom.opaque_integer.default", {tensor("self", "x")}, {R"({"as_sym_int":{"as_name":"k"}})"})
                         .node("aten.add.Tensor", {tensor("self", "x"), argument("other", R"({"as_sym_int":{"as_name":"k"}})")}, "y", {1, 4})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph), "y = add.Tensor(self=x, other=3)\nreturn y\n");
}

TEST(Pt2Program, EveryKindOfArgument) {
  const auto graph = Pt2Builder()
                         .input("x", {4})
                         .node("custom.op.default",
                               {tensor("t", "x"), argument("none", R"({"as_none":[]})"), argument("none2", R"({"as_none":true})"), integer("i", -5),
                                argument("big", R"({"as_int":9223372036854775807})"), argument("f", R"({"as_float":0.1})"),
                                argument("inf", R"({"as_float":"-Infinity"})"), argument("bare", R"({"as_float":Infinity})"), truth("b", true),
                                argument("s", R"({"as_string":"same"})"), integers("is", {1, 2}), integers("empty", {}),
                                argument("fs", R"({"as_floats":[2.0,"Infinity"]})"), argument("bs", R"({"as_bools":[true]})"),
                                argument("dtype", R"({"as_scalar_type":2})"), argument("half", R"({"as_scalar_type":6})"),
                                argument("layout", R"({"as_layout":7})"), argument("device", R"({"as_device":{"type":"cpu"}})"),
                                argument("memory_format", R"({"as_memory_format":1})"), argument("ts", R"({"as_tensors":[{"name":"x"},{"name":"x"}]})"),
                                argument("ots", R"({"as_optional_tensors":[{"as_none":true},{"as_tensor":{"name":"x"}}]})"),
                                argument("ot", R"({"as_optional_tensor":{"as_tensor":{"name":"x"}}})")},
                               "y", {4})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph),
            "y = custom.op.default(t=x, none=none, none2=none, i=-5, big=9223372036854775807, f=0.1f, inf=-inff, bare=inff, b=true, s='same', "
            "is=[1, 2], empty=[], fs=[2, inf]f, bs=1 bools, dtype=i8, half=f32, ts=(x, x), ots=(, x), ot=x)\nreturn y\n");
}

TEST(Pt2Program, ResultsOfSeveralTensors) {
  const auto graph = Pt2Builder()
                         .input("x", {2, 8})
                         .value("v", {2})
                         .value("i", {2}, 5)
                         .raw_node("aten.max.dim", {tensor("self", "x"), integer("dim", 1)}, {Pt2Builder::reference("v"), Pt2Builder::reference("i")})
                         .raw_node("custom.two.default", {tensor("self", "v")}, {R"({"as_none":true})", Pt2Builder::reference("w")})
                         .value("w", {2})
                         .output("w")
                         .read();
  EXPECT_EQ(print(graph), "v,  = max.dim(self=x, dim=1)\n, w = custom.two.default(self=v)\nreturn w\n");
}

TEST(Pt2Program, DropsAssertionsAndDeadNodes) {
  const auto graph = Pt2Builder()
                         .input("x", {4})
                         .raw_node("aten._assert_tensor_metadata.default", {tensor("a", "x")}, {})
                         .raw_node("aten.sym_constrain_range_for_size.default", {integer("size", 3)}, {})
                         .node("aten.exp.default", {tensor("self", "x")}, "dead", {4})
                         .node("aten.neg.default", {tensor("self", "x")}, "y", {4})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph), "y = neg.default(self=x)\nreturn y\n");
}

TEST(Pt2Program, InlinesRegions) {
  Pt2Builder inner;
  inner.raw_input(Pt2Builder::reference("arg"), "").value("arg", {4}).node("aten.exp.default", {tensor("self", "arg")}, "exp", {4}).output("exp");
  const auto graph =
      Pt2Builder()
          .input("x", {4})
          .node("aten.neg.default", {tensor("self", "x")}, "exp", {4})
          .value("r", {4})
          .raw_node("higher_order.wrap_with_set_grad_enabled",
                    {truth("", false), argument("", fmt::format(R"({{"as_graph":{{"name":"g","graph":{}}}}})", inner.graph())), tensor("", "exp")},
                    {Pt2Builder::reference("r")})
          .output("r")
          .read();
  EXPECT_EQ(print(graph), "exp = neg.default(self=x)\nexp_inlined_2 = exp.default(self=exp)\nreturn exp_inlined_2\n");
}

TEST(Pt2Program, RefusesByName) {
  const auto with_node = [](const std::string& target, const std::vector<std::string>& arguments) {
    return print(Pt2Builder().input("x", {4}).node(target, arguments, "y", {4}).output("y").read());
  };
  EXPECT_EQ(with_node("higher_order.cond", {tensor("", "x")}), "error: found 'higher_order.cond', which Corten doesn't support at y\n");
  EXPECT_EQ(with_node("aten.exp.default", {tensor("self", "z")}), "error: argument 'self': reads 'z', which nothing before it defines at y\n");
  EXPECT_EQ(with_node("a.b.c", {argument("o", R"({"as_custom_obj":{"name":"k"}})")}),
            "error: argument 'o': found an argument of kind 'as_custom_obj', which Corten doesn't support at y\n");
  EXPECT_EQ(with_node("a.b.c", {argument("o", R"({"as_complex":{"real":1,"imag":0}})")}),
            "error: argument 'o': found an argument of kind 'as_complex', which Corten doesn't support at y\n");
  EXPECT_EQ(with_node("a.b.c", {argument("dtype", R"({"as_scalar_type":10})")}),
            "error: argument 'dtype': found scalar type complex64, which Corten doesn't support at y\n");
  EXPECT_EQ(with_node("a.b.c", {argument("l", R"({"as_layout":1})")}), "error: argument 'l': found a sparse layout, expected dense tensors at y\n");
}

TEST(Pt2Program, RefusesTrainingMode) {
  const auto graph = Pt2Builder()
                         .input("x", {4})
                         .node("aten.dropout.default", {tensor("input", "x"), argument("p", R"({"as_float":0.5})"), truth("train", true)}, "d", {4})
                         .node("aten.dropout.default", {tensor("input", "d"), argument("p", R"({"as_float":0.5})"), truth("train", true)}, "e", {4})
                         .output("e")
                         .read();
  EXPECT_EQ(print(graph),
            "error: model was exported in training mode: dropout acts as in training at d\n"
            "error: model was exported in training mode: dropout acts as in training at e\n");
  EXPECT_EQ(graph.diagnostics()[0].help, "call model.eval() before torch.export");
}

TEST(Pt2Program, RefusesDataDependentNumbers) {
  const auto graph = Pt2Builder()
                         .input("x", {1})
                         .raw_node("aten.item.default", {tensor("self", "x")}, {R"({"as_sym_int":{"as_name":"item"}})"})
                         .node("aten.add.Tensor", {tensor("self", "x"), argument("other", R"({"as_sym_int":{"as_name":"item"}})")}, "y", {1})
                         .output("y")
                         .read();
  EXPECT_EQ(print(graph), "error: argument 'other': depends on number 'item', which is known only when the model runs at y\n");
}

TEST(Pt2Program, InputsThatAreNoTensors) {
  const auto none = Pt2Builder()
                        .input("x", {4})
                        .raw_input(R"({"as_none":true})", R"({"user_input":{"arg":{"as_none":true}}})")
                        .raw_input(R"({"as_none":true})", R"({"constant_input":{"name":"mask","value":{"as_none":true}}})")
                        .output("x")
                        .read();
  EXPECT_EQ(print(none), "return x\n");
  const auto number = Pt2Builder().input("x", {4}).raw_input(R"({"as_sym_int":{"as_name":"n"}})", R"({"user_input":{"arg":{}}})").output("x").read();
  EXPECT_EQ(print(number), "error: input 'n' is of kind 'as_sym_int', expected a tensor\n");
}

TEST(Pt2Program, OutputsThatAreNoResults) {
  const auto graph = Pt2Builder()
                         .input("x", {1})
                         .buffer("b", "b", {1}, "\0\0\x80\x3f"s)
                         .raw_output(R"({"as_none":true})", R"({"user_output":{"arg":{"as_none":true}}})")
                         .output("b")
                         .output("x")
                         .read();
  EXPECT_EQ(print(graph), "return b, x\n");
  ASSERT_EQ(graph->constants.size(), 1u);
  EXPECT_EQ(graph->constants[0].tensor.as<float>()[0], 1.0f);
  EXPECT_EQ(graph->warnings.size(), 1u);
  const auto constant = Pt2Builder().input("x", {1}).raw_output(R"({"as_int":5})", R"({"user_output":{"arg":{"as_int":5}}})").read();
  EXPECT_EQ(print(constant), "error: output 0 is of kind 'as_int', expected a tensor\n");
}

TEST(Pt2Program, CollectsProblems) {
  auto builder = Pt2Builder().input("x", {4});
  for (int i = 0; i < 30; ++i) builder.node("aten.exp.default", {tensor("self", fmt::format("missing{}", i))}, fmt::format("y{}", i), {4});
  const auto graph = builder.output("x").read();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.diagnostics().size(), max_diagnostics);
}

TEST(Pt2Program, RefusesContradictions) {
  EXPECT_EQ(print(Pt2Builder().input("x", {4}).node("aten.exp.default", {tensor("self", "x")}, "x2", {4}).node("aten.exp.default", {}, "x2", {4}).output("x").read()),
            "error: defines 'x2' a second time at x2\n");
  EXPECT_EQ(print(Pt2Builder().input("x", {1}).buffer("b", "b", {2}, std::string(8, '\0')).weight("c", {1}, "").output("b").read()), "return b\n");
  Pt2Builder wrong;
  wrong.input("x", {1}).value("b", {3}).raw_input(Pt2Builder::reference("b"), R"({"buffer":{"arg":{"name":"b"},"buffer_name":"n","persistent":true}})");
  EXPECT_EQ(print(wrong.weight("n", {2}, std::string(8, '\0')).output("b").read()), "error: 'n' is f32 [2] in the archive, but the graph expects f32 [3] at n\n");
}

TEST(Pt2Program, OriginsOfNodes) {
  const auto graph = Pt2Builder()
                         .input("x", {4})
                         .value("y", {4})
                         .raw_node("aten.exp.default", {tensor("self", "x")}, {Pt2Builder::reference("y")},
                                   R"json("nn_module_stack":"k,,Net;k2,head.act,Act","stack_trace":"File \"d/net.py\", line 7, in forward\n    return x.exp()")json")
                         .output("y")
                         .read();
  ASSERT_TRUE(graph);
  const Origin expected{"net.pt2", "y", "aten.exp.default", "head.act", "net.py:7 in forward: return x.exp()", "Act"};
  EXPECT_EQ(graph->nodes[0].origin, expected);
  EXPECT_EQ(graph->name, "net");
}

}  // namespace
}  // namespace corten
