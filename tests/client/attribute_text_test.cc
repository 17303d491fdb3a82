#include "callbridge/client/attribute_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "callbridge/abi/attributes.h"
#include "callbridge/c_api/ffi_context.h"

namespace callbridge::client {
namespace {

using std::string_literals::operator""s;  // NOLINT(misc-unused-using-decls): it is used
using testing::HasSubstr;
using Value = Attributes::Value;

Attributes Parse(const std::string& text) {
  absl::StatusOr<ParsedAttributes> parsed = ParseAttributes(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status();
  return parsed.ok() ? parsed->values->Get() : Attributes();
}

// The attribute `a` of type, elements and bytes.
template <typename T>
void ExpectArray(const std::string& text, PrimitiveType type, const std::vector<T>& elements) {
  SCOPED_TRACE(text);
  const Attributes attributes = Parse("{a = " + text + "}");
  ASSERT_EQ(attributes.values().count("a"), 1u);
  const Value& value = attributes.values().at("a");
  EXPECT_EQ(value.kind, Value::Kind::kArray);
  EXPECT_EQ(value.type, type);
  EXPECT_EQ(value.size, elements.size());
  EXPECT_EQ(value.bytes, std::string(reinterpret_cast<const char*>(elements.data()),
                                     elements.size() * sizeof(T)));
}

template <typename T>
void ExpectScalar(const std::string& text, PrimitiveType type, T element) {
  SCOPED_TRACE(text);
  const Attributes attributes = Parse("{a = " + text + "}");
  ASSERT_EQ(attributes.values().count("a"), 1u);
  const Value& value = attributes.values().at("a");
  EXPECT_EQ(value.kind, Value::Kind::kScalar);
  EXPECT_EQ(value.type, type);
  EXPECT_EQ(value.bytes, std::string(reinterpret_cast<const char*>(&element), sizeof element));
}

TEST(AttributeTextTest, Scalars) {
  ExpectScalar("true", PrimitiveType::kPred, true);
  ExpectScalar("-1 : i32", PrimitiveType::kS32, int32_t{-1});
  ExpectScalar("7", PrimitiveType::kS64, int64_t{7});
  ExpectScalar("255 : ui8", PrimitiveType::kU8, uint8_t{255});
  ExpectScalar("-9223372036854775808 : i64", PrimitiveType::kS64, INT64_MIN);
  ExpectScalar("18446744073709551615 : ui64", PrimitiveType::kU64, UINT64_MAX);
  ExpectScalar("1.500000e+00 : f32", PrimitiveType::kF32, 1.5f);
  ExpectScalar("0.1 : f32", PrimitiveType::kF32, 0.1f);
  ExpectScalar("-2.5", PrimitiveType::kF64, -2.5);
  ExpectScalar("0x7FC00000 : f32", PrimitiveType::kF32, uint32_t{0x7fc00000});
  ExpectScalar("0xFFF0000000000000 : f64", PrimitiveType::kF64, uint64_t{0xfff0000000000000});
  ExpectScalar("1.000000e+00 : bf16", PrimitiveType::kBf16, uint16_t{0x3f80});
  ExpectScalar("1.000000e+00 : f16", PrimitiveType::kF16, uint16_t{0x3c00});
}

TEST(AttributeTextTest, Arrays) {
  ExpectArray<int32_t>("array<i32: 1, -2>", PrimitiveType::kS32, {1, -2});
  ExpectArray<int8_t>("array<i8>", PrimitiveType::kS8, {});
  ExpectArray<char>("array<i1: true, false>", PrimitiveType::kPred, {1, 0});
  ExpectArray<float>("dense<[1.0, 2.5]> : tensor<2xf32>", PrimitiveType::kF32, {1, 2.5});
  ExpectArray<int32_t>("dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", PrimitiveType::kS32,
                       {1, 2, 3, 4});
  ExpectArray<int64_t>("dense<7> : tensor<3xi64>", PrimitiveType::kS64, {7, 7, 7});
  ExpectArray<int64_t>("dense<> : tensor<0xi64>", PrimitiveType::kS64, {});
  ExpectArray<uint8_t>("dense<\"0x00FF10\"> : tensor<3xui8>", PrimitiveType::kU8, {0, 255, 16});
}

TEST(AttributeTextTest, StringsAndDictionaries) {
  const Attributes attributes = Parse(R"( { "a b" = "x\22\0A\\\n\FF", d = {e = {}, f = "" } } )");
  EXPECT_EQ(attributes.values().at("a b").bytes, "x\"\n\\\n\xff"s);
  const Attributes& nested = *attributes.values().at("d").dictionary;
  EXPECT_TRUE(nested.values().at("e").dictionary->values().empty());
  EXPECT_EQ(nested.values().at("f").bytes, "");
  EXPECT_TRUE(Parse("").values().empty());
  EXPECT_TRUE(Parse("{}").values().empty());
}

TEST(AttributeTextTest, WhatCannotBeHandedOver) {
  for (const std::string text :
       {"{the_one}", "{the_one = [1, 2]}", "{the_one = @symbol}", "{the_one = #stablehlo.x}",
        "{the_one = 1 : index}", "{the_one = 1 : i4}", "{the_one = array<i4: 1>}",
        "{the_one = dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>}", "{the_one = unit}",
        "{the_one = dense<1> : tensor<99999999999xi8>}"}) {
    const absl::Status status = ParseAttributes(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << text << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("the_one"));
  }
}

TEST(AttributeTextTest, WhatIsNone) {
  for (const std::string text : {"{",
                                 "}",
                                 "{a",
                                 "{a = ",
                                 "{a = 1",
                                 "{a = 1,",
                                 "{a = 1 b = 2}",
                                 "{a = 1} {}",
                                 "{= 1}",
                                 "{a = \"x}",
                                 "{a = \"\\q\"}",
                                 "{a = 256 : ui8}",
                                 "{a = -1 : ui8}",
                                 "{a = 1.5 : i32}",
                                 "{a = 1, a = 2}",
                                 "{a = array<i32: >}",
                                 "{a = array<i32: 1}",
                                 "{a = dense<[1]> : tensor<2xi32>}",
                                 "{a = dense<\"0x00\"> : tensor<1xi32>}",
                                 "{a = dense<[1]> : tensor<3x3x3x9223372036854775807xi8>}",
                                 "{a = 0x1FFFFFFFF : f32}",
                                 "text"}) {
    const absl::Status status = ParseAttributes(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text << ": " << status;
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{a = ";
  EXPECT_EQ(ParseAttributes(deep).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace callbridge::client
