// HLO text in and out. tests/genuine/hlo_oracle.py compares with XLA's own; here is what no XLA
// prints: mistakes, hostile texts and hostile modules.
#include "callbridge/hlo/hlo_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/counted_comparisons.h"
#include "tests/processor_time.h"

namespace callbridge::hlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Repeated(absl::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) absl::StrAppend(&repeated, text);
  return repeated;
}

std::string Module(absl::string_view lines) {
  return absl::StrCat("HloModule m\nENTRY e {\n", lines, "\n}\n");
}

std::string Constant(absl::string_view shape, absl::string_view literal) {
  return Module(absl::StrCat("  ROOT c = ", shape, " constant(", literal, ")"));
}

// What comes back from there and back again; or the error.
std::string RoundTrip(const std::string& text) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(text);
  if (!module.ok()) return module.status().ToString();
  absl::StatusOr<std::string> printed = PrintHloText(*module);
  if (!printed.ok()) return printed.status().ToString();
  // And what was printed is read as the same.
  absl::StatusOr<xla::HloModuleProto> again = ParseHloText(*printed);
  if (!again.ok()) return again.status().ToString();
  EXPECT_EQ(again->SerializeAsString(), module->SerializeAsString()) << *printed;
  return *printed;
}

TEST(HloText, FillsInWhatTextLeavesOut) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(
      "// a comment\nHloModule m\n"
      "f { p = f32[2,3] parameter(0) }\n"
      "last { /* no ROOT, no ENTRY */ p = f32[2,3] parameter(0)\n"
      "c = (f32[2,3]) custom-call(f32[2,3]{1,0} %p), custom_call_target=\"t\" }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry_computation_name(), "last");
  const xla::HloComputationProto& entry = module->computations(1);
  EXPECT_EQ(entry.id(), module->entry_computation_id());
  EXPECT_EQ(entry.root_id(), entry.instructions(1).id());
  EXPECT_EQ(entry.instructions(1).custom_call_api_version(), xla::API_VERSION_ORIGINAL);
  EXPECT_THAT(entry.instructions(0).shape().layout().minor_to_major(),
              ::testing::ElementsAre(1, 0));
  EXPECT_EQ(module->host_program_shape().parameter_names(0), "p");
  EXPECT_EQ(module->host_program_shape().result().tuple_shapes_size(), 1);
}

TEST(HloText, TheEntryComputationIsTheLast) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(
      "HloModule m\na { ROOT p = f32[] parameter(0) }\nENTRY b { ROOT p = f32[] parameter(0) }\n"
      "c { ROOT p = f32[] parameter(0) }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->computations(2).name(), "b");
  EXPECT_EQ(module->entry_computation_name(), "b");
  // The others keep their order.
  module = ParseHloText(
      "HloModule m\nENTRY a { ROOT p = f32[] parameter(0) }\nb { ROOT p = f32[] parameter(0) }\n"
      "c { ROOT p = f32[] parameter(0) }\nd { ROOT p = f32[] parameter(0) }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  std::string names;
  for (const auto& computation : module->computations()) names += computation.name();
  EXPECT_EQ(names, "bcda");
}

TEST(HloText, KeepsASchedule) {
  const std::string text = RoundTrip(
      "HloModule m, is_scheduled=true\nENTRY e {\n  b = f32[] parameter(1)\n"
      "  a = f32[] parameter(0)\n  ROOT c = f32[] add(a, b)\n}\n");
  EXPECT_THAT(text, HasSubstr("is_scheduled=true"));
  EXPECT_LT(text.find("%b = "), text.find("%a = "));
}

TEST(HloText, MistakesAreToldWithTheirPlace) {
  const struct {
    std::string text, problem;
  } cases[] = {
      {"", "line 1, column 1: expected \"HloModule\", found the end"},
      {"HloModule", "expected the module's name"},
      {"HloModule m", "expected a computation, found the end"},
      {"HloModule m, is_scheduled=1", "column 27: expected true or false, found \"1\""},
      {"HloModule m, is_scheduled=true, is_scheduled=true", "expected is_scheduled once"},
      {"HloModule m, =2", "line 1, column 14: expected an attribute"},
      {"HloModule m, wings={", "the braces of a value of \"wings\" are never closed"},
      {Module(""), "line 4, column 1: expected an instruction or \"}\""},
      {Module("  a = f32[2]"), "expected an opcode"},
      {Module("  a = f32[2 parameter(0)"),
       "line 3, column 13: expected \",\" or \"]\", found \"parameter"},
      {Module("  a = f32[<2] parameter(0)"), "column 11: expected a dimension, found \"<2]"},
      {Module("  a = f32[2]{0:T(x)} parameter(0)"), "expected the size of a tile, found \"x)"},
      {Module("  a = f32[2] parameter(-)"), "expected the number of a parameter"},
      {Module("  a = f32[2] parameter(1)"), "parameter number 1"},
      {Module("  a = f32[2] parameter(0)\n  a = f32[2] abs(a)"), "another instruction a"},
      {Module("  a = f32[2] abs(b)"), "line 3, column 18: expected an instruction from further up"},
      {Module("  a = f32[2] abs(a)"), "expected an instruction from further up, found a"},
      {Module("  a = f32[2] parameter(0)\n  b = f32[2] abs(f32[3] a)"),
       "expected a of shape f32[2], found it declared to be f32[3]"},
      {Module("  a = f32[2] parameter(0)\n  b = f32[3] abs(a)"), "f32[3]"},
      {Module("  ROOT a = f32[2] parameter(0)\n  ROOT b = f32[2] abs(a)"), "another"},
      {Module("  a = f32[2] call(), to_apply=f"),
       "expected a computation from further up, found f"},
      {Module("  a = f32[2] call(), to_apply=e"), "found e"},
      {Module("  a = f32[2] fusion(), kind=kLoop, calls=f"),
       "line 3, column 42: expected a computation from further up, found f"},
      {Module("  a = f32[2] parameter(0), origin={{{}"),
       "line 3, column 35: the braces of a value of \"origin\" are never closed"},
      {Module("  a = f32[2] parameter(0), origin={(}"), "expected \")\" in a value of \"origin\""},
      {Module("  a = f32[2] parameter(0), origin="), "line 4, column 1: expected a value of"},
      {Module("  a = f32[2] parameter(0), index=1, index=2"), "expected index once"},
      {Module("  a = f32[2] parameter(0), sharding={devices=[2]<=2}"),
       "expected \"[\", found \"2}"},
      {Module("  a = f32[2] parameter(0), metadata={op_name=\"\377\"}"), "to be UTF-8"},
      {Module("  a = f32[2] parameter(0), metadata={op_name=\"x}"), "never closed"},
      {Module("  a = f32[2] parameter(0), backend_config={\"x\": \"}"), "never closed"},
      {Module("  a = f32[2] custom-call(), custom_call_target=\"\\q\""),
       "line 3, column 48: the ta"},
      {Module("  a = f32[2] custom-call(), custom_call_target=x"), "the target in quotes"},
      {Module("  a = f32[2] custom-call(), custom_call_target=\"x\", api_version=5"),
       "expected API_VERSION_ORIGINAL"},
      {Module("  a = f32[] custom-call(), output_to_operand_aliasing={{}: (0, {})}"), "alias"},
      {Module("  a = f32[] custom-call(), window={stride=1}"), "expected stride of 0 dimensions"},
      {Module("  a = f32[] custom-call(), window={size=1x}"), "whole numbers"},
      {Module("  a = f32[] custom-call(), dim_labels=b01f_01io->b0f0"), "dimension labels"},
      {Module("  a = f32[] custom-call(), dim_labels=bf"), "dimension labels"},
      {"HloModule m ENTRY a { b = f32[] parameter(0) } ENTRY c { b = f32[] parameter(0) }",
       "expected one ENTRY computation"},
      {"HloModule m a { b = f32[] parameter(0) } a { b = f32[] parameter(0) }",
       "another computation a"},
      {"HloModule m a (b: f32[]) -> f32[2] { b = f32[] parameter(0) }",
       "computation a is declared to return f32[2], its root is f32[]"},
      {"HloModule m, entry_computation_layout={()->f32[]} a { b = f32[] parameter(0) }",
       "expected 1 parameters"},
      {"HloModule m, input_output_alias={ {}: (3, {}) } a { b = f32[] parameter(0) }", "alias"},
      {"HloModule m /* no end", "found \"/* no end\""},
  };
  for (const auto& [text, problem] : cases) {
    const std::string told = RoundTrip(text);
    EXPECT_THAT(told, AllOf(HasSubstr(problem), ::testing::ContainsRegex("^(INVALID|UNIMPL)")))
        << text;
  }
}

TEST(HloText, LiteralsKeepTheirBits) {
  const struct {
    std::string shape, literal, printed;
  } cases[] = {
      {"f32[]", "0.1", "0.1"},
      {"f32[2]{0}", "{nan(0x1), -nan}", "{nan(0x1), -nan}"},
      {"f32[3]{0}", "{1e-45, -0, 16777217}", "{1e-45, -0.0, 16777216}"},
      {"f64[1]{0}", "{0.1}", "{0.1}"},
      {"f16[2]{0}", "{65504, 5.9e-08}", "{65504, 5.9605e-08}"},
      {"bf16[2]{0}", "{1.0039, 3.3e38}", "{1, 3.2965e+38}"},
      {"f8e4m3fn[2]{0}", "{448, nan}", "{448, nan}"},
      {"f8e5m2fnuz[2]{0}", "{-0, nan}", "{0, nan}"},
      {"f4e2m1fn[2]{0}", "{1.5, -6}", "{1.5, -6}"},
      {"f8e8m0fnu[3]{0}", "{1, 4, nan}", "{1, 4, nan}"},
      {"s4[2]{0}", "{-8, 7}", "{-8, 7}"},
      {"pred[3]{0}", "{true, 0, 7}", "{1, 0, 1}"},
      {"f8e4m3fn[2]{0}", "{-0, -0.0}", "{-0.0, -0.0}"},
      {"c64[1]{0}", "{(-0, -inf)}", "{(-0.0, -inf)}"},
      {"f32[2,1]{0,1}", "{{1}, {2}}", "{ {1}, {2} }"},
      {"f32[2,0]{1,0}", "{{}, {}}", "{ {}, {} }"},
      {"f32[0,1099511627776]{1,0}", "{}", "{  }"},
      {"f32[1099511627776,0,1099511627776]{2,1,0}", "{}", ""},
      {"(f32[],(s8[1]{0},()))", "(1, ({-1}, ()))", "( 1, ( {-1}, (  ) ) )"},
  };
  for (const auto& [shape, literal, printed] : cases) {
    EXPECT_THAT(
        RoundTrip(Constant(shape, literal)),
        HasSubstr(printed.empty() ? "expected \"{\"" : absl::StrCat("constant(", printed, ")")))
        << shape;
  }
}

TEST(HloText, LiteralsAreStoredAsTheirLayoutSays) {
  absl::StatusOr<xla::HloModuleProto> module =
      ParseHloText(Constant("f32[2,3]{0,1}", "{{1,2,3},{4,5,6}}"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(module->computations(0).instructions(0).literal().f32s(),
              ::testing::ElementsAre(1, 4, 2, 5, 3, 6));
  absl::StatusOr<std::string> text = PrintHloText(*module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("constant({ {1, 2, 3}, {4, 5, 6} })"));
}

TEST(HloText, RefusesLiteralsThatDoNotFit) {
  const struct {
    std::string shape, literal, problem;
  } cases[] = {
      {"f32[2]", "{1}", "expected \",\""},
      {"f32[2]", "{1,2,3}", "expected \"}\""},
      {"f32[2]", "1", "expected \"{\""},
      {"f32[]", "{1}", "expected a number that fits f32"},
      {"f32[]", "1e39", "expected a number that fits f32"},
      {"f32[]", "infinity", "expected a number"},
      {"f32[]", "nan(0x800000)", "mantissa of a NaN"},
      {"f32[]", "nan(0x0)", "mantissa of a NaN"},
      {"f16[]", "65520", "fits f16"},
      {"f8e4m3fn[]", "inf", "fits f8e4m3fn"},
      {"u8[]", "256", "fits u8"},
      {"u8[]", "-1", "fits u8"},
      {"s4[]", "8", "fits s4"},
      {"s64[]", "9223372036854775808", "fits s64"},
      {"pred[]", "yes", "expected true, false, 1 or 0"},
      {"c64[]", "1", "expected \"(\""},
      {"f32[2]", "{...}}", "expected \")\""},
      {"f32[4611686018427387904]", "{1", "too large"},
      {"s8[4611686018427387904]", "{1", "expected \",\""},
      {"token[]", "{}", "no token"},
      {"(f32[])", "1", "expected \"(\""},
      {"f4e2m1fn[]", "nan", "f4e2m1fn has no NaN"},
      {"f4e2m1fn[]", "6.5", "fits f4e2m1fn"},
      {"f8e8m0fnu[]", "-1", "fits f8e8m0fnu"},
      {"f8e8m0fnu[]", "0", "fits f8e8m0fnu"},
  };
  for (const auto& [shape, literal, problem] : cases) {
    EXPECT_THAT(RoundTrip(Constant(shape, literal)), HasSubstr(problem)) << shape << literal;
  }
}

TEST(HloText, LiteralsOfTheLargestRank) {
  const std::string ones = "1" + Repeated(",1", 63);
  const std::string text =
      RoundTrip(Constant("f32[" + ones + "]", Repeated("{", 64) + "5" + Repeated("}", 64)));
  EXPECT_THAT(text, HasSubstr(" constant("));
  EXPECT_THAT(
      RoundTrip(Constant("f32[" + ones + ",1]", Repeated("{", 65) + "5" + Repeated("}", 65))),
      HasSubstr("at most 64 dimensions"));

  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(text);
  ASSERT_TRUE(module.ok()) << module.status();
  auto& constant = *module->mutable_computations(0)->mutable_instructions(0);
  for (xla::ShapeProto* shape :
       {constant.mutable_shape(), constant.mutable_literal()->mutable_shape(),
        module->mutable_computations(0)->mutable_program_shape()->mutable_result(),
        module->mutable_host_program_shape()->mutable_result()}) {
    shape->add_dimensions(1);
    if (shape->is_dynamic_dimension_size() > 0) shape->add_is_dynamic_dimension(false);
    shape->mutable_layout()->add_minor_to_major(64);
  }
  const absl::Status status = PrintHloText(*module).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("at most 64 dimensions to write as text, got 65"));
}

// Each takes an age, or all of the stack, unless it is read in linear time and without recursion.
TEST(HloText, HostileTextsAreRefusedAtOnce) {
  constexpr int kMany = 200'000;
  const std::string texts[] = {
      Repeated("(", kMany),
      Module("  a = " + Repeated("(", kMany)),
      Module("  a = " + Repeated("(", kMany) + Repeated(")", kMany) + " tuple()"),
      Module("  a = f32[" + Repeated("1,", kMany)),
      Constant("f32[2]", Repeated("{", kMany)),
      Constant("(f32[])", Repeated("(", kMany)),
      Module("  a = f32[] parameter(0), backend_config=" + Repeated("{", kMany)),
      Module("  a = f32[] parameter(0), sharding=" + Repeated("{", kMany)),
      Module("  a = f32[] parameter(0), metadata={x=" + Repeated("{", kMany)),
      Module("  a = f32[] parameter(0), frontend_attributes={" + Repeated("a=\"b\",", kMany)),
      "HloModule m" + Repeated(", frontend_attributes={}", kMany),
      "HloModule m " + Repeated("/*", kMany),
      "HloModule m " + Repeated("/**/", kMany),
      Repeated("HloModule m ", kMany),
      "HloModule m\n" + Repeated("\n", kMany) + "?",
      Module(Repeated("a = f32[] parameter(0)\n", kMany)),
  };
  for (const std::string& text : texts) {
    const auto begin = ProcessorTime();
    EXPECT_THAT(RoundTrip(text), ::testing::StartsWith("INVALID_ARGUMENT")) << text.substr(0, 60);
    EXPECT_LT(ProcessorTime() - begin, std::chrono::seconds(5));
  }
}

// A chain of calls, each of which waits for the one before.
std::string ChainOfCalls(int length) {
  std::string lines = "  i0 = f32[2] parameter(0)\n";
  for (int i = 1; i < length; ++i) {
    absl::StrAppend(&lines, "  i", i, " = f32[2] custom-call(i", i - 1,
                    ", i0), custom_call_target=", "\"t\", control-predecessors={i", i - 1, "}\n");
  }
  return Module(lines);
}

TEST(HloText, LargeModulesTakeLinearTime) {
  const auto cost = [](int length) {
    const std::string text = ChainOfCalls(length);
    return CountComparisons(
        [&] { EXPECT_THAT(RoundTrip(text), HasSubstr(absl::StrCat("%i", length - 1, " = "))); });
  };
  const int64_t small = cost(400);
  const int64_t large = cost(4'000);
  if (small == 0) GTEST_SKIP() << "comparisons are counted in the address sanitizer's build alone";
  // Names have a digit more.
  EXPECT_LT(large, 13 * small);
}

// Of a module that no text said.
TEST(HloText, PrintsNamesThatTextCannotSay) {
  absl::StatusOr<xla::HloModuleProto> module =
      ParseHloText(Module("  a = f32[] parameter(0)\n  b = f32[] abs(a)\n  c = f32[] abs(b)"));
  ASSERT_TRUE(module.ok());
  module->set_name("");
  auto* entry = module->mutable_computations(0);
  entry->set_name("x y}");
  entry->mutable_instructions(0)->set_name("");
  entry->mutable_instructions(1)->set_name("q\n= f32[]");
  entry->mutable_instructions(2)->set_name(std::string(1'000'000, 'n'));
  absl::StatusOr<std::string> text = PrintHloText(*module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, AllOf(HasSubstr("HloModule module, "), HasSubstr("ENTRY %x_y_ "),
                           HasSubstr("%q___f32__ = f32[] abs(%instruction)")));
  EXPECT_LT(text->size(), 2'000);
  EXPECT_TRUE(ParseHloText(*text).ok());
}

TEST(HloText, EqualNamesGetNumbers) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(
      Module("  a = f32[] parameter(0)\n  a.1 = f32[] abs(a)\n  c = f32[] add(a.1, a)"));
  ASSERT_TRUE(module.ok());
  module->mutable_computations(0)->mutable_instructions(2)->set_name("a");
  absl::StatusOr<std::string> text = PrintHloText(*module);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("ROOT %a.2 = f32[] add(%a.1, %a)"));
}

TEST(HloText, RefusesWhatItCannotPrint) {
  absl::StatusOr<xla::HloModuleProto> module =
      ParseHloText(Module("  a = f32[] parameter(0)\n  b = f32[] abs(a)"));
  ASSERT_TRUE(module.ok());
  xla::HloModuleProto unknown = *module;
  unknown.mutable_computations(0)->mutable_instructions(1)->set_opcode("so rt");
  EXPECT_THAT(PrintHloText(unknown).status().ToString(),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("\"so rt\" (b)")));

  auto& sequence = (*module->mutable_schedule()->mutable_sequences())[1];
  sequence.add_instruction_ids(2);
  EXPECT_THAT(PrintHloText(*module).status().ToString(),
              HasSubstr("expected instruction 1 before 2, which needs it"));
  sequence.set_instruction_ids(0, 1);
  EXPECT_THAT(PrintHloText(*module).status().ToString(),
              HasSubstr("expected its 2 instructions, got 1"));
}

}  // namespace
}  // namespace callbridge::hlo
