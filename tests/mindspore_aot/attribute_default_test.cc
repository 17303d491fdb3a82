#include "callbridge/mindspore_aot/attribute_default.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/mindspore_aot/operator_info_json.h"
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

using Kind = Attributes::Value::Kind;

// Operator information with these attributes.
std::string Text(const std::string& attributes) {
  return absl::StrCat(
      R"({"inputs": [], "outputs": [], "dtype_format": [[]], "target": "CPU", "attr": [)",
      attributes, "]}");
}

// An attribute "a", required, of that type.
std::string Attribute(const std::string& type, const std::string& rest = "") {
  return Text(
      absl::StrCat(R"({"name": "a", "paramType": "required", "type": ")", type, "\"", rest, "}"));
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

TEST(AttributeDefaultTest, AttributesWithoutDefaults) {
  const OperatorInfo info = Parsed(Text(R"({"name": "a", "paramType": "required", "type": "int"},
                  {"name": "b", "paramType": "optional", "type": "all", "value": null}, {"name": "c"})"));
  ASSERT_EQ(info.attributes.size(), 3U);
  EXPECT_TRUE(info.attributes[0].is_required);
  EXPECT_EQ(info.attributes[0].type.name, "int");
  EXPECT_FALSE(info.attributes[1].is_required);
  EXPECT_FALSE(info.attributes[2].is_required);
  EXPECT_TRUE(info.defaults.values().empty());
}

TEST(AttributeDefaultTest, DefaultsHaveTheTypesThatPythonsValuesHave) {
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

TEST(AttributeDefaultTest, DefaultsHaveTheDeclaredType) {
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
  ExpectDefault<uint64_t>("u64[]", "[18446744073709551615]", "u64[1]",
                          {std::numeric_limits<uint64_t>::max()});
}

TEST(AttributeDefaultTest, DefaultsOfOtherTypesAreRefused) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> refused = {
      {"int", {"1.5", "true", "\"1\"", "[1]", "{}", "18446744073709551615"}},
      {"float", {"true", "\"1\"", "[1.5]"}},
      {"bool", {"1", "[true]"}},
      {"str", {"1", "[\"x\"]"}},
      {"listInt", {"1", "[1.5]", "[[1]]", "[true]"}},
      {"listFloat", {"[\"1\"]", "[null]"}},
      {"listBool", {"[1]"}},
      {"s8", {"128", "-129"}},
      {"u8", {"-1", "256"}},
      {"u32", {"4294967296"}},
      {"u64", {"-1", "18446744073709551616"}},
      {"s64", {"9223372036854775808", "-9223372036854775809"}},
      {"f32", {"1e39", "\"x\""}},
      {"f32[]", {"0.5"}},
      {"s32", {"0.5"}},
      {"pred", {"0"}},
  };
  for (const auto& [type, values] : refused) {
    for (const std::string& value : values) {
      const std::string message = RefusedText(Attribute(type, ", \"value\": " + value));
      EXPECT_THAT(message, StartsWith("attr[0].value of \"a\" is ")) << value;
      EXPECT_THAT(message, EndsWith(": expected " + type)) << value;
    }
  }
  for (const char* value : {"{}", "[1,\"a\"]", "[\"a\"]", "[true,1]", "[1,true]", "[[1],2]",
                            "[[[1]]]", "[[true],[1]]", "[null]", "[9223372036854775808]"}) {
    EXPECT_THAT(
        RefusedText(Attribute("all", absl::StrCat(", \"value\": ", value))),
        AllOf(StartsWith("attr[0].value of \"a\" is a"),
              HasSubstr(": expected a bool, a number (an s64 or an f64), a string, a list")));
  }
  const std::string message =
      RefusedText(Attribute("int", ", \"value\": \"" + std::string(9999, 'x') + "\""));
  EXPECT_LT(message.size(), 200U);
}

TEST(AttributeDefaultTest, DefaultsAsTexts) {
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
  EXPECT_THAT(RefusedText(Attribute("int", R"(, "defaultValue": "1.5")")),
              EndsWith("attr[0].defaultValue of \"a\" is 1.5: expected int"));
  EXPECT_THAT(RefusedText(Attribute("all", R"(, "defaultValue": "1")")),
              HasSubstr("is a text, which is read by the attribute's type: declare one"));
  EXPECT_THAT(RefusedText(Attribute("int", R"(, "defaultValue": 1)")),
              EndsWith("is 1: expected a string"));
}

TEST(AttributeDefaultTest, TypesOfAttributesThatCallsDoNotHave) {
  EXPECT_EQ(RefusedText(Attribute("listStr")),
            "attr[0].type is \"listStr\", but a custom call has no attributes that are lists of "
            "strings; declare a string");
  for (const char* type : {"Int", "list", "f16", "c64", "s4", "token", "[]", "int[]", "f32[][]"}) {
    EXPECT_THAT(RefusedText(Attribute(type)),
                StartsWith(absl::StrCat("attr[0].type is \"", type, "\": expected int, float")));
  }
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
