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

using ::testing::HasSubstr;
using ::testing::StartsWith;

JsonValue Read(const std::string& text) {
  absl::StatusOr<JsonValue> value = ParseJson(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *std::move(value) : JsonValue();
}
template <typename T>
T Read(const std::string& text) {
  const JsonValue value = Read(text);
  EXPECT_NE(value.get<T>(), nullptr) << text << " is " << value.Text();
  return value.get<T>() != nullptr ? *value.get<T>() : T();
}

TEST(JsonValueTest, Scalars) {
  EXPECT_TRUE(Read("null").is_null());
  EXPECT_TRUE(Read<bool>(" true\n"));
  EXPECT_FALSE(Read<bool>("false"));
  EXPECT_EQ(Read<uint64_t>("0"), 0U);
  EXPECT_EQ(Read<uint64_t>("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Read<int64_t>("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Read<double>("18446744073709551616"), 18446744073709551616.0);
  EXPECT_EQ(Read<double>("0.5"), 0.5);
  EXPECT_EQ(Read<double>("-0.0"), 0);
  EXPECT_EQ(Read<double>("1e3"), 1000);
  EXPECT_EQ(Read<double>("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(Read<std::string>(R"("a\"\\\/\n\u20AC\ud83d\ude00\u0000")"),
            std::string("a\"\\/\n\xE2\x82\xAC\xF0\x9F\x98\x80\0", 13));
}

TEST(JsonValueTest, ListsAndObjects) {
  EXPECT_TRUE(Read<JsonValue::List>("[ ]").empty());
  EXPECT_TRUE(Read<JsonValue::Object>("{ }").empty());
  const JsonValue value =
      Read(R"({"a": [1, [2.5, "x"], {"n": [{}]}, 4], "b" : null, "a b": {"c": true}, "d": 5})");
  ASSERT_NE(value.Find("a"), nullptr);
  const auto& list = *value.Find("a")->get<JsonValue::List>();
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(*list[1].get<JsonValue::List>()->at(1).get<std::string>(), "x");
  EXPECT_EQ(list[2].Find("n")->get<JsonValue::List>()->size(), 1U);
  EXPECT_EQ(*list[3].get<uint64_t>(), 4U);
  EXPECT_EQ(value.Find("b"), nullptr) << "null is none";
  EXPECT_EQ(value.Find("c"), nullptr);
  EXPECT_TRUE(*value.Find("a b")->Find("c")->get<bool>());
  EXPECT_EQ(*value.Find("d")->get<uint64_t>(), 5U);
  EXPECT_EQ(value.Find("a")->Find("c"), nullptr) << "of a list";
  EXPECT_EQ(*Read(R"({"a": 1, "a": 2})").Find("a")->get<uint64_t>(), 2U) << "as Python has it";
}

TEST(JsonValueTest, ValuesHaveTexts) {
  std::string texts;
  for (const char* text : {"null", "true", "false", "1", "-1", "1.5", "\"a\\n\"", "[1,2]", "{}"}) {
    absl::StrAppend(&texts, Read(text).Text(), "; ");
  }
  EXPECT_EQ(texts, "null; true; false; 1; -1; 1.5; \"a\\n\"; a list of 2; an object; ");
  EXPECT_EQ(Read("\"" + std::string(1000, 'x') + "\"").Text(),
            "\"" + std::string(100, 'x') + "...\"");
}

TEST(JsonValueTest, WhatIsNoJsonIsRefused) {
  for (
      const char* text :
      {"",         "  ",      "nul",         "NaN",         "-Infinity",   "Infinity",   "+1",
       "01",       "1.",      ".5",          "1e",          "-",           "1 2",        "0x10",
       "[1,]",     "[1",      "[1}",         "{\"a\"}",     "{a:1}",       "{\"a\":1,}", "{\"a\":1",
       "\"",       "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"a\nb\"",   "'a'",
       "\"\xff\"", "\xff"}) {
    EXPECT_THAT(Refused(ParseJson(text).status()), StartsWith("JSON: parse error at line "))
        << text;
  }
  EXPECT_THAT(Refused(ParseJson("1e999").status()), HasSubstr("number overflow"));
  EXPECT_EQ(Refused(ParseJson(std::string("1\0", 2)).status()), "JSON: the text has a NUL");
  EXPECT_LT(Refused(ParseJson("\"" + std::string(1000000, 'x')).status()).size(), 300U);
}

TEST(JsonValueTest, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(32)).ok());
  for (const size_t depth : {33, 1000000}) {
    EXPECT_EQ(Refused(ParseJson(nested(depth)).status()),
              "JSON: values are nested more than 32 deep");
  }
  std::string objects;
  for (int i = 0; i < 33; ++i) objects += "{\"a\":";
  EXPECT_THAT(Refused(ParseJson(objects).status()), HasSubstr("nested"));
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
