#include "callbridge/mindspore_aot/operator_info_json.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/mindspore_aot/operator_infos.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Form = OperatorInfo::Form;
using Presence = OperatorInfo::Presence;

// As CustomRegOp("add").input(0, "x").output(0, "y").dtype_format(...).target("CPU").get_op_info()
// is written by json.dumps(), with these entries and attributes.
std::string Text(const std::string& combinations, const std::string& attributes = "") {
  return absl::StrCat(
      R"({"op_name": "add", "inputs": [{"index": 0, "name": "x", "paramType": "required"}], )"
      R"("outputs": [{"index": 0, "name": "y", "paramType": "required"}], "attr": [)",
      attributes, R"(], "fusion_type": "", "dtype_format": )", combinations,
      R"(, "target": "CPU"})");
}
constexpr char kFloats[] = R"([[["float32", "DefaultFormat"], ["float32", "DefaultFormat"]]])";

std::string Changed(const char* from, const std::string& to) {
  const std::string text = Text(kFloats);
  EXPECT_THAT(text, HasSubstr(from));
  return absl::StrReplaceAll(text, {{from, to}});
}

TEST(OperatorInfoJsonTest, WhatCustomRegOpWrites) {
  const OperatorInfo info = Parsed(Text(kFloats));
  EXPECT_EQ(info.name, "add");
  EXPECT_EQ(info.device, "CPU");
  EXPECT_THAT(info.platforms, ElementsAre(Platform::kHost));
  ASSERT_EQ(info.operands.size(), 1U);
  EXPECT_EQ(info.operands[0].name, "x");
  EXPECT_EQ(info.operands[0].presence, Presence::kRequired);
  ASSERT_EQ(info.results.size(), 1U);
  EXPECT_EQ(info.results[0].name, "y");
  ASSERT_EQ(info.combinations.size(), 1U);
  ASSERT_EQ(info.combinations[0].size(), 2U);
  EXPECT_EQ(info.combinations[0][0].type, PrimitiveType::kF32);
  EXPECT_TRUE(info.attributes.empty());
}

TEST(OperatorInfoJsonTest, MembersThatMayBeMissingOrUnknown) {
  EXPECT_EQ(Parsed(Changed(R"("op_name": "add", )", "")).name, "");
  EXPECT_EQ(Parsed(Changed(R"("attr": [], )", "")).attributes.size(), 0U);
  EXPECT_EQ(Parsed(Changed(R"("name": "x", )", "")).operands[0].name, "");
  EXPECT_EQ(Parsed(Changed(R"("index": 0, )", "")).operands[0].name, "x");
  EXPECT_EQ(Parsed(Changed(R"(, "paramType": "required")", "")).operands[0].presence,
            Presence::kRequired);
  EXPECT_EQ(Parsed(Changed(R"("fusion_type": "")", R"("imply_type": "CPU", "x": [{}])")).name,
            "add");
}

TEST(OperatorInfoJsonTest, Presences) {
  const OperatorInfo info = Parsed(
      R"({"inputs": [{"paramType": "dynamic"}, {}, {"paramType": "optional"}], "outputs": [],
          "dtype_format": [[["", ""], ["", ""], ["", ""]]], "target": "GPU"})");
  EXPECT_EQ(info.operands[0].presence, Presence::kDynamic);
  EXPECT_EQ(info.operands[1].presence, Presence::kRequired);
  EXPECT_EQ(info.operands[2].presence, Presence::kOptional);
  EXPECT_THAT(info.platforms, ElementsAre(Platform::kCuda, Platform::kRocm));
  EXPECT_TRUE(Parsed(Changed("\"CPU\"", "\"Ascend\"")).platforms.empty());
}

// ---- Types and formats --------------------------------------------------------------------------

Form FormOf(const std::string& type, const std::string& format, const std::string& object = "") {
  return Parsed(
             Text(absl::StrCat("[[[\"", type, "\", \"", format, "\"", object, "], [\"\", \"\"]]]")))
      .combinations[0][0];
}

// The names of mindspore.ops.DataType in MindSpore 2.10.0: all of them
// (test_genuine_operator_info.py compares).
TEST(OperatorInfoJsonTest, EveryTypeOfMindSpore) {
  EXPECT_EQ(FormOf("", "").type, PrimitiveType::kInvalid);
  EXPECT_EQ(FormOf("bool", "").type, PrimitiveType::kPred);
  EXPECT_EQ(FormOf("int8", "").type, PrimitiveType::kS8);
  EXPECT_EQ(FormOf("int16", "").type, PrimitiveType::kS16);
  EXPECT_EQ(FormOf("int32", "").type, PrimitiveType::kS32);
  EXPECT_EQ(FormOf("int64", "").type, PrimitiveType::kS64);
  EXPECT_EQ(FormOf("uint8", "").type, PrimitiveType::kU8);
  EXPECT_EQ(FormOf("uint16", "").type, PrimitiveType::kU16);
  EXPECT_EQ(FormOf("uint32", "").type, PrimitiveType::kU32);
  EXPECT_EQ(FormOf("uint64", "").type, PrimitiveType::kU64);
  EXPECT_EQ(FormOf("float16", "").type, PrimitiveType::kF16);
  EXPECT_EQ(FormOf("float32", "").type, PrimitiveType::kF32);
  EXPECT_EQ(FormOf("float64", "").type, PrimitiveType::kF64);
  EXPECT_EQ(FormOf("bfloat16", "").type, PrimitiveType::kBf16);
  EXPECT_EQ(FormOf("complex64", "").type, PrimitiveType::kC64);
  EXPECT_EQ(FormOf("complex128", "").type, PrimitiveType::kC128);
}

TEST(OperatorInfoJsonTest, EveryElementTypeOfXla) {
  for (int number = 0; number < 40; ++number) {
    const auto type = static_cast<PrimitiveType>(number);
    if (!IsPrimitiveType(number)) continue;
    const std::string name(PrimitiveTypeName(type));
    if (IsArrayElement(type)) {
      EXPECT_EQ(FormOf(name, "").type, type);
    } else {
      EXPECT_THAT(RefusedText(Text("[[[\"" + name + "\", \"\"], [\"\", \"\"]]]")),
                  StartsWith("dtype_format[0][0] has the type \"" + name + "\": expected"));
    }
  }
}

struct FormatCase {
  const char* name;
  size_t min_rank;
  size_t max_rank;
};

TEST(OperatorInfoJsonTest, EveryFormatThatDenseArraysHave) {
  EXPECT_FALSE(FormOf("float32", "").is_row_major);
  EXPECT_EQ(FormOf("float32", "").max_rank, Form::kAnyRank);
  for (const FormatCase& format : std::vector<FormatCase>{{"DefaultFormat", 0, Form::kAnyRank},
                                                          {"ChannelLast", 1, Form::kAnyRank},
                                                          {"NCHW", 4, 4},
                                                          {"NHWC", 4, 4},
                                                          {"HWCN", 4, 4},
                                                          {"NCDHW", 5, 5},
                                                          {"NDHWC", 5, 5},
                                                          {"DHWCN", 5, 5},
                                                          {"NC1HWC0", 5, 5},
                                                          {"NDC1HWC0", 6, 6},
                                                          {"C1HWNCoC0", 6, 6}}) {
    const Form form = FormOf("float32", format.name);
    EXPECT_EQ(form.format, format.name);
    EXPECT_TRUE(form.is_row_major) << format.name;
    EXPECT_EQ(form.min_rank, format.min_rank) << format.name;
    EXPECT_EQ(form.max_rank, format.max_rank) << format.name;
    EXPECT_FALSE(form.is_tuple);
  }
}

TEST(OperatorInfoJsonTest, FormatsOfBlocksAreRefused) {
  for (const char* format : {"FRACTAL_Z", "FRACTAL_NZ", "FRACTAL_Z_3D", "FRACTAL_ZN_LSTM",
                             "FRACTAL_ZN_RNN", "ND_RNN_BIAS"}) {
    EXPECT_EQ(RefusedText(Text(absl::StrCat("[[[\"\", \"\"], [\"float16\", \"", format, "\"]]]"))),
              absl::StrCat("dtype_format[0][1] has the format ", format,
                           ", which is of padded blocks in the memory of Ascend devices; arrays of "
                           "XLA's are dense: declare DefaultFormat"));
  }
  for (const char* format : {"nchw", "NCWH", "Default", "NCHW "}) {
    EXPECT_THAT(
        RefusedText(Text(absl::StrCat("[[[\"\", \"", format, "\"], [\"\", \"\"]]]"))),
        StartsWith(absl::StrCat("dtype_format[0][0] has the format \"", format, "\": expected")));
  }
}

TEST(OperatorInfoJsonTest, Tuples) {
  EXPECT_TRUE(FormOf("int8", "DefaultFormat", ", \"tuple\"").is_tuple);
  EXPECT_TRUE(FormOf("int8", "DefaultFormat", ", \"list\"").is_tuple);
  EXPECT_FALSE(FormOf("int8", "DefaultFormat", ", \"tensor\"").is_tuple);
  EXPECT_FALSE(FormOf("int8", "DefaultFormat", ", \"\"").is_tuple);
  EXPECT_EQ(RefusedText(Text(R"([[["", "", "scalar"], ["", ""]]])")),
            "dtype_format[0][0] is of \"scalar\": expected tensor, tuple or list");
}

// ---- What is no operator information ------------------------------------------------------------

TEST(OperatorInfoJsonTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(
      RefusedText(""),
      "JSON: parse error at line 1, column 1: syntax error while parsing value - unexpected end of "
      "input; expected '[', '{', or a literal");
  EXPECT_EQ(RefusedText("[]"), "the whole text is a list of 0: expected an object");
  EXPECT_EQ(RefusedText(Changed("\"CPU\"", "\"cpu\"")),
            "target is \"cpu\": expected CPU, GPU or Ascend, as .target(\"CPU\") declares it");
  EXPECT_THAT(RefusedText(Changed("\"CPU\"", "\"UnKnown\"")), StartsWith("target is \"UnKnown\""));
  EXPECT_THAT(RefusedText(Changed("\"CPU\"", "null")), StartsWith("target is \"\""));
  EXPECT_EQ(RefusedText(Changed("\"CPU\"", "3")), "target is 3: expected a string");
  EXPECT_EQ(RefusedText(Changed("\"add\"", "[]")), "op_name is a list of 0: expected a string");
  EXPECT_EQ(RefusedText(Changed("\"add\"", R"("a\u0000")")), "op_name has a NUL");
  EXPECT_EQ(RefusedText(Changed("\"inputs\"", "\"input\"")), "inputs is missing: expected a list");
  EXPECT_EQ(RefusedText(Changed("\"outputs\"", "\"output\"")),
            "outputs is missing: expected a list");
  EXPECT_EQ(RefusedText(Changed("\"dtype_format\"", "\"dtype\"")),
            "dtype_format is missing: expected a list");
  EXPECT_EQ(RefusedText(Text("{}")), "dtype_format is an object: expected a list");
  EXPECT_EQ(RefusedText(Text("[]")), "dtype_format is empty: expected at least one combination");
  EXPECT_EQ(RefusedText(Text("[3]")), "dtype_format[0] is 3: expected a list");
  EXPECT_EQ(
      RefusedText(Text(R"([["float32"]])")),
      "dtype_format[0][0] is \"float32\": expected a list of a type, a format and maybe tuple or "
      "list");
  EXPECT_THAT(RefusedText(Text(R"([[["float32"]]])")),
              StartsWith("dtype_format[0][0] is a list of 1: expected"));
  EXPECT_EQ(RefusedText(Text(R"([[["float32", 3]]])")),
            "dtype_format[0][0][1] is 3: expected a string");
  EXPECT_EQ(
      RefusedText(Text(R"([[["float32", ""]]])")),
      "combination 1 has 1 entries: expected 2, one for each of the 1 operands and 1 results");
  EXPECT_THAT(RefusedText(Text(R"([[["float33", ""], ["", ""]]])")),
              StartsWith("dtype_format[0][0] has the type \"float33\": expected"));
  EXPECT_EQ(
      RefusedText(Changed("{\"index\": 0, \"name\": \"x\", \"paramType\": \"required\"}", "3")),
      "inputs[0] is 3: expected an object");
  EXPECT_EQ(RefusedText(Changed("\"x\"", "3")), "inputs[0].name is 3: expected a string");
  EXPECT_EQ(RefusedText(Changed("\"required\"", "\"needed\"")),
            "inputs[0].paramType is \"needed\": expected required, dynamic or optional");
  EXPECT_EQ(RefusedText(Changed("\"attr\": []", "\"attr\": {}")),
            "attr is an object: expected a list");
  EXPECT_EQ(RefusedText(Text(kFloats, "3")), "attr[0] is 3: expected an object");
  EXPECT_EQ(RefusedText(Text(kFloats, "{}")), "attr[0].name is missing or empty");
  EXPECT_EQ(RefusedText(Text(kFloats, R"({"name": "a", "paramType": "maybe"})")),
            "attr[0].paramType is \"maybe\": expected required or optional");
  EXPECT_EQ(RefusedText(Text(kFloats, R"({"name": "a"}, {"name": "a"})")),
            "duplicate attribute \"a\"");
}

TEST(OperatorInfoJsonTest, HostileTextsAreReadOrRefused) {
  EXPECT_THAT(RefusedText("{\"target\": \"\xff\"}"), HasSubstr("ill-formed UTF-8"));
  EXPECT_THAT(RefusedText(std::string(1000000, '[')), EndsWith("nested more than 32 deep"));
  EXPECT_EQ(RefusedText(std::string(100000, '[') + std::string(100000, ']')),
            "JSON: values are nested more than 32 deep");
  EXPECT_LT(RefusedText("\"" + std::string(1000000, 'x')).size(), 300U);
  EXPECT_EQ(RefusedText(std::string("{}\0", 3)), "JSON: the text has a NUL");
  const std::string text =
      Text(kFloats, R"({"name": "a", "type": "listInt", "value": [-1, 2], "x": "\u0041"})");
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(ParseOperatorInfo(text.substr(0, i)).ok());
    for (const char byte : {'"', '{', '9', '\xff'}) {
      std::string changed = text;
      changed[i] = byte;
      static_cast<void>(ParseOperatorInfo(changed));
    }
  }
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
