// Every attribute that HLO text has, as XLA prints it, and every mistake in one.
// tests/genuine/hlo_oracle.py shows that XLA reads these forms.
#include <gmock/gmock.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"

namespace callbridge::hlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// All that a header, computations and instructions may say, in the printer's own form.
constexpr char kEverything[] =
    R"(HloModule m, is_scheduled=true, )"
    R"(input_output_alias={ {0}: (0, {1}, may-alias), {1}: (1, {}, must-alias) }, )"
    R"(entry_computation_layout={((s32[], f32[2]{0}), f32[2]{0})->(f32[2]{0}, f32[2]{0})}

%f (x: f32[2,3]) -> f32[2,3] {
  ROOT %x = f32[2,3]{0,1} parameter(0)
}, execution_thread="other"

%g (y: f32[2], x: f32[]) -> (f32[2], token[]) {
  %x = f32[] parameter(1)
  %y = f32[2]{0} parameter(0)
  %b = f32[2]{0} broadcast(%x), dimensions={}
  %t = token[] after-all()
  ROOT %r = (f32[2]{0}, token[]) tuple(%b, %t)
}

ENTRY %e (p: (s32[], f32[2]), q: f32[2]) -> (f32[2], f32[2]) {
  %q = f32[2]{0} parameter(1)
  %p = (s32[], f32[2]{0}) parameter(0)
  %one = f32[2]{0} get-tuple-element(%p), index=1, sharding={replicated}
  %m = f32[2,3]{0,1} broadcast(%one), dimensions={0}
  %h = f32[2,3]{0,1} call(%m), to_apply=%f
  %c = (f32[2]{0}, f32[2]{0}) custom-call(%q, %one), )"
    R"(window={size=3x4 stride=1x5 pad=1_2x0_0 lhs_dilate=6x1 rhs_dilate=1x7 rhs_reversal=0x1}, )"
    R"(dim_labels=b01f_io01->bf01, feature_group_count=2, batch_group_count=3, )"
    R"(padding_type=PADDING_SAME, operand_precision={high,default}, )"
    R"(custom_call_target="t\"\001", operand_layout_constraints={f32[2]{0}, f32[2]{0}}, )"
    R"(custom_call_has_side_effect=true, literal=(f32[] 5, pred[2]{0} {1, 0}), )"
    R"(output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {})}, schedule=SCHEDULE_EARLIEST, )"
    R"(api_version=API_VERSION_STATUS_RETURNING, called_computations={%f, %g}, )"
    R"(sharding={{maximal device=4}, {devices=[2,1]5,6 last_tile_dim_replicate}}, )"
    R"(control-predecessors={%h, %m}, frontend_attributes={a="1",b="\""}, )"
    R"(metadata={op_type="T" op_name="n" source_file="x.py" source_line=7}, backend_config="\377"
  %d = f32[2]{0} get-tuple-element(%c), index=0, metadata={source_line=8}
  ROOT %r = (f32[2]{0}, f32[2]{0}) tuple(%d, %q), backend_config={"a": {"b": "}"}}
}
)";

std::string RoundTrip(const std::string& text) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(text);
  if (!module.ok()) return module.status().ToString();
  absl::StatusOr<std::string> printed = PrintHloText(*module);
  return printed.ok() ? *printed : printed.status().ToString();
}

TEST(HloTextAttributes, AllComeBackAsTheyWereWritten) {
  EXPECT_EQ(RoundTrip(kEverything), kEverything);
}

// The end of the token of `text` that begins at `begin`.
size_t TokenEnd(const std::string& text, size_t begin) {
  const auto is_word = [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
  };
  size_t end = begin + 1;
  if (text[begin] == '"') {
    while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  if (absl::StartsWith(text.substr(begin), "->")) return begin + 2;
  while (is_word(text[begin]) && is_word(text[end]) && text.substr(end, 2) != "->") ++end;
  return end;
}

// Maps in one order, as SerializeAsString() does not have them.
std::string Bytes(const xla::HloModuleProto& module) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream output(&stream);
    output.SetSerializationDeterministic(true);
    module.SerializeToCodedStream(&output);
  }
  return bytes;
}

TEST(HloTextAttributes, NoTokenMayBeLeftOutWithoutAnErrorOrAnotherMeaning) {
  const std::string text = kEverything;
  const std::string whole = Bytes(*ParseHloText(text));
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    end = TokenEnd(text, begin);
    const std::string token = text.substr(begin, end - begin);
    // The last instruction is the root anyway, and the last computation the entry; the shapes of
    // parameters are the instructions' to say.
    if (token == "%" || token == "ROOT" || token == "ENTRY") continue;
    if (absl::ascii_isspace(token[0])) continue;
    if (begin > 0 && text[begin - 1] == '[') continue;
    // XLA takes signatures without it.
    if (token == ":" && absl::ascii_isalpha(text[begin - 1])) continue;
    // In the place of the token stands a blank, so that its neighbours stay two.
    const absl::StatusOr<xla::HloModuleProto> module =
        ParseHloText(text.substr(0, begin) + " " + text.substr(end));
    const std::string where = text.substr(0, begin) + "<" + token + ">";
    if (module.ok()) {
      EXPECT_NE(Bytes(*module), whole) << where;
    }
    // A dictionary's own colons are nobody's.
    if (absl::StrContains("(){}=:->", token) && begin < text.find("backend_config={")) {
      EXPECT_FALSE(module.ok()) << where;
    }
  }
}

TEST(HloTextAttributes, NoTextMayEndEarly) {
  const std::string text = kEverything;
  for (size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_FALSE(ParseHloText(text.substr(0, size)).ok()) << text.substr(0, size);
  }
}

std::string WithAttribute(const std::string& attribute) {
  return absl::StrCat(
      "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT a = f32[2] custom-call(p), ",
      attribute, "\n}\n");
}

TEST(HloTextAttributes, ValuesThatAreUsualAreNotPrinted) {
  const std::string usual = RoundTrip(WithAttribute("custom_call_target=\"t\""));
  EXPECT_THAT(usual, HasSubstr("custom-call(%p), custom_call_target=\"t\"\n}"));
  for (const char* attribute :
       {"feature_group_count=1", "batch_group_count=1", "padding_type=PADDING_INVALID",
        "schedule=SCHEDULE_NONE", "custom_call_has_side_effect=false",
        "api_version=API_VERSION_ORIGINAL", "operand_precision={}", "metadata={}",
        "frontend_attributes={}", "backend_config=\"\"", "control-predecessors={}",
        "called_computations={}", "output_to_operand_aliasing={}"}) {
    EXPECT_EQ(RoundTrip(WithAttribute(absl::StrCat("custom_call_target=\"t\", ", attribute))),
              usual)
        << attribute;
  }
}

TEST(HloTextAttributes, MetadataThatHasNoFieldKeepsItsText) {
  EXPECT_THAT(RoundTrip(WithAttribute("metadata={op_name=\"n\" frames={a=\"}\"} name=\"q\" id=3 "
                                      "source_line=7 size_of_code=4}")),
              HasSubstr("metadata={op_name=\"n\" frames={a=\"}\"} name=\"q\" id=3 "
                        "source_line=7 size_of_code=4}"));
}

TEST(HloTextAttributes, MistakesSayWhatWasExpected) {
  const struct {
    std::string attribute, problem;
  } cases[] = {
      {"=1", "line 4, column 35: expected an attribute, found \"=1"},
      {"index 1", "expected \"=\", found \"1"},
      {"control-predecessors={?}", "expected the name of an instruction, found \"?"},
      {"control-predecessors={z}", "column 57: expected an instruction from further up, found z"},
      {"called_computations={?}", "expected the name of a computation, found \"?"},
      {"to_apply=z", "expected a computation from further up, found z"},
      {"custom_call_has_side_effect=1", "expected true or false, found \"1"},
      {"schedule=NOW", "expected SCHEDULE_NONE, SCHEDULE_LATEST or SCHEDULE_EARLIEST, found \"NOW"},
      {"api_version=4",
       "expected API_VERSION_ORIGINAL, API_VERSION_STATUS_RETURNING, "
       "API_VERSION_STATUS_RETURNING_UNIFIED or API_VERSION_TYPED_FFI, found \"4"},
      {"padding_type=SAME", "expected PADDING_VALID or PADDING_SAME, found \"SAME"},
      {"operand_precision={low}", "expected default, high or highest, found \"low}"},
      {"output_to_operand_aliasing={{x}: (0, {})}", "expected an index, found \"x}"},
      {"output_to_operand_aliasing={{} (0, {})}", "expected \":\", found \"(0"},
      {"output_to_operand_aliasing={{}: 0, {})}", "expected \"(\", found \"0"},
      {"output_to_operand_aliasing={{}: (x, {})}", "expected the number of an operand, found \"x"},
      {"output_to_operand_aliasing={{}: (0 {})}", "expected \",\", found \"{})}"},
      {"output_to_operand_aliasing={{}: (0, x)}", "expected \"{\", found \"x)}"},
      {"output_to_operand_aliasing={{}: (0, {}}", "expected \")\", found \"}"},
      {"feature_group_count=x", "expected a number of groups, found \"x"},
      {"batch_group_count=x", "expected a number of groups, found \"x"},
      {"literal=x", "expected a shape, such as f32[8,4]{1,0} or (f32[], token[]), found \"x"},
      {"operand_layout_constraints={x}", "expected a shape, such as"},
      {"backend_config=x", "expected the backend config in quotes, found \"x"},
      {"backend_config={{\"}\"", "the braces of the backend config are never closed"},
      {"backend_config=\"", "the quotes of the backend config are never closed"},
      {"backend_config=\"\\q\"", "the backend config: Unknown escape sequence: \\q"},
      {"custom_call_target=\"\377\"", "column 54: expected the target to be UTF-8"},
      {"frontend_attributes={=\"b\"}", "expected the name of a frontend attribute, found \"="},
      {"frontend_attributes={a:1}", "expected \"=\", found \":1}"},
      {"frontend_attributes={a=b}", "expected a frontend attribute in quotes, found \"b}"},
      {"frontend_attributes={a=\"\377\"}", "column 58: expected a frontend attribute to be UTF-8"},
      {"metadata={x \"y\"}", "expected \"=\", found \"\\\"y"},
      {"metadata={x={{\"}\"", "the braces of a value of \"metadata\" are never closed"},
      {"metadata={x=\"}", "the quotes of a value of \"metadata\" are never closed"},
      {"metadata={source_line=x}", "expected a line, found \"x}"},
      {"metadata={source_file=x}", "expected source_file in quotes, found \"x}"},
      {"sharding={{replicated} x", "expected \"}\", found \"x"},
      {"sharding={replicated x", "expected \"}\", found \"x"},
      {"sharding={maximal 4}", "expected \"device\", found \"4}"},
      {"sharding={maximal device 4}", "expected \"=\", found \"4}"},
      {"sharding={maximal device=x}", "expected the number of a device, found \"x}"},
      {"sharding={devices[1]0}", "expected \"=\", found \"[1]0}"},
      {"sharding={devices=1}", "expected \"[\", found \"1}"},
      {"sharding={devices=[x]0}", "expected a number of devices, found \"x]0}"},
      {"sharding={devices=[1 0}", "expected \"]\", found \"0}"},
      {"sharding={devices=[1]}", "expected the number of a device, found \"}"},
      {"sharding={devices=[2]<=[x]}", "expected a number of devices, found \"x]}"},
      {"sharding={devices=[2]<=[2]T(x)}", "expected the number of a dimension, found \"x)}"},
      {"sharding={devices=[2]<=[2] last_tile_dims={x}}", "expected manual, maximal, replicated"},
      {"sharding={replicated shard_as x}", "expected the number of a group, found \"x}"},
      {"sharding={{replicated}, manual}", "expected \"{\", found \"manual}"},
      {"window={size=1x1 pad=1x1}", "expected LOW_HIGH with \"x\" between them for pad"},
      {"window={size=1x1 pad=1_yx1_1}", "expected LOW_HIGH"},
      {"window={size=1 pad=x_1}", "expected pad of 1 dimensions, as size has, got 2"},
      {"window={size=1 stride=1x1}",
       "column 50: expected stride of 1 dimensions, as size has, got 2"},
      {"window={size=1 stride=?}", "expected whole numbers with \"x\" between them for stride"},
      {"window={size=?}", "expected whole numbers with \"x\" between them for size"},
      {"window={size=1 size=1}",
       "expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal"},
      {"window={size 1}", "expected \"=\", found \"1}"},
      {"dim_labels=b_i->b", "expected dimension labels, such as b01f_01io->b01f"},
      {"dim_labels=b0f_0io->b0", "expected dimension labels"},
      {"dim_labels=b0f_0io->b0ff", "expected dimension labels"},
      {"dim_labels=b0f_0io->b1f", "expected dimension labels"},
      {"dim_labels=b0f_0io->b00f", "expected dimension labels"},
      {"dim_labels=b0f_0iq->b0f", "expected dimension labels"},
      {"dim_labels=b:f_0io->b0f", "expected dimension labels"},
      {"dim_labels=b0f-0io->b0f", "expected dimension labels"},
      {"dim_labels=b0f_0io_b0f", "expected dimension labels"},
  };
  for (const auto& [attribute, problem] : cases) {
    EXPECT_THAT(RoundTrip(WithAttribute(attribute)),
                AllOf(HasSubstr(problem), Not(StartsWith("HloModule"))))
        << attribute;
  }
}

TEST(HloTextAttributes, MistakesInHeadersAndSignatures) {
  const struct {
    std::string text, problem;
  } cases[] = {
      {"HloModule m\n?", "line 2, column 1: expected a computation, found \"?\""},
      {"HloModule m\nf ?", "expected \"{\", found \"?\""},
      {"HloModule m\nf (: f32[]) -> f32[] {", "expected a parameter's name, found \":"},
      {"HloModule m\nf (x ) -> f32[] {", "expected \":\", found \")"},
      {"HloModule m\nf (x: ) -> f32[] {", "expected a shape"},
      {"HloModule m\nf (x: f32[] -> f32[] {", "expected \")\", found \"->"},
      {"HloModule m\nf (x: f32[]) f32[] {", "expected \"->\", found \"f32"},
      {"HloModule m\nf (x: f32[]) -> {", "column 17: expected a shape"},
      {"HloModule m\nf { x = f32[] abs(,) }", "expected the name of an operand, found \",)"},
      {"HloModule m\nf { x = f32[] constant() }", "expected a number that fits f32"},
      {"HloModule m\nf { x = f32[] 1 }", "line 2, column 17: expected \"(\", found \"}"},
      {"HloModule m\nf { x = f32[] parameter(0) }, thread=\"a\"", ", thread=\"a\"\n"},
      {"HloModule m\nf { x = f32[] parameter(0) }, execution_thread \"a\"",
       "expected \"=\", found \"\\\"a"},
      {"HloModule m\nf { x = f32[] parameter(0) }, execution_thread=a",
       "expected the thread's name in quotes"},
      {"HloModule m, is_scheduled true", "expected \"=\", found \"true"},
      {"HloModule m, buffer_donor=1", "expected \"{\", found \"1"},
      {"HloModule m, buffer_donor={", "expected \"(\", found the end"},
      {"HloModule m, buffer_donor={(0, {}", "expected \")\", found the end"},
      {"HloModule m, input_output_alias={ {x}: (0, {}) }", "expected an index, found \"x}"},
      {"HloModule m, input_output_alias={ {} (0, {}) }", "expected \":\", found \"(0"},
      {"HloModule m, input_output_alias={ {}: 0, {}) }", "expected \"(\", found \"0"},
      {"HloModule m, input_output_alias={ {}: (x, {}) }",
       "expected the number of a parameter, found \"x"},
      {"HloModule m, input_output_alias={ {}: (0 {}) }", "expected \",\", found \"{})"},
      {"HloModule m, input_output_alias={ {}: (0, x) }", "expected \"{\", found \"x)"},
      {"HloModule m, input_output_alias={ {}: (0, {}, x) }",
       "expected may-alias or must-alias, found \"x)"},
      {"HloModule m, input_output_alias={ {}: (0, {}, may-alias }", "expected \")\", found \"}"},
      {"HloModule m, entry_computation_layout=()->f32[]}", "expected \"{\", found \"()"},
      {"HloModule m, entry_computation_layout={f32[])->f32[]}", "expected \"(\", found \"f32"},
      {"HloModule m, entry_computation_layout={(x)->f32[]}", "expected a shape"},
      {"HloModule m, entry_computation_layout={(f32[]->f32[]}", "expected \")\", found \"->"},
      {"HloModule m, entry_computation_layout={() f32[]}", "expected \"->\", found \"f32"},
      {"HloModule m, entry_computation_layout={()->}", "expected a shape"},
      {"HloModule m, entry_computation_layout={()->f32[]", "expected \"}\", found the end"},
      {"HloModule m\nFileNames\n1 x", "expected FileNames in quotes, found \"x"},
      {"HloModule m\nStackFrames\n1 {", "expected \"=\", found the end"},
      {"HloModule m\nStackFrames\n1 {x=1}", "a source line has no field \"x\""},
      {"HloModule m\nFileLocations\n1 {line=x}", "expected a number, found \"x}"},
  };
  for (const auto& [text, problem] : cases)
    EXPECT_THAT(RoundTrip(text), HasSubstr(problem)) << text;
}

TEST(HloTextAttributes, WhatIsUsualInHeadersIsNotPrinted) {
  const std::string entry = "ENTRY e { ROOT p = f32[] parameter(0) }\n";
  const std::string plain = RoundTrip("HloModule m\n" + entry);
  EXPECT_THAT(plain, StartsWith("HloModule m, entry_computation_layout={(f32[])->f32[]}\n"));
  for (const char* skipped : {", is_scheduled=false", ", input_output_alias={}",
                              ", buffer_donor={}", ", frontend_attributes={}"}) {
    EXPECT_EQ(RoundTrip(absl::StrCat("HloModule m", skipped, "\n", entry)), plain) << skipped;
  }
  for (const char* kept :
       {", replica_count=2", ", num_partitions=1", ", buffer_donor={ (0, {1}), (1, {}) }",
        ", alias_passthrough_params=true", ", allow_spmd_sharding_propagation_to_parameters={true}",
        ", allow_spmd_sharding_propagation_to_output={true}", ", frontend_attributes={a=\"}\"}",
        ", wings={2, \"}\"}"}) {
    EXPECT_THAT(RoundTrip(absl::StrCat("HloModule m", kept, "\n", entry)), HasSubstr(kept));
  }
  // Without a kind, an alias may be one.
  EXPECT_THAT(RoundTrip("HloModule m, input_output_alias={ {}: (0, {}) }\n" + entry),
              HasSubstr("input_output_alias={ {}: (0, {}, may-alias) }"));
}

TEST(HloTextAttributes, ADeclaredShapeMustBeThatOfWhatIsDeclared) {
  const auto operand = [](const std::string& shape) {
    return RoundTrip(absl::StrCat(
        "HloModule m\nENTRY e (p: (f32[2,3],(s8[]))) -> (f32[2,3],(s8[])) {\n"
        "  p = (f32[2,3]{0,1},(s8[])) parameter(0)\n  ROOT c = (f32[2,3]{0,1},(s8[])) copy(",
        shape, " p)\n}\n"));
  };
  EXPECT_THAT(operand("(f32[2,3],(s8[]))"), StartsWith("HloModule"));  // layouts aside
  EXPECT_THAT(operand("(f32[2,3],(u8[]))"),
              HasSubstr("found it declared to be (f32[2,3], (u8[]))"));
  EXPECT_THAT(operand("(f32[2,3],(s8[1]))"),
              HasSubstr("found it declared to be (f32[2,3], (s8[1]))"));
  EXPECT_THAT(operand("(f32[2,3],())"), HasSubstr("found it declared to be (f32[2,3], ())"));
  EXPECT_THAT(operand("(f32[2,3],(s8[],s8[]))"), HasSubstr("found it declared to be"));
  EXPECT_THAT(operand("(f32[3,2],(s8[]))"), HasSubstr("found it declared to be"));
}

}  // namespace
}  // namespace callbridge::hlo
