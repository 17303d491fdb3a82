#include "callbridge/mindspore_aot/operator_info_json.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/refused.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Form = OperatorInfo::Form;
using Kind = Attributes::Value::Kind;
using Presence = OperatorInfo::Presence;

OperatorInfo Parsed(const std::string& json) {
  absl::StatusOr<OperatorInfo> info = ParseOperatorInfo(json);
  EXPECT_TRUE(info.ok()) << json << ": " << info.status();
  return info.ok() ? *std::move(info) : OperatorInfo();
}

std::string RefusedText(const std::string& json) {
  const std::string message = Refused(ParseOperatorInfo(json).status());
  EXPECT_THAT(message, StartsWith("operator information: ")) << json;
  return message.substr(std::string("operator information: ").size());
}

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

// ---- Types and formats
// ----------------------------------------------------------------------------

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

// ---- Attributes
// -----------------------------------------------------------------------------------

// An attribute "a", required, of that type.
std::string Attribute(const std::string& type, const std::string& rest = "") {
  return Text(kFloats, absl::StrCat(R"({"name": "a", "paramType": "required", "type": ")", type,
                                    "\"", rest, "}"));
}
Attributes::Value Default(const std::string& type, const std::string& value) {
  const OperatorInfo info = Parsed(Attribute(type, absl::StrCat(", \"value\": ", value)));
  const auto found = info.defaults.values().find("a");
  EXPECT_NE(found, info.defaults.values().end()) << value;
  return found != info.defaults.values().end() ? found->second : Attributes::Value{};
}
template <typename T>
std::vector<T> Elements(const Attributes::Value& value) {
  std::vector<T> elements(value.bytes.size() / sizeof(T));
  if (!elements.empty()) memcpy(elements.data(), value.bytes.data(), value.bytes.size());
  return elements;
}
template <typename T>
void ExpectDefault(const std::string& type, const std::string& json, const std::string& text,
                   const std::vector<T>& elements) {
  const Attributes::Value value = Default(type, json);
  EXPECT_EQ(AttributeText(value), text) << type << " " << json;
  EXPECT_EQ(Elements<T>(value), elements) << type << " " << json;
}

TEST(OperatorInfoJsonTest, AttributesWithoutDefaults) {
  const OperatorInfo info =
      Parsed(Text(kFloats, R"({"name": "a", "paramType": "required", "type": "int"},
                  {"name": "b", "paramType": "optional", "type": "all", "value": null}, {"name": "c"})"));
  ASSERT_EQ(info.attributes.size(), 3U);
  EXPECT_TRUE(info.attributes[0].is_required);
  EXPECT_EQ(info.attributes[0].type.name, "int");
  EXPECT_FALSE(info.attributes[1].is_required);
  EXPECT_FALSE(info.attributes[2].is_required);
  EXPECT_TRUE(info.defaults.values().empty());
}

TEST(OperatorInfoJsonTest, DefaultsHaveTheTypesThatPythonsValuesHave) {
  for (const char* any : {"all", ""}) {
    ExpectDefault<int64_t>(any, "-3", "s64", {-3});
    ExpectDefault<double>(any, "0.5", "f64", {0.5});
    ExpectDefault<uint8_t>(any, "true", "pred", {1});
    ExpectDefault<int64_t>(any, "[1, -2]", "s64[2]", {1, -2});
    ExpectDefault<int64_t>(any, "[]", "s64[0]", {});
    ExpectDefault<double>(any, "[1, 2.5]", "f64[2]", {1, 2.5});
    ExpectDefault<double>(any, "[2.5, 1]", "f64[2]", {2.5, 1});
    ExpectDefault<uint8_t>(any, "[true, false]", "pred[2]", {1, 0});
    EXPECT_EQ(Default(any, "\"x\\u0000y\"").bytes, std::string("x\0y", 3));
    const Attributes::Value lists = Default(any, "[[1], [], [2, 3]]");
    ASSERT_EQ(lists.kind, Kind::kDictionary);
    ASSERT_EQ(lists.dictionary->values().size(), 3U);
    EXPECT_THAT(Elements<int64_t>(lists.dictionary->values().at("2")), ElementsAre(2, 3));
    EXPECT_EQ(AttributeText(lists.dictionary->values().at("1")), "s64[0]");
    const Attributes::Value floats = Default(any, "[[1], [2.5]]");
    EXPECT_THAT(Elements<double>(floats.dictionary->values().at("0")), ElementsAre(1.0));
  }
}

TEST(OperatorInfoJsonTest, DefaultsHaveTheDeclaredType) {
  ExpectDefault<int64_t>("int", "7", "s64", {7});
  ExpectDefault<double>("float", "7", "f64", {7});
  ExpectDefault<double>("float", "0.1", "f64", {0.1});
  ExpectDefault<uint8_t>("bool", "false", "pred", {0});
  EXPECT_EQ(Default("str", "\"text\"").bytes, "text");
  ExpectDefault<int64_t>("listInt", "[7]", "s64[1]", {7});
  ExpectDefault<double>("listFloat", "[7, 0.5]", "f64[2]", {7, 0.5});
  ExpectDefault<double>("listFloat", "[]", "f64[0]", {});
  ExpectDefault<uint8_t>("listBool", "[true]", "pred[1]", {1});
  ExpectDefault<float>("f32", "0.1", "f32", {0.1F});
  ExpectDefault<float>("f32[]", "[1, 0.1]", "f32[2]", {1, 0.1F});
  ExpectDefault<double>("f64", "1", "f64", {1});
  ExpectDefault<uint8_t>("pred", "true", "pred", {1});
  ExpectDefault<int8_t>("s8", "-128", "s8", {-128});
  ExpectDefault<uint8_t>("u8", "255", "u8", {255});
  ExpectDefault<int16_t>("s16", "-1", "s16", {-1});
  ExpectDefault<uint16_t>("u16", "65535", "u16", {65535});
  ExpectDefault<int32_t>("s32", "-2147483648", "s32", {std::numeric_limits<int32_t>::min()});
  ExpectDefault<uint32_t>("u32", "4294967295", "u32", {4294967295});
  ExpectDefault<int64_t>("s64", "-1", "s64", {-1});
  ExpectDefault<uint64_t>("u64[]", "[9223372036854775807]", "u64[1]", {9223372036854775807U});
}

TEST(OperatorInfoJsonTest, DefaultsOfOtherTypesAreRefused) {
  struct Case {
    const char* type;
    const char* value;
  };
  for (const Case& refused : std::vector<Case>{{"int", "1.5"},        {"int", "true"},
                                               {"int", "\"1\""},      {"int", "[1]"},
                                               {"float", "true"},     {"float", "\"1\""},
                                               {"float", "[1.5]"},    {"bool", "1"},
                                               {"bool", "[true]"},    {"str", "1"},
                                               {"str", "[\"x\"]"},    {"listInt", "1"},
                                               {"listInt", "[1.5]"},  {"listInt", "[[1]]"},
                                               {"listInt", "[true]"}, {"listFloat", "[\"1\"]"},
                                               {"listBool", "[1]"},   {"s8", "128"},
                                               {"s8", "-129"},        {"u8", "-1"},
                                               {"u8", "256"},         {"u32", "4294967296"},
                                               {"u64", "-1"},         {"f32", "1e39"},
                                               {"f32[]", "0.5"},      {"s32", "0.5"},
                                               {"pred", "0"},         {"int", "{}"}}) {
    EXPECT_THAT(RefusedText(Attribute(refused.type, absl::StrCat(", \"value\": ", refused.value))),
                AllOf(StartsWith("attr[0].value of \"a\" is "),
                      HasSubstr(absl::StrCat(", which is no ", refused.type))))
        << refused.value;
  }
  for (const char* value : {"{}", "[1, \"a\"]", "[\"a\"]", "[true, 1]", "[1, true]", "[[1], 2]",
                            "[[[1]]]", "[[true], [1]]", "[null]"}) {
    EXPECT_THAT(RefusedText(Attribute("all", absl::StrCat(", \"value\": ", value))),
                HasSubstr(": expected a bool, a number, a string, a list of bools"))
        << value;
  }
}

TEST(OperatorInfoJsonTest, DefaultsAsTexts) {
  const auto of = [](const std::string& type, const std::string& text) {
    const OperatorInfo info =
        Parsed(Attribute(type, absl::StrCat(", \"defaultValue\": \"", text, "\"")));
    return info.defaults.values().at("a");
  };
  EXPECT_THAT(Elements<int64_t>(of("int", "-5")), ElementsAre(-5));
  EXPECT_THAT(Elements<double>(of("float", "1.0")), ElementsAre(1.0));
  EXPECT_THAT(Elements<double>(of("float", "1")), ElementsAre(1.0));
  EXPECT_THAT(Elements<double>(of("float", "-inf")),
              ElementsAre(-std::numeric_limits<double>::infinity()));
  EXPECT_THAT(Elements<uint8_t>(of("bool", "True")), ElementsAre(1));
  EXPECT_THAT(Elements<uint8_t>(of("bool", "false")), ElementsAre(0));
  EXPECT_EQ(of("str", "1,2").bytes, "1,2");
  EXPECT_THAT(Elements<int64_t>(of("listInt", "1,2,3")), ElementsAre(1, 2, 3));
  EXPECT_THAT(Elements<int64_t>(of("listInt", "")), ElementsAre());
  EXPECT_THAT(Elements<double>(of("listFloat", "1.5, 2")), ElementsAre(1.5, 2.0));
  EXPECT_THAT(Elements<uint8_t>(of("listBool", "true,False")), ElementsAre(1, 0));
  EXPECT_THAT(Elements<int32_t>(of("s32[]", "1,2")), ElementsAre(1, 2));
  const OperatorInfo both = Parsed(Attribute("int", R"(, "defaultValue": "1", "value": 2)"));
  EXPECT_THAT(Elements<int64_t>(both.defaults.values().at("a")), ElementsAre(2));
  EXPECT_EQ(RefusedText(Attribute("int", R"(, "defaultValue": "x\n")")),
            "attr[0].defaultValue of \"a\" expected s64, got \"x\\n\"");
  EXPECT_THAT(
      RefusedText(Attribute("int", R"(, "defaultValue": "1.5")")),
      HasSubstr("attr[0].defaultValue of \"a\" is a number with a fraction, which is no int"));
  EXPECT_THAT(RefusedText(Attribute("all", R"(, "defaultValue": "1")")),
              HasSubstr("is a text, which is read by the attribute's type: declare one"));
  EXPECT_THAT(RefusedText(Attribute("int", R"(, "defaultValue": 1)")),
              HasSubstr("is an integer: expected a string"));
}

TEST(OperatorInfoJsonTest, TypesOfAttributesThatCallsDoNotHave) {
  EXPECT_EQ(RefusedText(Attribute("listStr")),
            "attr[0].type is \"listStr\", but a custom call has no attributes that are lists of "
            "strings; declare a string");
  for (const char* type : {"Int", "list", "f16", "c64", "s4", "token", "[]", "int[]", "f32[][]"}) {
    EXPECT_THAT(RefusedText(Attribute(type)),
                StartsWith(absl::StrCat("attr[0].type is \"", type, "\": expected int, float")));
  }
}

// ---- What is no operator information
// ----------------------------------------------------------------

TEST(OperatorInfoJsonTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(RefusedText(""), "expected a value at byte 1 of the JSON text");
  EXPECT_EQ(RefusedText("[]"), "the whole text is a list: expected an object");
  EXPECT_EQ(RefusedText(Changed("\"CPU\"", "\"cpu\"")),
            "target is \"cpu\": expected CPU, GPU or Ascend, as .target(\"CPU\") declares it");
  EXPECT_THAT(RefusedText(Changed("\"CPU\"", "\"UnKnown\"")), StartsWith("target is \"UnKnown\""));
  EXPECT_THAT(RefusedText(Changed("\"CPU\"", "null")), StartsWith("target is \"\""));
  EXPECT_EQ(RefusedText(Changed("\"CPU\"", "3")), "target is an integer: expected a string");
  EXPECT_EQ(RefusedText(Changed("\"add\"", "[]")), "op_name is a list: expected a string");
  EXPECT_EQ(RefusedText(Changed("\"add\"", R"("a\u0000")")), "op_name has a NUL");
  EXPECT_EQ(RefusedText(Changed("\"inputs\"", "\"input\"")), "inputs is missing: expected a list");
  EXPECT_EQ(RefusedText(Changed("\"outputs\"", "\"output\"")),
            "outputs is missing: expected a list");
  EXPECT_EQ(RefusedText(Changed("\"dtype_format\"", "\"dtype\"")),
            "dtype_format is missing: expected a list");
  EXPECT_EQ(RefusedText(Text("{}")), "dtype_format is an object: expected a list");
  EXPECT_EQ(RefusedText(Text("[]")), "dtype_format is empty: expected at least one combination");
  EXPECT_EQ(RefusedText(Text("[3]")), "dtype_format[0] is an integer: expected a list");
  EXPECT_EQ(
      RefusedText(Text(R"([["float32"]])")),
      "dtype_format[0][0] is a string: expected a list of a type, a format and maybe tuple or "
      "list");
  EXPECT_THAT(RefusedText(Text(R"([[["float32"]]])")), StartsWith("dtype_format[0][0] is a list:"));
  EXPECT_EQ(RefusedText(Text(R"([[["float32", 3]]])")),
            "dtype_format[0][0] is an integer: expected a list of strings");
  EXPECT_EQ(
      RefusedText(Text(R"([[["float32", ""]]])")),
      "combination 1 has 1 entries: expected 2, one for each of the 1 operands and 1 results");
  EXPECT_THAT(RefusedText(Text(R"([[["float33", ""], ["", ""]]])")),
              StartsWith("dtype_format[0][0] has the type \"float33\": expected"));
  EXPECT_EQ(
      RefusedText(Changed("{\"index\": 0, \"name\": \"x\", \"paramType\": \"required\"}", "3")),
      "inputs[0] is an integer: expected an object");
  EXPECT_EQ(RefusedText(Changed("\"x\"", "3")), "inputs[0].name is an integer: expected a string");
  EXPECT_EQ(RefusedText(Changed("\"required\"", "\"needed\"")),
            "inputs[0].paramType is \"needed\": expected required, dynamic or optional");
  EXPECT_EQ(RefusedText(Changed("\"attr\": []", "\"attr\": {}")),
            "attr is an object: expected a list");
  EXPECT_EQ(RefusedText(Text(kFloats, "3")), "attr[0] is an integer: expected an object");
  EXPECT_EQ(RefusedText(Text(kFloats, "{}")), "attr[0].name is missing or empty");
  EXPECT_EQ(RefusedText(Text(kFloats, R"({"name": "a", "paramType": "maybe"})")),
            "attr[0].paramType is \"maybe\": expected required or optional");
  EXPECT_EQ(RefusedText(Text(kFloats, R"({"name": "a"}, {"name": "a"})")),
            "duplicate attribute \"a\"");
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
