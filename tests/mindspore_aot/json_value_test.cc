#include "callbridge/mindspore_aot/json_value.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/refused.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

JsonValue Read(const std::string& text) {
  absl::StatusOr<JsonValue> value = ParseJson(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *std::move(value) : JsonValue();
}
template <typename T>
T Read(const std::string& text) {
  const JsonValue value = Read(text);
  EXPECT_NE(value.get<T>(), nullptr) << text << " is " << value.KindText();
  return value.get<T>() != nullptr ? *value.get<T>() : T();
}

TEST(JsonValueTest, Scalars) {
  EXPECT_TRUE(Read("null").is_null());
  EXPECT_TRUE(Read<bool>(" true\n"));
  EXPECT_FALSE(Read<bool>("false"));
  EXPECT_EQ(Read<int64_t>("0"), 0);
  EXPECT_EQ(Read<int64_t>("-0"), 0);
  EXPECT_EQ(Read<int64_t>("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Read<int64_t>("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Read<double>("0.5"), 0.5);
  EXPECT_EQ(Read<double>("-0.0"), 0);
  EXPECT_EQ(Read<double>("1e3"), 1000);
  EXPECT_EQ(Read<double>("1.5E-2"), 0.015);
  EXPECT_EQ(Read<double>("5e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(JsonValueTest, Strings) {
  EXPECT_EQ(Read<std::string>("\"\""), "");
  EXPECT_EQ(Read<std::string>(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(Read<std::string>(R"("\u0041\u00e9\u20AC\ud83d\ude00")"),
            "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(Read<std::string>("\"\xE2\x82\xAC\""), "\xE2\x82\xAC");
  EXPECT_EQ(Read<std::string>(R"("\u0000x")"), std::string("\0x", 2));
}

TEST(JsonValueTest, ListsAndObjects) {
  EXPECT_TRUE(Read<JsonValue::List>("[ ]").empty());
  EXPECT_TRUE(Read<JsonValue::Object>("{ }").empty());
  const JsonValue value = Read(R"({"a": [1, [2.5, "x"], {}], "b" : null, "a b": {"c": true}})");
  ASSERT_NE(value.Find("a"), nullptr);
  EXPECT_EQ(value.Find("a")->get<JsonValue::List>()->size(), 3U);
  EXPECT_EQ(value.Find("b"), nullptr) << "null is none";
  EXPECT_EQ(value.Find("c"), nullptr);
  EXPECT_EQ(*value.Find("a b")->Find("c")->get<bool>(), true);
  EXPECT_EQ(value.Find("a")->Find("c"), nullptr) << "of a list";
  EXPECT_EQ(*Read(R"({"a": 1, "a": 2})").Find("a")->get<int64_t>(), 2) << "as Python has it";
}

TEST(JsonValueTest, KindsHaveTexts) {
  std::string texts;
  for (const char* text : {"null", "true", "1", "1.5", "\"\"", "[]", "{}"}) {
    absl::StrAppend(&texts, Read(text).KindText(), "; ");
  }
  EXPECT_EQ(texts,
            "null; a bool; an integer; a number with a fraction; a string; a list; an object; ");
}

struct Refusal {
  const char* text;
  const char* expected;  // "WHAT at byte N"
};

TEST(JsonValueTest, WhatIsNoJsonIsRefused) {
  for (const Refusal& refusal : std::initializer_list<Refusal>{
           {"", "a value at byte 1"},
           {"  ", "a value at byte 3"},
           {"nul", "a value at byte 1"},
           {"NaN", "a value at byte 1"},
           {"-Infinity", "a value at byte 1"},
           {"Infinity", "a value at byte 1"},
           {"+1", "a value at byte 1"},
           {"01", "a value at byte 1"},
           {"1.", "a value at byte 1"},
           {".5", "a value at byte 1"},
           {"1e", "a value at byte 1"},
           {"1e+", "a value at byte 1"},
           {"-", "a value at byte 1"},
           {"1 2", "the end of the text at byte 3"},
           {"0x10", "the end of the text at byte 2"},
           {"9223372036854775808", "an integer of at most 64 bits at byte 1"},
           {"1e999", "a number that a double holds at byte 1"},
           {"[1,]", "a value at byte 4"},
           {"[1", "a comma or a closing bracket at byte 3"},
           {"[1}", "a comma or a closing bracket at byte 3"},
           {"{\"a\"}", "a colon at byte 5"},
           {"{a:1}", "a member's name in quotes at byte 2"},
           {"{\"a\":1,}", "a member's name in quotes at byte 8"},
           {"{\"a\":1", "a comma or a closing brace at byte 7"},
           {"\"", "closing quotes at byte 2"},
           {"\"\\", "an escape sequence at byte 3"},
           {"\"\\x\"", "an escape sequence at byte 3"},
           {"\"\\u12\"", "an escape sequence at byte 3"},
           {"\"\\u12g4\"", "an escape sequence at byte 3"},
           {"\"\\ud800\"", "both halves of a character at byte 8"},
           {"\"\\udc00\"", "both halves of a character at byte 8"},
           {"\"\\ud800\\u0041\"", "both halves of a character at byte 14"},
           {"\"a\nb\"", "no control character in a string at byte 3"},
           {"'a'", "a value at byte 1"},
       }) {
    EXPECT_EQ(Refused(ParseJson(refusal.text).status()),
              absl::StrCat("expected ", refusal.expected, " of the JSON text"))
        << refusal.text;
  }
}

TEST(JsonValueTest, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(32)).ok());
  EXPECT_THAT(Refused(ParseJson(nested(33)).status()),
              StartsWith("expected values nested at most"));
  EXPECT_THAT(Refused(ParseJson(std::string(1000000, '[')).status()), EndsWith("JSON text"));
}

// Each prefix of a text, and each text with one byte changed, is read or refused, and no more.
TEST(JsonValueTest, HostileTextsAreReadOrRefused) {
  const std::string text =
      R"({"inputs": [{"index": 0, "name": "x\u0041\ud83d\ude00"}], "n": [-1.5e+3, true, null]})";
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(ParseJson(text.substr(0, i)).ok());
    for (const char byte : {'\0', '"', '\\', '{', '[', ',', 'u', '9', '\xff'}) {
      std::string changed = text;
      changed[i] = byte;
      static_cast<void>(ParseJson(changed));
    }
  }
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
