#include "callbridge/client/attribute_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

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
  ExpectScalar("0X7fc00000 : f32", PrimitiveType::kF32, uint32_t{0x7fc00000});
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
        "{the_one = dense<1> : tensor<99999999999xi8>}", "{\"the_one\\00\" = 1}"}) {
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

TEST(AttributeTextTest, EveryType) {
  const struct {
    const char* name;
    PrimitiveType type;
    const char* one;
    std::string bytes;
  } kTypes[] = {
      {"i1", PrimitiveType::kPred, "1", "\1"s},
      {"i8", PrimitiveType::kS8, "1", "\1"s},
      {"i16", PrimitiveType::kS16, "1", "\1\0"s},
      {"i32", PrimitiveType::kS32, "1", "\1\0\0\0"s},
      {"i64", PrimitiveType::kS64, "1", "\1\0\0\0\0\0\0\0"s},
      {"si8", PrimitiveType::kS8, "-1", "\xff"s},
      {"si16", PrimitiveType::kS16, "-1", "\xff\xff"s},
      {"si32", PrimitiveType::kS32, "-1", "\xff\xff\xff\xff"s},
      {"si64", PrimitiveType::kS64, "-2", "\xfe\xff\xff\xff\xff\xff\xff\xff"s},
      {"ui8", PrimitiveType::kU8, "255", "\xff"s},
      {"ui16", PrimitiveType::kU16, "65535", "\xff\xff"s},
      {"ui32", PrimitiveType::kU32, "4294967295", "\xff\xff\xff\xff"s},
      {"ui64", PrimitiveType::kU64, "1", "\1\0\0\0\0\0\0\0"s},
      {"f16", PrimitiveType::kF16, "1.0", "\0\x3c"s},
      {"bf16", PrimitiveType::kBf16, "1.0", "\x80\x3f"s},
      {"f32", PrimitiveType::kF32, "1.0", "\0\0\x80\x3f"s},
      {"f64", PrimitiveType::kF64, "1.0", "\0\0\0\0\0\0\xf0\x3f"s},
  };
  for (const auto& type : kTypes) {
    SCOPED_TRACE(type.name);
    const std::string name = type.name;
    const std::string one = type.one;
    const Attributes attributes =
        Parse("{s = " + one + " : " + name + ", a = array<" + name + ": " + one + ", " + one +
              ">, d = dense<[" + one + "]> : tensor<1x" + name + ">}");
    ASSERT_EQ(attributes.values().size(), 3u);
    for (const char* each : {"s", "a", "d"}) {
      EXPECT_EQ(attributes.values().at(each).type, type.type) << each;
    }
    EXPECT_EQ(attributes.values().at("s").bytes, type.bytes);
    EXPECT_EQ(attributes.values().at("a").bytes, type.bytes + type.bytes);
    EXPECT_EQ(attributes.values().at("a").size, 2u);
    EXPECT_EQ(attributes.values().at("d").bytes, type.bytes);
  }
}

TEST(AttributeTextTest, TheLimitsOfEachTypeAndWhatIsBeyond) {
  const struct {
    const char* type;
    std::vector<std::string> good;
    std::vector<std::string> bad;
  } kCases[] = {
      {"i1", {"true", "false", "1", "0", "-1"}, {"2", "True"}},
      {"i8", {"-128", "127", "0xFF", "0X80"}, {"-129", "128", "0x100", "0xG"}},
      {"i16", {"-32768", "32767", "0xFFFF"}, {"-32769", "32768", "0x10000"}},
      {"i32", {"-2147483648", "2147483647"}, {"-2147483649", "2147483648", "0x100000000"}},
      {"i64", {"9223372036854775807"}, {"9223372036854775808", "0x10000000000000000"}},
      {"ui8", {"0", "255"}, {"256", "-1", "0x100"}},
      {"ui16", {"65535"}, {"65536"}},
      {"ui32", {"4294967295"}, {"4294967296", "-1"}},
      {"ui64", {"0"}, {"18446744073709551616", "-1"}},
      {"f16", {"0xFFFF", "65504.0"}, {"0x10000", "1.0.0"}},
      {"bf16", {"0xFFFF"}, {"0x10000"}},
      {"f32", {"0xFFFFFFFF", "1e3"}, {"0x100000000", "1.0x"}},
      {"f64", {"0xFFFFFFFFFFFFFFFF"}, {"0x10000000000000000", "1e"}},
  };
  for (const auto& each : kCases) {
    for (const std::string& element : each.good) {
      const std::string text = "{a = array<" + std::string(each.type) + ": " + element + ">}";
      EXPECT_TRUE(ParseAttributes(text).ok()) << text << ParseAttributes(text).status();
    }
    for (const std::string& element : each.bad) {
      const std::string text = "{a = array<" + std::string(each.type) + ": " + element + ">}";
      const absl::Status status = ParseAttributes(text).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
      EXPECT_THAT(std::string(status.message()), HasSubstr("there is \"" + element + "\""));
    }
  }
  // Rounded once, from the text.
  ExpectScalar("1.000000178813934326171874 : f32", PrimitiveType::kF32, uint32_t{0x3f800001});
}

TEST(AttributeTextTest, ErrorsSayWhereAndWhat) {
  const struct {
    const char* text;
    const char* error;
  } kCases[] = {
      {"text", "attributes, character 1: expected `{`, but there is \"text\""},
      {"  {a", "attributes, character 5: expected `=`, but there is the end"},
      {"{= 1}", "character 2: expected an attribute's name, but there is \"= 1}\""},
      {"{a = 1, a = 2}", "character 10: duplicate attribute \"a\""},
      {"{a = ", "character 6: expected an attribute's value, but there is the end"},
      {"{a = 1 b", "character 8: expected `,` or `}`, but there is \"b\""},
      {"{} x", "character 4: expected the end of the attributes"},
      {"{a = \"x", "character 8: expected the end of a string, but there is the end"},
      {"{a = \"\\q\"}", "character 7: expected an escape sequence"},
      {"{a = \"\\4\"}", "character 7: expected an escape sequence"},
      {"{a = \"\\G4\"}", "character 7: expected an escape sequence"},
      {"{a = \"\\4G\"}", "character 7: expected an escape sequence"},
      {"{a = \"\\", "character 7: expected an escape sequence"},
      {"{a = array<i8: 1]", "character 17: expected `,` or `>`"},
      {"{a = dense<[;]> : tensor<1xi8>}", "character 13: expected an element, `,`, `[`, `]` or"},
      {"{a = dense<1> tensor<i8>}", "expected `> : tensor<`"},
      {"{a = dense<1> : vector<i8>}", "expected `> : tensor<`"},
      {"{a = dense<1> : tensor<i8}", "character 26: expected `>`"},
      {"{a = dense<[1]> : tensor<-1xi8>}", "expected dimensions whose product fits int64"},
      {"{a = dense<[1, 2]> : tensor<3xi16>}",
       "attribute \"a\": expected 3 elements of 2 bytes, but there are 4 bytes"},
      {"{a = dense<\"0x000102\"> : tensor<1xi16>}",
       "attribute \"a\": expected 1 elements of 2 bytes, but there are 3 bytes"},
      {"{a = \"1\", \"\\22\" = 300 : i8}",
       "attribute \"\\\"\": expected an element of type s8, but there is \"300\""},
      {"{aaa = 123456789012345678901234567890}", "character"},
  };
  for (const auto& each : kCases) {
    const absl::Status status = ParseAttributes(each.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << each.text << status;
    if (std::string(each.error) == "character") continue;
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.error)) << each.text;
  }
  // No more than 20 characters of what is there are shown, and no control characters.
  EXPECT_THAT(std::string(ParseAttributes("\1" + std::string(100, 'x')).status().message()),
              testing::EndsWith("there is \"\\x01" + std::string(19, 'x') + "\""));
}

TEST(AttributeTextTest, WhatIsUnimplementedIsNamedWithItsKind) {
  const struct {
    const char* text;
    const char* what;
  } kCases[] = {
      {"{u}", "is a unit attribute, which"},
      {"{u, a = 1}", "is a unit attribute, which"},
      {"{u = 1 : i4}", "is of type i4, which"},
      {"{u = array<i4: 1>}", "is an array of type i4, which"},
      {"{u = dense<1> : tensor<1xi4>}", "is dense, of type i4, which"},
      {"{u = dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>}", "is dense, of complex numbers, which"},
      {"{u = dense<\"text\"> : tensor<1x!x>}", "is dense, of strings, which"},
      {"{u = dense<\"0x0\"> : tensor<1xi8>}", "is dense, of strings, which"},
      {"{u = dense<\"0xGG\"> : tensor<1xi8>}", "is dense, of strings, which"},
      {"{u = dense<\"0xFF\"> : tensor<8xi1>}", "is dense, of packed booleans, which"},
      {"{u = dense<1> : tensor<16777217xi8>}", "is a dense splat of more than 2^24 elements"},
      {"{u = @aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}",
       "is @aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, which"},
      {"{u = unit}", "is unit, which"},
  };
  for (const auto& each : kCases) {
    const absl::Status status = ParseAttributes(each.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << each.text << status;
    EXPECT_THAT(std::string(status.message()),
                testing::AllOf(HasSubstr("attribute \"u\" is "), HasSubstr(each.what)))
        << each.text;
  }
}

TEST(AttributeTextTest, SplatsUpToTheirLimitAndScalarTensors) {
  const Attributes attributes = Parse(
      "{s = dense<3> : tensor<16777216xi8>, t = dense<3> : tensor<i16>, "
      "n = dense<3> : tensor<0xi16>, r = dense<\"0x0300\"> : tensor<2x1xi16>, "
      "x = dense<\"0xABcd\"> : tensor<2xui8>}");
  EXPECT_EQ(attributes.values().at("s").bytes, std::string(1 << 24, '\3'));
  EXPECT_EQ(attributes.values().at("t").bytes, "\3\0"s);
  EXPECT_EQ(attributes.values().at("t").size, 1u);
  EXPECT_EQ(attributes.values().at("n").size, 0u);
  EXPECT_EQ(attributes.values().at("r").bytes, "\3\0\3\0"s);
  EXPECT_EQ(attributes.values().at("x").bytes, "\xab\xcd"s);
}

TEST(AttributeTextTest, EscapesAndNames) {
  const Attributes attributes =
      Parse(R"({a.b-c$d_1="\"\\\n\t\6a\C3", "x\22y" = "", z= true ,w =false})");
  EXPECT_EQ(attributes.values().at("a.b-c$d_1").bytes, "\"\\\n\tj\xc3");
  EXPECT_EQ(attributes.values().count("x\"y"), 1u);
  EXPECT_EQ(attributes.values().at("z").bytes, "\1");
  EXPECT_EQ(attributes.values().at("w").bytes, "\0"s);
  absl::StatusOr<ParsedAttributes> parsed = ParseAttributes("{b = 1, a = {c = 2}}");
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(parsed->names, testing::ElementsAre("a", "b")) << "of the outermost dictionary alone";
}

TEST(AttributeTextTest, DictionariesUpToTheDeepest) {
  const auto nested = [](int depth) {
    std::string text = "{}";
    for (int i = 1; i < depth; ++i) text = "{a = " + text + "}";
    return text;
  };
  EXPECT_TRUE(ParseAttributes(nested(64)).ok()) << ParseAttributes(nested(64)).status();
  EXPECT_EQ(ParseAttributes(nested(65)).status().message(),
            "attributes: dictionaries nested deeper than 64");
}

}  // namespace
}  // namespace callbridge::client
