#include "callbridge/tools/attribute.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using Value = Attributes::Value;

Value Parse(const std::string& text, const char* name = "n") {
  Attributes attributes;
  EXPECT_EQ(ParseAttribute(text, &attributes), absl::OkStatus());
  EXPECT_EQ(attributes.values().size(), 1u);
  return attributes.values().at(name);
}

template <typename T>
void ExpectScalar(const std::string& text, PrimitiveType type, T expected) {
  const Value value = Parse(text);
  EXPECT_EQ(value.kind, Value::Kind::kScalar) << text;
  EXPECT_EQ(value.type, type) << text;
  ASSERT_EQ(value.bytes.size(), sizeof(T)) << text;
  EXPECT_EQ(value.bytes, std::string(reinterpret_cast<const char*>(&expected), sizeof(T))) << text;
}

TEST(AttributeTest, Scalars) {
  ExpectScalar<int8_t>("n=-128:i8", PrimitiveType::kS8, -128);
  ExpectScalar<int16_t>("n=3:i16", PrimitiveType::kS16, 3);
  ExpectScalar<int32_t>("n=-3:i32", PrimitiveType::kS32, -3);
  ExpectScalar<int64_t>("n=9000000000:i64", PrimitiveType::kS64, 9000000000);
  ExpectScalar<uint8_t>("n=255:ui8", PrimitiveType::kU8, 255);
  ExpectScalar<uint16_t>("n=65535:ui16", PrimitiveType::kU16, 65535);
  ExpectScalar<uint32_t>("n=4294967295:ui32", PrimitiveType::kU32, 4294967295);
  ExpectScalar<uint64_t>("n=18446744073709551615:ui64", PrimitiveType::kU64, UINT64_MAX);
  ExpectScalar<float>("n=1.5:f32", PrimitiveType::kF32, 1.5F);
  ExpectScalar<double>("n=-1e300:f64", PrimitiveType::kF64, -1e300);
  ExpectScalar<bool>("n=true", PrimitiveType::kPred, true);
  ExpectScalar<bool>("n=false", PrimitiveType::kPred, false);
}

TEST(AttributeTest, HexadecimalFloatsAreBits) {
  ExpectScalar<uint32_t>("n=0xFFC12345:f32", PrimitiveType::kF32, 0xFFC12345);
  ExpectScalar<uint32_t>("n=0x7f800001 : f32", PrimitiveType::kF32, 0x7F800001);
  ExpectScalar<uint64_t>("n=0xFFF0000000000001:f64", PrimitiveType::kF64, 0xFFF0000000000001);
  const uint32_t bits[] = {0xFFA00000, 0x3F800000};
  EXPECT_EQ(Parse("n=array<f32: 0xFFA00000, 1.0>").bytes,
            std::string(reinterpret_cast<const char*>(bits), sizeof(bits)));
  for (const char* text :
       {"n=0x7FC1234:f32", "n=0x07FC12345:f32", "n=0x7FC1234G:f32", "n=0x1p3:f32",
        "n=-0x7FC12345:f32", "n=0X7FC12345:f32", "n=0x7FC12345:f64", "n=0x:f32"}) {
    Attributes attributes;
    EXPECT_FALSE(ParseAttribute(text, &attributes).ok()) << text;
  }
}

TEST(AttributeTest, TheLimitsOfIntegersAreNumbers) {
  ExpectScalar<int8_t>("n=127:i8", PrimitiveType::kS8, 127);
  ExpectScalar<int16_t>("n=32767:i16", PrimitiveType::kS16, 32767);
  ExpectScalar<int16_t>("n=-32768:i16", PrimitiveType::kS16, -32768);
  ExpectScalar<int32_t>("n=2147483647:i32", PrimitiveType::kS32, INT32_MAX);
  ExpectScalar<int32_t>("n=-2147483648:i32", PrimitiveType::kS32, INT32_MIN);
  ExpectScalar<int64_t>("n=9223372036854775807:i64", PrimitiveType::kS64, INT64_MAX);
  ExpectScalar<int64_t>("n=-9223372036854775808:i64", PrimitiveType::kS64, INT64_MIN);
  ExpectScalar<uint8_t>("n=0:ui8", PrimitiveType::kU8, 0);
}

TEST(AttributeTest, NamesEndAtTheFirstEqualsAndNumbersAtTheLastColon) {
  EXPECT_EQ(Parse("a=\"b=c\"", "a").bytes, "b=c");
  Attributes attributes;
  EXPECT_FALSE(ParseAttribute("n=3:i8:i32", &attributes).ok());
  EXPECT_THAT(std::string(ParseAttribute("n=3:i8:i32", &attributes).message()),
              testing::EndsWith("; found n=3:i8:i32"));
}

TEST(AttributeTest, Strings) {
  for (const char* text : {"", "text", "a=b", "3:i32", "\"", "\\n"}) {
    const Value value = Parse("a.b=\"" + std::string(text) + "\"", "a.b");
    EXPECT_EQ(value.kind, Value::Kind::kString);
    EXPECT_EQ(value.bytes, text);
  }
}

template <typename T>
void ExpectArray(const Value& value, PrimitiveType type, const std::vector<T>& expected) {
  EXPECT_EQ(value.kind, Value::Kind::kArray);
  EXPECT_EQ(value.type, type);
  EXPECT_EQ(value.size, expected.size());
  EXPECT_EQ(value.bytes, std::string(reinterpret_cast<const char*>(expected.data()),
                                     expected.size() * sizeof(T)));
}

TEST(AttributeTest, Arrays) {
  ExpectArray<int64_t>(Parse("n=array<i64: 1, -2>"), PrimitiveType::kS64, {1, -2});
  ExpectArray<int8_t>(Parse("n=array<i8:1,2,3>"), PrimitiveType::kS8, {1, 2, 3});
  ExpectArray<float>(Parse("n=array< f32 : 1.5 >"), PrimitiveType::kF32, {1.5F});
  ExpectArray<int64_t>(Parse("n=array<i64>"), PrimitiveType::kS64, {});
}

TEST(AttributeTest, ListsOfArrays) {
  const Value list = Parse("n=[array<i64: 1, 2>, array<i64>,array<i64: 3> ]");
  ASSERT_EQ(list.kind, Value::Kind::kDictionary);
  ASSERT_EQ(list.dictionary->values().size(), 3u);
  ExpectArray<int64_t>(list.dictionary->values().at("0"), PrimitiveType::kS64, {1, 2});
  ExpectArray<int64_t>(list.dictionary->values().at("1"), PrimitiveType::kS64, {});
  ExpectArray<int64_t>(list.dictionary->values().at("2"), PrimitiveType::kS64, {3});
  EXPECT_TRUE(Parse("n=[]").dictionary->values().empty());
}

TEST(AttributeTest, AnythingElseIsRefused) {
  for (const char* text : {"",
                           "n",
                           "n=",
                           "=3:i32",
                           "n=3",
                           "n=3:s32",
                           "n=3:",
                           "n=:i32",
                           "n=128:i8",
                           "n=-1:ui8",
                           "n=1.5:i32",
                           "n=x:f32",
                           "n=True",
                           "n=text",
                           "n=\"",
                           "n=\"text",
                           "n=3 :i32x",
                           "n=array<",
                           "n=array<i64:>",
                           "n=array<s64: 1>",
                           "n=array<i64: 1",
                           "n=array<i8: 128>",
                           "n=array<i64: 1,>",
                           "n=array<>",
                           "n=[",
                           "n=[array<i64: 1>",
                           "n=[array<i64: 1>,]",
                           "n=[3:i32]",
                           "n=[list<i64: 1>]",
                           "n=[array<i8: 300>]",
                           "n=[array<i64: 1> array<i64: 2>]",
                           "n=[,]"}) {
    Attributes attributes;
    const absl::Status status = ParseAttribute(text, &attributes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("expected NAME=VALUE"));
    EXPECT_TRUE(attributes.values().empty());
  }
}

TEST(AttributeTest, NumbersBeyondTheirTypeAreRefused) {
  for (const char* number :
       {"-129:i8", "32768:i16", "-32769:i16", "2147483648:i32", "-2147483649:i32",
        "9223372036854775808:i64", "-9223372036854775809:i64", "256:ui8", "65536:ui16",
        "4294967296:ui32", "18446744073709551616:ui64"}) {
    Attributes attributes;
    const absl::Status status = ParseAttribute(absl::StrCat("n=", number), &attributes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << number;
  }
}

}  // namespace
}  // namespace callbridge
