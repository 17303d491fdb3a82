// The small forms of which HLO text is made: UTF-8, dictionaries, shardings and dimension labels;
// and what is said of instructions that do not fit together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/hlo_text_attributes.h"
#include "callbridge/hlo/shape_proto_text.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {
namespace {

using ::testing::HasSubstr;

TEST(IsUtf8, TellsWhatIsUtf8) {
  for (const char* text : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xe2\x82\xac",
                           "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
                           "\xf3\xbf\xbf\xbf", "\xf4\x8f\xbf\xbf", "a\xc3\xa9z\xf0\x9f\x98\x80"}) {
    EXPECT_TRUE(IsUtf8(text)) << absl::CHexEscape(text);
  }
  for (const char* text :
       {"\x80", "\xbf", "\xc1\xbf", "\xc2", "\xc2(", "\xc2\xc2", "\xe0\x9f\xbf", "\xe2\x82",
        "\xe2(\x82", "\xe2\x82(", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80",
        "\xf0\x90\x80(", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "ab\xe2\x82"}) {
    EXPECT_FALSE(IsUtf8(text)) << absl::CHexEscape(text);
  }
}

TEST(DictionarySize, IsThatOfTheDictionaryAtTheBeginning) {
  EXPECT_EQ(DictionarySize("{}"), 2u);
  EXPECT_EQ(DictionarySize("{{}}}"), 4u);
  EXPECT_EQ(DictionarySize("{\"}\"} {}"), 5u);
  EXPECT_EQ(DictionarySize("{\"\\\"}\"}"), 7u);
  for (const char* none : {"", "a", "}", " {}", "{", "{{}", "{\"}", "{\"\\\"}"}) {
    EXPECT_EQ(DictionarySize(none), 0u) << none;
  }
}

TEST(TextCursor, SkipsBlanksAndComments) {
  const auto word = [](absl::string_view text) {
    TextCursor cursor(text);
    return std::string(cursor.ReadWord());
  };
  EXPECT_EQ(word(" \t\r\nab"), "ab");
  EXPECT_EQ(word("/**/ab"), "ab");
  EXPECT_EQ(word("/* * / x */ab"), "ab");
  EXPECT_EQ(word("//x*/ y\nab"), "ab");
  EXPECT_EQ(word("// to the end"), "");
  EXPECT_EQ(word("/*/ab"), "");
  TextCursor comment("a //");
  comment.ReadWord();
  EXPECT_TRUE(comment.AtEnd());
}

TEST(TextCursor, ReadsIntegers) {
  const auto integer = [](absl::string_view text) {
    TextCursor cursor(text);
    const absl::StatusOr<int64_t> value = cursor.ReadInteger("a number");
    return value.ok() ? absl::StrCat(*value, "|", cursor.ReadUntil("")) : value.status().ToString();
  };
  EXPECT_EQ(integer(" -12,"), "-12|,");
  EXPECT_EQ(integer("9223372036854775807"), "9223372036854775807|");
  EXPECT_EQ(integer("-9223372036854775808x"), "-9223372036854775808|x");
  for (const char* none : {"", "-", "+1", "x", "9223372036854775808", "--1"}) {
    EXPECT_THAT(integer(none), HasSubstr("line 1, column 1: expected a number, found ")) << none;
  }
}

TEST(TextCursor, ShowsTheBeginningOfWhatItFound) {
  const auto expected = [](absl::string_view text) {
    TextCursor cursor(text);
    return std::string(cursor.Expected("x").message());
  };
  EXPECT_EQ(expected(" \n "), "line 2, column 2: expected x, found the end");
  EXPECT_EQ(expected("123456789012345678901234"),
            "line 1, column 1: expected x, found \"123456789012345678901234\"");
  EXPECT_EQ(expected("1234567890123456789012345"),
            "line 1, column 1: expected x, found \"123456789012345678901234...\"");
  EXPECT_EQ(expected("\n\n  \x01"), "line 3, column 3: expected x, found \"\\x01\"");
}

TEST(TextCursor, TellsWhereAShapeBegins) {
  for (const char* shape : {"(", "f32[", " f32[2]", "b("}) {
    TextCursor cursor(shape);
    EXPECT_TRUE(PeekShape(&cursor)) << shape;
  }
  for (const char* none : {"", "[", "f32", "f32 [", "f-2[", "c("}) {
    TextCursor cursor(none);
    EXPECT_FALSE(PeekShape(&cursor)) << none;
  }
}

std::string ReadAndWrite(const std::string& sharding) {
  TextCursor cursor(sharding);
  const absl::StatusOr<xla::OpSharding> read = ReadSharding(&cursor);
  if (!read.ok()) return read.status().ToString();
  return absl::StrCat(*ShardingText(*read), read->ShortDebugString());
}

TEST(Sharding, EveryKind) {
  const std::pair<const char*, const char*> cases[] = {
      {"{replicated}", ""},
      {"{manual}", "type: MANUAL"},
      {"{unknown}", "type: UNKNOWN"},
      {"{maximal device=3}",
       "type: MAXIMAL tile_assignment_dimensions: 1 tile_assignment_devices: 3"},
      {"{devices=[1]0}", "type: OTHER tile_assignment_dimensions: 1 tile_assignment_devices: 0"},
      {"{devices=[2,1]0,1 last_tile_dim_replicate}",
       "type: OTHER tile_assignment_dimensions: 2 tile_assignment_dimensions: 1 "
       "tile_assignment_devices: 0 tile_assignment_devices: 1 replicate_on_last_tile_dim: true"},
      {"{}", "type: TUPLE"},
      {"{{replicated}}", "type: TUPLE tuple_shardings { }"},
      {"{{manual}, {replicated}}",
       "type: TUPLE tuple_shardings { type: MANUAL } tuple_shardings { }"},
  };
  for (const auto& [text, fields] : cases)
    EXPECT_EQ(ReadAndWrite(text), absl::StrCat(text, fields));
}

TEST(Sharding, DevicesThatAreNotListedHaveNoText) {
  xla::OpSharding sharding;
  sharding.set_type(xla::OpSharding::OTHER);
  EXPECT_EQ(ShardingText(sharding).status().ToString(),
            "UNIMPLEMENTED: a sharding over several devices that does not say which; write the "
            "module as a proto");
  sharding.set_type(xla::OpSharding::MAXIMAL);
  EXPECT_FALSE(ShardingText(sharding).ok());
  sharding.add_tile_assignment_devices(1);
  EXPECT_TRUE(ShardingText(sharding).ok());
  sharding.add_tile_assignment_devices(2);
  EXPECT_FALSE(ShardingText(sharding).ok());
  xla::OpSharding tuple;
  tuple.set_type(xla::OpSharding::TUPLE);
  *tuple.add_tuple_shardings() = sharding;
  EXPECT_FALSE(ShardingText(tuple).ok());
}

// Of an input whose dimensions are `spatial` and the two others.
std::string Labels(int64_t batch, int64_t feature, const std::vector<int64_t>& spatial) {
  xla::ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(batch);
  numbers.set_input_feature_dimension(feature);
  for (int64_t dimension : spatial) numbers.add_input_spatial_dimensions(dimension);
  numbers.set_kernel_output_feature_dimension(1);
  numbers.set_output_feature_dimension(1);
  const absl::StatusOr<std::string> text = DimLabelsText(numbers);
  return text.ok() ? *text : std::string(text.status().message());
}

TEST(DimLabels, NumbersThatAreNoPermutationHaveNoText) {
  EXPECT_EQ(Labels(1, 0, {}), "fb_io->bf");
  EXPECT_EQ(Labels(2, 0, {3, 1}), "f1b0_io->bf");
  EXPECT_EQ(Labels(0, 11, {10, 1, 2, 3, 4, 5, 6, 7, 8, 9}), "b1234567890f_io->bf");
  const char* const refused =
      "expected dimension numbers from 0 to 63, once each, of which at most 10 are spatial";
  EXPECT_EQ(Labels(0, 1, {3}), "bf?0_io->bf");
  EXPECT_EQ(Labels(0, 1, {64}), refused);
  EXPECT_EQ(Labels(0, 1, {-1}), refused);
  EXPECT_EQ(Labels(0, 1, {1}), refused);
  EXPECT_EQ(Labels(0, 0, {1}), refused);
  EXPECT_EQ(Labels(3, 0, {1}), "f0?b_io->bf");
  EXPECT_EQ(Labels(0, -1, {1}), refused);
  EXPECT_THAT(Labels(0, 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), refused);
}

// Of a text; a scalar's layout, which is empty, is left out.
std::string FaultOf(const std::string& text) {
  return absl::StrReplaceAll(ParseHloText(text).status().ToString(), {{"[]{}", "[]"}});
}

// The whole text: each value in it has its place.
TEST(InstructionFaults, SayWhatWasExpectedAndWhatCame) {
  const std::string p = "  p = f32[2] parameter(0)\n  q = (f32[2],(s8[],token[])) parameter(1)\n";
  const std::string f =
      "f {\n  x = f32[2] parameter(0)\n  y = s8[] parameter(1)\n  ROOT z = pred[] custom-call(x, "
      "y)\n}\n";
  const std::string at = "INVALID_ARGUMENT: computation \"e\": instruction \"i\": ";
  const struct {
    std::string line, says;
  } cases[] = {
      {"i = pred[] call(p), to_apply=f",
       "expected 2 operands, as the called computation has parameters, got 1"},
      {"i = pred[] call(p, p), to_apply=f",
       "operand 1: expected shape s8[], as the called computation's parameter has it, got "
       "f32[2]{0}"},
      {"j = s8[] constant(1)\n  i = s8[] call(p, j), to_apply=f",
       "expected shape pred[], got s8[]"},
      {"i = pred[] call()", "expected one called computation, got 0"},
      {"i = f32[2] tuple(p)",
       "expected a tuple of 1 elements, as there are operands, got f32[2]{0}"},
      {"i = (f32[2],f32[2]) tuple(p)",
       "expected a tuple of 1 elements, as there are operands, got (f32[2]{0},f32[2]{0})"},
      {"i = token[] tuple()", "expected a tuple of 0 elements, as there are operands, got token[]"},
      {"i = (f32[2],s8[]) tuple(p, p)",
       "expected shape f32[2]{0} as element 1, as the operand has it, got (f32[2]{0},s8[])"},
      {"j = token[] after-all()\n  i = token[] after-all(j, p)",
       "expected tokens as operands, got f32[2]{0} as operand 1"},
      {"i = f32[2] add-dependency(p, p)", "expected a token as operand 1, got f32[2]{0}"},
      {"j = token[] after-all()\n  i = token[] add-dependency(p, j)",
       "expected shape f32[2]{0}, got token[]"},
      {"i = f32[2] copy()", "expected 1 operand, got 0"},
      {"i = f32[2] add(p)", "expected 2 operands, got 1"},
      {"i = f32[2] parameter(3)",
       "?INVALID_ARGUMENT: computation \"e\": parameter number 3: with 3 parameters, expected 0 to "
       "2, each once"},
      {"i = f32[2] parameter(-1)",
       "?INVALID_ARGUMENT: computation \"e\": parameter number -1: with 3 parameters, expected 0 "
       "to 2, each once"},
      {"i = f32[2] parameter(1)",
       "?INVALID_ARGUMENT: computation \"e\": parameter number 1 occurs twice: expected 0 to 2, "
       "each once"},
      {"i = f32[2] custom-call(p, p), operand_layout_constraints={f32[2]}",
       "expected 2 operand shapes with layout, as there are operands, got 1"},
      {"i = f32[2] custom-call(p, p), operand_layout_constraints={f32[2], s8[]}",
       "operand shape with layout 1: expected f32[2]{0}, as the operand has it, got s8[]"},
      {"i = f32[2] custom-call(q), output_to_operand_aliasing={{0,1}: (0, {})}",
       "alias of output {0,1}: expected a leaf of f32[2]{0}"},
      {"i = f32[2] custom-call(q), output_to_operand_aliasing={{}: (0, {1,2})}",
       "alias to operand 0 {1,2}: expected a leaf of (f32[2]{0},(s8[],token[]))"},
      {"i = f32[2] custom-call(q), output_to_operand_aliasing={{}: (1, {})}",
       "alias of output {} to operand 1: there are 1 operands"},
      {"i = ((s8[]),s8[]) custom-call(q), output_to_operand_aliasing={{0,0}: (0, {1,0}), {0,0}: "
       "(0, {0})}",
       "alias of output {0,0}: it is aliased twice"},
      {"i = ((s8[]),s8[]) custom-call(p, q), output_to_operand_aliasing={{0,0}: (1, {0})}",
       "alias of output {0,0}: expected the shape of operand 1's leaf, f32[2]{0}, got s8[]"},
      {"i = f32[] custom-call(p, q), output_to_operand_aliasing={{}: (1, {0})}",
       "alias of output {}: expected the shape of operand 1's leaf, f32[2]{0}, got f32[]"},
      {"i = s8[] add(q, p)",
       "Expected array argument for lhs of binary operation add, but got (f32[2],(s8[],token[]))."},
      {"i = s8[] add(p, q)",
       "Expected array argument for rhs of binary operation add, but got (f32[2],(s8[],token[]))."},
      {"j = s8[3] constant({1,2,3})\n  i = f32[2] add(p, j)",
       "Binary op add with different element types: f32[2] and s8[3]. Convert one of them first."},
      {"j = f32[3] constant({1,2,3})\n  i = f32[2] minimum(p, j)",
       "Binary op minimum with incompatible shapes: f32[2] and f32[3]."},
      {"j = pred[] constant(1)\n  i = pred[] subtract(j, j)",
       "Expected element type in shape to be arithmetic type for operation subtract; got PRED."},
      {"i = f32[2] negate(q)",
       "Expected array argument for operand of unary operation, but got (f32[2],(s8[],token[]))."},
      {"j = pred[] constant(1)\n  i = pred[] negate(j)",
       "Expected element type in shape to be integral, floating or complex for negate operation; "
       "got PRED."},
      {"j = u8[] constant(1)\n  i = u8[] abs(j)",
       "Expected element type in shape to be floating or complex for abs operation; got U8. "
       "(Signed integers will "
       "do as well.)"},
      {"i = s8[2] broadcast(p), dimensions={0}",
       "A broadcast keeps the element type, but leads from f32[2] to s8[2]. Convert it first."},
      {"i = f32[2] broadcast(p), dimensions={0,1}",
       "Size of broadcast_dimensions has to match operand's rank; operand rank: 1, size of "
       "broadcast_dimensions 2."},
      {"i = f32[4,2] broadcast(p), dimensions={2}",
       "Broadcast dimension 2 is out of bound: the result has 2 dimensions."},
      {"i = f32[4,3] broadcast(p), dimensions={1}",
       "Broadcast dimension 1 has size 3 in the result, but the operand's dimension 0 has 2; from "
       "f32[2] to f32[4,3]."},
      {"i = f32[2] broadcast(q), dimensions={0}",
       "Expected array argument for operand of broadcast, but got (f32[2],(s8[],token[]))."},
      {"i = f32[3] reshape(p)",
       "Reshape operation has mismatched element counts: from=2 (f32[2]) to=3 (f32[3])."},
      {"i = f32[3] reshape(q)",
       "Expected array argument for reshape, but got (f32[2],(s8[],token[]))."},
      {"i = f32[3] convert(q)",
       "Convert does not allow non-arrays, so cannot convert from (f32[2],(s8[],token[])) to F32."},
      {"j = c64[] constant((1,2))\n  i = f32[] convert(j)",
       "?UNIMPLEMENTED: computation \"e\": instruction \"i\": Converting c64[] to F32 takes its "
       "real part first, by an "
       "instruction that callbridge does not have: run this module on XLA."},
      {"i = f32[2] get-tuple-element(q), index=2",
       "GetTupleElement() index (2) out of range for tuple shape (f32[2],(s8[],token[]))"},
      {"i = f32[2] get-tuple-element(q), index=-1",
       "GetTupleElement() index (-1) out of range for tuple shape (f32[2],(s8[],token[]))"},
  };
  for (const auto& [line, says] : cases) {
    const std::string text =
        absl::StrCat("HloModule m\n", f, "ENTRY e {\n", p, "  ", line, "\n}\n");
    EXPECT_EQ(FaultOf(text), says[0] == '?' ? says.substr(1) : at + says) << line;
  }
}

TEST(ModuleFaults, AliasesOfTheWholeModule) {
  const auto aliased = [](const std::string& alias) {
    return FaultOf(absl::StrCat(
        "HloModule m, input_output_alias={ ", alias,
        " }\nENTRY e {\n  p = (f32[2],s8[]) parameter(0)\n  q = f32[2,1] parameter(1)\n"
        "  ROOT r = (f32[2],(s8[],f32[])) custom-call()\n}\n"));
  };
  const std::string at = "INVALID_ARGUMENT: input/output alias of output ";
  EXPECT_EQ(aliased("{0}: (0, {0}), {1,0}: (0, {1})"), "OK");
  EXPECT_EQ(aliased("{1,2}: (0, {0})"), at + "{1,2}: expected a leaf of (f32[2]{0},(s8[],f32[]))");
  EXPECT_EQ(aliased("{1}: (0, {0})"), at + "{1}: expected a leaf of (f32[2]{0},(s8[],f32[]))");
  EXPECT_EQ(aliased("{1,0}: (0, {1}), {1,0}: (0, {1})"), at + "{1,0}: it is aliased twice");
  EXPECT_EQ(aliased("{0}: (2, {})"), at + "{0} to parameter 2: there are 2 parameters");
  EXPECT_EQ(aliased("{0}: (-1, {})"), at + "{0} to parameter -1: there are 2 parameters");
  EXPECT_EQ(aliased("{0}: (0, {0,1})"),
            at + "{0} to parameter 0 {0,1}: expected a leaf of (f32[2]{0},s8[])");
  EXPECT_EQ(aliased("{0}: (1, {})"),
            at + "{0}: expected the shape of parameter 1's leaf, f32[2,1]{1,0}, got f32[2]{0}");
  EXPECT_EQ(aliased("{1,1}: (0, {1})"),
            at + "{1,1}: expected the shape of parameter 0's leaf, s8[], got f32[]");
}

TEST(ModuleFaults, SchedulesThatNoTextCanHave) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(
      "HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[] parameter(0)\n  c = f32[] abs(p), "
      "control-predecessors={p}\n}\n");
  ASSERT_TRUE(module.ok());
  module->mutable_computations(0)->set_name("e\n");
  auto& ids = *(*module->mutable_schedule()->mutable_sequences())[1].mutable_instruction_ids();
  const auto printed = [&](std::initializer_list<int64_t> order) {
    ids.Assign(order.begin(), order.end());
    return PrintHloText(*module).status().ToString();
  };
  const std::string at = "INVALID_ARGUMENT: schedule of computation \"e\\n\": ";
  EXPECT_EQ(printed({1, 2}), "OK");
  EXPECT_EQ(printed({2, 1}), at + "expected instruction 1 before 2, which needs it, got it after");
  EXPECT_EQ(printed({1}), at + "expected its 2 instructions, got 1");
  EXPECT_EQ(printed({1, 1}), at + "expected its 2 instructions, got 1");
  EXPECT_EQ(printed({1, 2, 3}), at + "instruction 3 is not in it");
}

}  // namespace
}  // namespace callbridge::hlo
