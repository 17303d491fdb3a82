// Whole texts that a module is printed as, rows of tables, and limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/name_uniquer.h"
#include "callbridge/hlo/stablehlo_text.h"
#include "tests/hlo/parsed_module.h"

namespace callbridge::hlo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using xla::HloModuleProto;

std::string Printed(const HloModuleProto& module) {
  const absl::StatusOr<std::string> text = PrintHloText(module);
  return text.ok() ? *text : text.status().ToString();
}

std::string StableHlo(const HloModuleProto& module) {
  const absl::StatusOr<std::string> text = PrintStableHloText(module);
  return text.ok() ? *text : text.status().ToString();
}

// ---- HLO text -----------------------------------------------------------------------------------

TEST(ModuleTexts, HloText) {
  const std::string text =
      "HloModule m, is_scheduled=true, input_output_alias={ {}: (1, {1}, may-alias) }, "
      "entry_computation_layout={(s8[3]{0}, (f32[], f32[2]{0}))->f32[2]{0}}\n"
      "\n"
      "%f (x: s8[3]) -> s8[3] {\n"
      "  ROOT %x = s8[3]{0} parameter(0)\n"
      "}\n"
      "\n"
      "ENTRY %e (b: s8[3], a: (f32[], f32[2])) -> f32[2] {\n"
      "  %a = (f32[], f32[2]{0}) parameter(1)\n"
      "  %b = s8[3]{0} parameter(0)\n"
      "  ROOT %c = f32[2]{0} get-tuple-element(%a), index=1\n"
      "  %d = s8[3]{0} call(%b), to_apply=%f, control-predecessors={%c, %a}\n"
      "}\n";
  const std::string signature = "a: (f32[], f32[2])";
  std::string expected = text;
  expected.replace(expected.find(signature), signature.size(), "a: (f32[], f32[2])");
  EXPECT_EQ(Printed(Parsed(text)), expected);
}

TEST(ModuleTexts, WhatAModuleHasNotIsNotPrinted) {
  HloModuleProto module = Parsed(Entry("  a = f32[] parameter(0)"));
  module.clear_host_program_shape();
  EXPECT_EQ(Printed(module),
            "HloModule m\n\nENTRY %e (a: f32[]) -> f32[] {\n  ROOT %a = f32[] parameter(0)\n}\n");
  auto* entry = module.mutable_computations(0);
  entry->set_execution_thread("main");
  EXPECT_THAT(Printed(module), Not(HasSubstr("execution_thread")));
  entry->set_execution_thread("host");
  EXPECT_THAT(Printed(module), HasSubstr("\n}, execution_thread=\"host\"\n"));
  entry->set_name("");
  EXPECT_THAT(Printed(module), HasSubstr("\nENTRY %computation (a: "));
}

TEST(ModuleTexts, ValuesThatAreUsual) {
  const std::string call = "  a = f32[] custom-call(), custom_call_target=\"t\"";
  HloModuleProto module = Parsed(Entry(call));
  auto* instruction = module.mutable_computations(0)->mutable_instructions(0);
  for (const int64_t count : {0, 1, 2}) {
    instruction->set_feature_group_count(count);
    instruction->set_batch_group_count(count);
    const std::string text = Printed(module);
    EXPECT_EQ(text.find("feature_group_count=2") != std::string::npos, count == 2) << text;
    EXPECT_EQ(text.find("batch_group_count=2") != std::string::npos, count == 2) << text;
    EXPECT_EQ(text.find("group_count=") != std::string::npos, count == 2) << text;
  }
  const std::pair<const char*, const char*> configs[] = {
      {"{a}", "backend_config={a}"},
      {"{a} ", "backend_config=\"{a} \""},
      {"{\n}", "backend_config=\"{\\n}\""},
      {"{\x7f}", "backend_config=\"{\\177}\""},
      {"a\"\\\t\xff", "backend_config=\"a\\\"\\\\\\t\\377\""},
  };
  for (const auto& [config, text] : configs) {
    instruction->set_backend_config(config);
    EXPECT_THAT(Printed(module), HasSubstr(absl::StrCat(", ", text, "\n")));
    EXPECT_EQ(Parsed(Printed(module)).computations(0).instructions(0).backend_config(),
              std::string(config));
  }
  (*instruction->mutable_frontend_attributes()->mutable_map())["a b\n"] = "c";
  EXPECT_EQ(Printed(module),
            "UNIMPLEMENTED: expected a frontend attribute's name that HLO text can express, got "
            "\"a b\\n\"");
}

// What stands in no text, an alias's kind and the usual values of a window.
TEST(ModuleTexts, WhatTextLeavesOut) {
  const HloModuleProto aliased = Parsed(
      "HloModule m, input_output_alias={ {}: (0, {}) }\nENTRY e {\n  a = f32[] parameter(0)\n}\n");
  EXPECT_EQ(aliased.input_output_alias().entries(0).kind(), xla::MAY_ALIAS);
  const HloModuleProto windowed = Parsed(Entry("  a = f32[] custom-call(), window={size=2}"));
  const auto& dimension = windowed.computations(0).instructions(0).window().dimensions(0);
  EXPECT_EQ(dimension.stride(), 1);
  EXPECT_EQ(dimension.base_dilation(), 1);
  EXPECT_EQ(dimension.window_dilation(), 1);
  EXPECT_FALSE(dimension.window_reversal());
  EXPECT_EQ(dimension.padding_low(), 0);
}

TEST(ModuleTexts, WindowsOfWhichOneFieldIsUnusual) {
  const std::pair<const char*, const char*> cases[] = {
      {"pad=0_0x1_0", " pad=0_0x1_0"},
      {"pad=0_1x0_0", " pad=0_1x0_0"},
      {"pad=-1_0x0_0", " pad=-1_0x0_0"},
      {"pad=0_0x0_0", ""},
      {"stride=1x2", " stride=1x2"},
      {"stride=1x1", ""},
      {"stride=0x1", " stride=0x1"},
      {"lhs_dilate=2x1", " lhs_dilate=2x1"},
      {"rhs_dilate=1x2", " rhs_dilate=1x2"},
      {"rhs_reversal=0x1", " rhs_reversal=0x1"},
      {"rhs_reversal=0x2", " rhs_reversal=0x1"},
      {"rhs_reversal=0x0", ""},
  };
  for (const auto& [field, text] : cases) {
    const std::string line =
        absl::StrCat("  a = f32[] custom-call(), window={size=3x4 ", field, "}");
    EXPECT_THAT(Printed(Parsed(Entry(line))), HasSubstr(absl::StrCat("{size=3x4", text, "}")));
  }
}

TEST(ModuleTexts, NamesHave256CharactersAtMost) {
  NameUniquer names;
  EXPECT_EQ(names.GetUniqueName(std::string(256, 'n'), ""), std::string(256, 'n'));
  EXPECT_EQ(names.GetUniqueName(std::string(257, 'n'), ""), std::string(256, 'n') + ".1");
  EXPECT_EQ(names.GetUniqueName("", "fallback"), "fallback");
  EXPECT_EQ(names.GetUniqueName("aZ09._-", ""), "aZ09._-");
  EXPECT_EQ(names.GetUniqueName("a b", ""), "a_b");
  EXPECT_EQ(names.GetUniqueName("a/b", ""), "a_b.1");
  EXPECT_EQ(names.GetUniqueName("a:b", ""), "a_b.2");
  EXPECT_TRUE(NameUniquer::IsName("_"));
  EXPECT_FALSE(NameUniquer::IsName(""));
  EXPECT_FALSE(NameUniquer::IsName("a "));
}

// Of a literal without elements; the text has a brace for each dimension before the empty one.
TEST(ModuleTexts, EmptyLiteralsOfManyBraces) {
  const auto printed = [](const std::string& dimensions) {
    HloModuleProto module = Parsed(Entry("  a = f32[0] constant({})"));
    auto* computation = module.mutable_computations(0);
    auto* constant = computation->mutable_instructions(0);
    xla::ShapeProto changed = constant->shape();
    changed.clear_dimensions();
    changed.clear_is_dynamic_dimension();
    changed.clear_layout();
    for (const absl::string_view part : absl::StrSplit(dimensions, ',')) {
      int64_t size = 0;
      EXPECT_TRUE(absl::SimpleAtoi(part, &size));
      changed.add_dimensions(size);
    }
    for (int i = changed.dimensions_size(); i > 0; --i) {
      changed.mutable_layout()->add_minor_to_major(i - 1);
    }
    *constant->mutable_shape() = *constant->mutable_literal()->mutable_shape() = changed;
    *computation->mutable_program_shape()->mutable_result() = changed;
    *module.mutable_host_program_shape()->mutable_result() = changed;
    const std::string text = Printed(module);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_THAT(printed("0,5000000"), HasSubstr("HloModule m"));
  EXPECT_THAT(printed("1048576,0"), HasSubstr("HloModule m"));
  EXPECT_THAT(printed("2,524288,0"), HasSubstr("HloModule m"));
  EXPECT_EQ(printed("1048577,0"),
            "UNIMPLEMENTED: expected an empty literal of at most 1048576 braces to write as text, "
            "got one of shape f32[1048577,0]{1,0}");
  EXPECT_THAT(printed("2,524289,0"), HasSubstr("of shape f32[2,524289,0]"));
  EXPECT_THAT(printed("1024,1024,2,0"), HasSubstr("of shape f32[1024,1024,2,0]"));
}

// ---- StableHLO text -----------------------------------------------------------------------------

TEST(ModuleTexts, ElementTypesOfStableHlo) {
  const std::pair<const char*, const char*> types[] = {
      {"pred", "i1"},
      {"s2", "i2"},
      {"s4", "i4"},
      {"s8", "i8"},
      {"s16", "i16"},
      {"s32", "i32"},
      {"s64", "i64"},
      {"u2", "ui2"},
      {"u4", "ui4"},
      {"u8", "ui8"},
      {"u16", "ui16"},
      {"u32", "ui32"},
      {"u64", "ui64"},
      {"f16", "f16"},
      {"bf16", "bf16"},
      {"f32", "f32"},
      {"f64", "f64"},
      {"c64", "complex<f32>"},
      {"c128", "complex<f64>"},
      {"f8e5m2", "f8E5M2"},
      {"f8e4m3fn", "f8E4M3FN"},
      {"f8e4m3b11fnuz", "f8E4M3B11FNUZ"},
      {"f8e5m2fnuz", "f8E5M2FNUZ"},
      {"f8e4m3fnuz", "f8E4M3FNUZ"},
      {"f8e4m3", "f8E4M3"},
      {"f8e3m4", "f8E3M4"},
      {"f4e2m1fn", "f4E2M1FN"},
      {"f8e8m0fnu", "f8E8M0FNU"},
  };
  for (const auto& [hlo, mlir] : types) {
    EXPECT_THAT(StableHlo(Parsed(Entry(absl::StrCat("  a = ", hlo, "[2] parameter(0)")))),
                HasSubstr(absl::StrCat("(%arg0: tensor<2x", mlir, ">) -> (tensor<2x", mlir, ">)")));
  }
}

TEST(ModuleTexts, OpcodesOfStableHlo) {
  for (const char* opcode : {"abs", "negate", "convert", "reshape", "tuple"}) {
    const std::string name = opcode;
    const std::string shape = name == "tuple" ? "(f32[2])" : "f32[2]";
    EXPECT_THAT(StableHlo(Parsed("HloModule m\nf {\n  p = f32[2] parameter(0)\n  ROOT r = " +
                                 shape + " " + name + "(p)\n}\n" +
                                 "ENTRY e {\n  p = f32[2] "
                                 "parameter(0)\n  ROOT r = " +
                                 shape + " call(p), to_apply=f\n}\n")),
                HasSubstr("%0 = \"stablehlo." + name + "\"(%arg0) : (tensor<2xf32>) -> "));
  }
  for (const char* opcode : {"add", "subtract", "multiply", "divide", "maximum", "minimum"}) {
    EXPECT_THAT(StableHlo(Parsed(Entry(absl::StrCat("  p = f32[2] parameter(0)\n  q = f32[2] "
                                                    "parameter(1)\n  r = f32[2] ",
                                                    opcode, "(q, p)")))),
                HasSubstr(absl::StrCat("%0 = \"stablehlo.", opcode,
                                       "\"(%arg1, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> "
                                       "tensor<2xf32>")));
  }
}

TEST(ModuleTexts, NumbersOfValuesBeginAnewInEachFunction) {
  HloModuleProto module = Parsed(
      "HloModule m\nf {\n  p = f32[] parameter(0)\n  ROOT r = f32[] abs(p)\n}\n"
      "g {\n  p = f32[] parameter(0)\n  ROOT r = f32[] negate(p)\n}\n"
      "ENTRY e {\n  p = f32[] parameter(0)\n  a = f32[] call(p), to_apply=f\n"
      "  ROOT b = f32[] custom-call(a), custom_call_target=\"t\", called_computations={f, g}\n}\n");
  module.set_name("");
  module.mutable_computations(1)->set_name("");
  EXPECT_EQ(StableHlo(module),
            "module @module {\n"
            "  func.func private @f(%arg0: tensor<f32>) -> (tensor<f32>) {\n"
            "    %0 = \"stablehlo.abs\"(%arg0) : (tensor<f32>) -> tensor<f32>\n"
            "    return %0 : tensor<f32>\n"
            "  }\n"
            "  func.func private @computation(%arg0: tensor<f32>) -> (tensor<f32>) {\n"
            "    %0 = \"stablehlo.negate\"(%arg0) : (tensor<f32>) -> tensor<f32>\n"
            "    return %0 : tensor<f32>\n"
            "  }\n"
            "  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32>) {\n"
            "    %0 = func.call @f(%arg0) : (tensor<f32>) -> tensor<f32>\n"
            "    %1 = stablehlo.custom_call @t(%0) {backend_config = \"\", called_computations = "
            "[@f, @computation]} : (tensor<f32>) -> tensor<f32>\n"
            "    return %1 : tensor<f32>\n"
            "  }\n"
            "}\n");
}

TEST(ModuleTexts, LayoutsAndAliasesOfAStableHloCall) {
  EXPECT_THAT(
      StableHlo(Parsed(
          Entry("  p = f32[2,3]{0,1} parameter(0)\n  q = ((s8[],f32[2,3])) parameter(1)\n"
                "  a = ((s8[],f32[2,3]),(f32[2,3])) custom-call(p, q), custom_call_target=\"t\","
                " output_to_operand_aliasing={{0,1}: (1, {0,1}), {1,0}: (0, {})}"))),
      HasSubstr("{backend_config = \"\", output_operand_aliases = ["
                "#stablehlo.output_operand_alias<output_tuple_indices = [0, 1], operand_index = 1, "
                "operand_tuple_indices = [0, 1]>, "
                "#stablehlo.output_operand_alias<output_tuple_indices = [1, 0], operand_index = 0, "
                "operand_tuple_indices = []>]} : "));
  EXPECT_THAT(
      StableHlo(Parsed(Entry("  p = f32[2,3]{0,1} parameter(0)\n  q = s8[] parameter(1)\n"
                             "  a = f32[4,5]{0,1} custom-call(q, p), custom_call_target=\"t\","
                             " operand_layout_constraints={s8[], f32[2,3]{1,0}}"))),
      HasSubstr("operand_layouts = [dense<> : tensor<0xindex>, dense<[1, 0]> : "
                "tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}"));
  EXPECT_EQ(
      StableHlo(Parsed(Entry("  p = (f32[2,3]{1,0}) parameter(0)\n"
                             "  a = ((f32[4,5]{0,1})) custom-call(p), custom_call_target=\"t\","
                             " operand_layout_constraints={(f32[2,3]{1,0})}"))),
      "UNIMPLEMENTED: custom call a has layouts inside of tuples that are not row-major, "
      "which StableHLO cannot express; write the module as HLO text");
}

TEST(ModuleTexts, ApiVersionsOfStableHlo) {
  const std::pair<const char*, const char*> cases[] = {
      {"ORIGINAL", "{backend_config = \"\"}"},
      {"STATUS_RETURNING", "{api_version = 2 : i32, backend_config = \"\"}"},
      {"STATUS_RETURNING_UNIFIED", "{api_version = 3 : i32, backend_config = \"\"}"},
      {"TYPED_FFI", "{api_version = 4 : i32, backend_config = {}}"},
  };
  for (const auto& [version, attributes] : cases) {
    EXPECT_THAT(
        StableHlo(Parsed(Entry(absl::StrCat("  a = f32[] custom-call(), custom_call_target=\"t\", "
                                            "api_version=API_VERSION_",
                                            version)))),
        HasSubstr(attributes));
  }
}

TEST(MlirString, EscapesWhatIsNotPlain) {
  EXPECT_EQ(MlirString("a ~"), "\"a ~\"");
  EXPECT_EQ(MlirString(absl::string_view("\\\"\n\0\x7f\xff", 6)), "\"\\5C\\22\\0A\\00\\7F\\FF\"");
}

TEST(MlirSymbol, QuotesWhatIsNoIdentifier) {
  for (const char* plain : {"a", "_", "_1", "a1$.b_c", "Z"}) {
    EXPECT_EQ(MlirSymbol(plain), absl::StrCat("@", plain));
  }
  for (const char* quoted : {"", "1", "1a", ".a", "$a", "a-b", "a b", "a/"}) {
    EXPECT_EQ(MlirSymbol(quoted), absl::StrCat("@\"", quoted, "\""));
  }
}

}  // namespace
}  // namespace callbridge::hlo
