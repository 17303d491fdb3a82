// The form of StableHLO text. That XLA reads it as the same module is tests/genuine/hlo_oracle.py's
// to show, that it runs tests/genuine/test_upgrade.py's.
#include "callbridge/hlo/stablehlo_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"
#include "tests/hlo/parsed_module.h"

namespace callbridge::hlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string StableHlo(const std::string& text) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(text);
  if (!module.ok()) return module.status().ToString();
  absl::StatusOr<std::string> printed = PrintStableHloText(*module);
  return printed.ok() ? *printed : printed.status().ToString();
}

TEST(StableHloText, PrintsAWholeModule) {
  EXPECT_EQ(
      StableHlo(
          "HloModule a-b, input_output_alias={ {0}: (1, {1}, must-alias) }\n"
          "main {\n  ROOT x = (f32[2]) parameter(0)\n}\n"
          "ENTRY e {\n  p = f32[2] parameter(0)\n  q = ((s8[],pred[]),f32[2]) parameter(1)\n"
          "  t = (f32[2]) tuple(p)\n  u = (f32[2]) call(t), to_apply=main\n"
          "  v = f32[2] get-tuple-element(u), index=0\n  w = f32[2] copy(v)\n"
          "  o = f32[2] custom-call(w), custom_call_target=\"x y\", called_computations={main}\n"
          "  ROOT r = (f32[2],((s8[],pred[]),f32[2])) tuple(o, q)\n}\n"),
      "!type0 = tuple<tensor<2xf32>>\n"
      "!type1 = tuple<tensor<i8>, tensor<i1>>\n"
      "!type2 = tuple<!type1, tensor<2xf32>>\n"
      "!type3 = tuple<tensor<2xf32>, !type2>\n"
      "module @\"a-b\" attributes {mhlo.input_output_alias = [{alias = {kind = \"must_alias\", "
      "parameter_index = array<i64>, parameter_number = 3 : i64}, output_index = array<i64: 0>}]}"
      " {\n"
      "  func.func private @main.1(%arg0: !type0) -> (!type0) {\n"
      "    return %arg0 : !type0\n"
      "  }\n"
      "  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<i8>, %arg2: tensor<i1>, "
      "%arg3: tensor<2xf32>) -> (tensor<2xf32>, tensor<i8>, tensor<i1>, tensor<2xf32>) {\n"
      "    %0 = \"stablehlo.tuple\"(%arg1, %arg2) : (tensor<i8>, tensor<i1>) -> !type1\n"
      "    %1 = \"stablehlo.tuple\"(%0, %arg3) : (!type1, tensor<2xf32>) -> !type2\n"
      "    %2 = \"stablehlo.tuple\"(%arg0) : (tensor<2xf32>) -> !type0\n"
      "    %3 = func.call @main.1(%2) : (!type0) -> !type0\n"
      "    %4 = stablehlo.get_tuple_element %3[0] : (!type0) -> tensor<2xf32>\n"
      "    %5 = stablehlo.custom_call @\"x y\"(%4) {backend_config = \"\", called_computations = "
      "[@main.1]} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "    %6 = stablehlo.get_tuple_element %1[0] : (!type2) -> !type1\n"
      "    %7 = stablehlo.get_tuple_element %6[0] : (!type1) -> tensor<i8>\n"
      "    %8 = stablehlo.get_tuple_element %6[1] : (!type1) -> tensor<i1>\n"
      "    %9 = stablehlo.get_tuple_element %1[1] : (!type2) -> tensor<2xf32>\n"
      "    return %5, %7, %8, %9 : tensor<2xf32>, tensor<i8>, tensor<i1>, tensor<2xf32>\n"
      "  }\n"
      "}\n");
}

TEST(StableHloText, Constants) {
  const std::string text = StableHlo(
      Entry("  a = f32[3] constant({1, 1e-45, -inf})\n  b = c64[1,1] constant({{(0.1, nan)}})\n"
            "  c = pred[2] constant({1, 0})\n  d = u4[2,0] constant({{},{}})\n"
            "  e = f32[2,2]{0,1} constant({{1,2},{3,4}})\n  g = f8e4m3fn[2] constant({448, nan})\n"
            "  ROOT f = (s4[],bf16[]) constant((-8, 3))"));
  EXPECT_THAT(text, AllOf(HasSubstr("dense<[1.0, 1.0e-45, 0xFF800000]> : tensor<3xf32>"),
                          HasSubstr("dense<[[(0.1, 0x7FC00000)]]> : tensor<1x1xcomplex<f32>>"),
                          HasSubstr("dense<[true, false]> : tensor<2xi1>"),
                          HasSubstr("dense<> : tensor<2x0xui4>"),
                          HasSubstr("dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>"),
                          HasSubstr("dense<[448.0, 0x7F]> : tensor<2xf8E4M3FN>"),
                          HasSubstr("dense<-8> : tensor<i4>"),
                          HasSubstr("-> (tensor<i4>, tensor<bf16>) {")));
}

TEST(StableHloText, AnEmptyResult) {
  EXPECT_THAT(StableHlo(Entry("  a = () custom-call(), custom_call_target=\"t\"\n"
                              "  ROOT b = () tuple()")),
              HasSubstr("@main() -> () {\n    %0 = stablehlo.custom_call @t() {backend_config = "
                        "\"\"} : () -> !type0\n    return\n"));
}

TEST(StableHloText, CustomCallAttributes) {
  EXPECT_THAT(
      StableHlo(Entry("  p = f32[2,3]{0,1} parameter(0)\n"
                      "  ROOT a = (f32[2,3]{0,1},s32[]) custom-call(p), custom_call_target=\"t\","
                      " operand_layout_constraints={f32[2,3]{0,1}}, sharding={{replicated}},"
                      " api_version=API_VERSION_STATUS_RETURNING_UNIFIED,"
                      " custom_call_has_side_effect=true, frontend_attributes={b=\"\\\"\"},"
                      " output_to_operand_aliasing={{0}: (0, {})}, backend_config=\"\\377\\\"\"")),
      HasSubstr("{api_version = 3 : i32, backend_config = \"\\FF\\22\", has_side_effect = true, "
                "mhlo.frontend_attributes = {\"b\" = \"\\22\"}, mhlo.sharding = "
                "\"{{replicated}}\", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], "
                "result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], "
                "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = "
                "[0], operand_index = 0, operand_tuple_indices = []>]}"));
}

TEST(StableHloText, TheInstructionsWithAFormOfTheirOwn) {
  EXPECT_EQ(StableHlo(Entry("  q = f32[2] parameter(1)\n  p = c128[] parameter(0)\n"
                            "  a = token[] after-all()\n  b = token[] after-all(a, a)\n"
                            "  c = f32[2] add-dependency(q, b)\n"
                            "  d = c128[3,2] broadcast(p), dimensions={}\n"
                            "  e = f32[2,4] broadcast(c), dimensions={0}\n"
                            "  f = (s8[],(pred[2])) constant((1, ({1, 0})))\n"
                            "  ROOT g = (c128[3,2],f32[2,4],(s8[],(pred[2])),token[]) "
                            "custom-call(d, e, f, b), custom_call_target=\"a_$.b\", "
                            "frontend_attributes={z=\"1\",b=\"2\",y=\"3\",a=\"4\"}")),
            "!type0 = tuple<tensor<2xi1>>\n"
            "!type1 = tuple<tensor<i8>, !type0>\n"
            "!type2 = tuple<tensor<3x2xcomplex<f64>>, tensor<2x4xf32>, !type1, !stablehlo.token>\n"
            "module @m {\n"
            "  func.func public @main(%arg0: tensor<complex<f64>>, %arg1: tensor<2xf32>) -> "
            "(tensor<3x2xcomplex<f64>>, tensor<2x4xf32>, tensor<i8>, tensor<2xi1>, "
            "!stablehlo.token) {\n"
            "    %0 = \"stablehlo.create_token\"() : () -> !stablehlo.token\n"
            "    %1 = \"stablehlo.after_all\"(%0, %0) : (!stablehlo.token, !stablehlo.token) -> "
            "!stablehlo.token\n"
            "    %2 = \"mhlo.add_dependency\"(%arg1, %1) : (tensor<2xf32>, !stablehlo.token) -> "
            "tensor<2xf32>\n"
            "    %3 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<complex<f64>>) -> "
            "tensor<3x2xcomplex<f64>>\n"
            "    %4 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> "
            "tensor<2x4xf32>\n"
            "    %5 = stablehlo.constant dense<1> : tensor<i8>\n"
            "    %6 = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
            "    %7 = \"stablehlo.tuple\"(%6) : (tensor<2xi1>) -> !type0\n"
            "    %8 = \"stablehlo.tuple\"(%5, %7) : (tensor<i8>, !type0) -> !type1\n"
            "    %9 = stablehlo.custom_call @a_$.b(%3, %4, %8, %1) {backend_config = \"\", "
            "mhlo.frontend_attributes = {\"a\" = \"4\", \"b\" = \"2\", \"y\" = \"3\", \"z\" = "
            "\"1\"}} : (tensor<3x2xcomplex<f64>>, tensor<2x4xf32>, !type1, !stablehlo.token) -> "
            "!type2\n"
            "    %10 = stablehlo.get_tuple_element %9[0] : (!type2) -> tensor<3x2xcomplex<f64>>\n"
            "    %11 = stablehlo.get_tuple_element %9[1] : (!type2) -> tensor<2x4xf32>\n"
            "    %12 = stablehlo.get_tuple_element %9[2] : (!type2) -> !type1\n"
            "    %13 = stablehlo.get_tuple_element %12[0] : (!type1) -> tensor<i8>\n"
            "    %14 = stablehlo.get_tuple_element %12[1] : (!type1) -> !type0\n"
            "    %15 = stablehlo.get_tuple_element %14[0] : (!type0) -> tensor<2xi1>\n"
            "    %16 = stablehlo.get_tuple_element %9[3] : (!type2) -> !stablehlo.token\n"
            "    return %10, %11, %13, %15, %16 : tensor<3x2xcomplex<f64>>, tensor<2x4xf32>, "
            "tensor<i8>, tensor<2xi1>, !stablehlo.token\n"
            "  }\n"
            "}\n");
}

// The entry's tuple is not made, unless somebody else takes it too.
TEST(StableHloText, ARootThatIsUsedIsMade) {
  EXPECT_THAT(
      StableHlo(Entry("  p = f32[] parameter(0)\n  ROOT t = (f32[],f32[]) tuple(p, p)\n"
                      "  g = f32[] get-tuple-element(t), index=1")),
      HasSubstr("    %0 = \"stablehlo.tuple\"(%arg0, %arg0) : (tensor<f32>, tensor<f32>) -> "
                "!type0\n    %1 = stablehlo.get_tuple_element %0[1]"));
}

TEST(StableHloText, FunctionsThatAreCalledReturnTheirTuple) {
  EXPECT_THAT(
      StableHlo("HloModule m\nf {\n  p = f32[] parameter(0)\n  ROOT t = (f32[]) tuple(p)\n}\n"
                "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT c = (f32[]) call(p), to_apply=f\n}\n"),
      HasSubstr("  func.func private @f(%arg0: tensor<f32>) -> (!type0) {\n"
                "    %0 = \"stablehlo.tuple\"(%arg0) : (tensor<f32>) -> !type0\n"
                "    return %0 : !type0\n"));
}

// Without an index, where the result is the array itself.
TEST(StableHloText, AliasesOfAnArray) {
  EXPECT_THAT(
      StableHlo(
          "HloModule m, input_output_alias={ {}: (1, {}, may-alias) }\nENTRY e {\n"
          "  b = f32[] parameter(1)\n  a = f32[] parameter(0)\n  ROOT c = f32[] add(a, b)\n}\n"),
      HasSubstr("attributes {mhlo.input_output_alias = [{alias = {kind = \"may_alias\", "
                "parameter_index = array<i64>, parameter_number = 1 : i64}, output_index = "
                "array<i64>}]} {"));
}

TEST(StableHloText, LayoutsInsideOfTuplesMayBeRowMajor) {
  const std::string text =
      StableHlo(Entry("  p = (f32[2,3]) parameter(0)\n  ROOT q = ((f32[2,3])) custom-call(p),"
                      " custom_call_target=\"t\", operand_layout_constraints={(f32[2,3]{1,0})}"));
  EXPECT_THAT(text,
              AllOf(HasSubstr("@t(%0) {backend_config = \"\"} : "), Not(HasSubstr("layouts"))));
}

// Types of more than 100 characters are said once.
TEST(StableHloText, LongTypesHaveAnAlias) {
  const auto type_of = [](const std::string& dimensions) {
    return StableHlo(Entry("  p = f32[" + dimensions + "0] parameter(0)"));
  };
  std::string dimensions;
  for (int i = 0; i < 42; ++i) dimensions += "1,";
  EXPECT_THAT(type_of(dimensions + "10,"), HasSubstr("1x10x0xf32>) {"));  // of 100
  EXPECT_THAT(type_of(dimensions + "100,"), HasSubstr("(%arg0: !type0) -> (!type0) {"));
}

TEST(StableHloText, ATypedCallHasADictionaryAsItsConfig) {
  const std::string call =
      "  p = f32[] custom-call(), custom_call_target=\"0t\","
      " api_version=API_VERSION_TYPED_FFI";
  EXPECT_THAT(StableHlo(Entry(call)),
              HasSubstr("@\"0t\"() {api_version = 4 : i32, backend_config = {}} :"));
  EXPECT_THAT(StableHlo(Entry(call + ", backend_config={a = 1}")),
              HasSubstr("backend_config = {a = 1}}"));
}

TEST(StableHloText, RefusesWhatItCannotSay) {
  const struct {
    std::string lines, problem;
  } cases[] = {
      {"  p = f32[] parameter(0)\n  q = f32[] abs(p)\n"
       "  r = f32[] abs(p), control-predecessors={q}",
       "UNIMPLEMENTED: a control predecessor"},
      {"  p = (f32[2,3]{0,1}) parameter(0)\n  q = f32[] custom-call(p), custom_call_target=\"t\","
       " operand_layout_constraints={(f32[2,3]{0,1})}",
       "layouts inside of tuples"},
      {"  p = f32[] parameter(0)\n  q = f32[] abs(p)\n"
       "  ROOT r = (f32[]) tuple(p), control-predecessors={q}",
       "UNIMPLEMENTED: a control predecessor, which StableHLO lacks (r) cannot be written as "
       "StableHLO here; write the module as HLO text"},
      {"  p = s1[] parameter(0)", "UNIMPLEMENTED: StableHLO has no elements of type s1"},
      {"  p = (f32[],(u1[])) parameter(0)", "no elements of type u1"},
      {"  p = s1[] constant(0)\n  ROOT q = f32[] constant(0)", "no elements of type s1"},
      {"  p = ((s1[])) constant(((0)))\n  ROOT q = f32[] constant(0)", "no elements of type s1"},
      {"  p = f32[] custom-call(), custom_call_target=\"t\", api_version=API_VERSION_TYPED_FFI,"
       " backend_config=\"{}} evil {\"",
       "INVALID_ARGUMENT: custom call p of api version 4: expected a backend config that is a dic"},
      {"  p = f32[] custom-call(), custom_call_target=\"t\", api_version=API_VERSION_TYPED_FFI,"
       " backend_config=\"{\\\"}\"",
       "INVALID_ARGUMENT"},
  };
  for (const auto& [lines, problem] : cases) {
    EXPECT_THAT(StableHlo(Entry(lines)), HasSubstr(problem));
  }
}

TEST(StableHloText, AnInstructionThatIsNotSupported) {
  absl::StatusOr<xla::HloModuleProto> module =
      ParseHloText(Entry("  p = f32[] parameter(0)\n  q = f32[] abs(p)"));
  ASSERT_TRUE(module.ok());
  module->mutable_computations(0)->mutable_instructions(1)->set_opcode("so\nrt");
  EXPECT_EQ(PrintStableHloText(*module).status().ToString(),
            "UNIMPLEMENTED: the instruction \"so\\nrt\" (q) cannot be written as StableHLO here; "
            "write the module as HLO text");
  module = ParseHloText(Entry("  p = f32[] custom-call(), custom_call_target=\"t\""));
  ASSERT_TRUE(module.ok());
  module->mutable_computations(0)->mutable_instructions(0)->mutable_sharding()->set_type(
      xla::OpSharding::MAXIMAL);
  EXPECT_EQ(PrintStableHloText(*module).status().ToString(),
            "UNIMPLEMENTED: a sharding over several devices that does not say which; write the "
            "module as a proto");
}

// Types are said wherever values are used; without aliases this would be a gigabyte.
TEST(StableHloText, LargeTuplesMakeNoLargerText) {
  std::string shape = "(f32[]", lines;
  for (int i = 0; i < 5'000; ++i) shape += ",f32[]";
  for (int i = 0; i < 5'000; ++i) {
    absl::StrAppend(&lines, "  c", i, " = f32[] get-tuple-element(p), index=", i, "\n");
  }
  EXPECT_LT(StableHlo(Entry(absl::StrCat("  p = ", shape, ") parameter(0)\n", lines))).size(),
            2'000'000);
}

}  // namespace
}  // namespace callbridge::hlo
