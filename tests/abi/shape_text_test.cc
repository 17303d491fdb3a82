#include "callbridge/abi/shape_text.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(absl::string_view text) {
  const absl::Status status = ParseShape(text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(status.message());
}

constexpr absl::string_view kCanonical[] = {
    "f32[]",
    "f32[]{}",
    "pred[]",
    "token[]",
    "()",
    "f32[8,4]",
    "f32[8,4]{0,1}",
    "f32[8,4]{1,0}",
    "s4[8,4]{1,0:E(4)}",
    "s4[]{:E(4)}",
    "f32[0]",
    "u8[9223372036854775807]",
    "f8e4m3b11fnuz[2,3,5,7]{3,1,0,2}",
    "(f32[32],(f32[64],f32[128]),f32[256])",
    "(())",
    "((),f32[],(),(()))",
    "(token[],(f32[]))",
    "(s32[2]{0},s4[2]{0:E(4)})",
};

TEST(ShapeTextTest, CanonicalTextSurvives) {
  for (absl::string_view text : kCanonical) {
    const absl::StatusOr<Shape> shape = ParseShape(text);
    ASSERT_TRUE(shape.ok()) << text << ": " << shape.status();
    EXPECT_EQ(ShapeText(*shape), text);
  }
}

TEST(ShapeTextTest, EveryElementTypeSurvives) {
  for (int number = 1; number < 256; ++number) {
    const auto type = static_cast<PrimitiveType>(number);
    if (!IsArrayElement(type)) continue;
    const Shape shape = Shape::MakeArray(type, {2, 3}).value();
    const absl::StatusOr<Shape> parsed = ParseShape(ShapeText(shape));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, shape);
  }
}

TEST(ShapeTextTest, ReadsWhatItMeans) {
  const Shape shape = ParseShape("(f32[8,4]{0,1:E(64)},token[],())").value();
  ASSERT_EQ(shape.tuple_elements().size(), 3u);
  EXPECT_EQ(shape.tuple_elements()[0],
            Shape::MakeArray(PrimitiveType::kF32, {8, 4}, Layout{{0, 1}, 64}).value());
  EXPECT_EQ(shape.tuple_elements()[1], Shape::MakeToken());
  EXPECT_EQ(shape.tuple_elements()[2], Shape());
  EXPECT_FALSE(ParseShape("f32[8,4]")->layout().has_value());
  EXPECT_TRUE(ParseShape("f32[]{}")->layout().has_value());
}

TEST(ShapeTextTest, IgnoresWhiteSpaceAndXlasComments) {
  const struct {
    absl::string_view text;
    absl::string_view canonical;
  } kCases[] = {
      {" ( f32 [ 8 , 4 ] { 1 , 0 : E ( 64 ) } ,\n\t( ) ) ", "(f32[8,4]{1,0:E(64)},())"},
      {"(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])",
       "(f32[],f32[],f32[],f32[],f32[],f32[])"},
      {"/**/f32[/* a *//* b */2]", "f32[2]"},
      {"f32[ ]", "f32[]"},
      {"f32[007]", "f32[7]"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Shape> shape = ParseShape(c.text);
    ASSERT_TRUE(shape.ok()) << c.text << ": " << shape.status();
    EXPECT_EQ(ShapeText(*shape), c.canonical);
  }
}

TEST(ShapeTextTest, ErrorsSayWhatAndWhere) {
  const struct {
    absl::string_view text;
    absl::string_view error;
  } kCases[] = {
      {"",
       "character 1: expected a tuple in parentheses, token[] or an array such as f32[8,4], "
       "found the end"},
      {"  g32[]",
       "character 3: expected a tuple in parentheses, token[] or an array such as "
       "f32[8,4], found \"g32[]\""},
      {"F32[]", "character 1: expected a tuple"},
      {"tuple[]", "character 1: expected a tuple in parentheses"},
      {"opaque[]", "character 1: expected a tuple"},
      {"f32", "character 4: expected \"[\", found the end"},
      {"f32(8)", "character 4: expected \"[\", found \"(8)\""},
      {"f 32[]", "character 1: expected a tuple"},
      {"f32[8,]", "character 7: expected a dimension, found \"]\""},
      {"f32[-8]", "character 5: expected a dimension, found \"-8]\""},
      {"f32[8 4]", "character 7: expected \",\" or \"]\", found \"4]\""},
      {"f32[8", "character 6: expected \",\" or \"]\", found the end"},
      {"f32[9223372036854775808]", "character 5: expected a dimension that fits 63 bits, found"},
      {"f32[8]x", "character 7: expected the end of the text, found \"x\""},
      {"f32[8],", "character 7: expected the end of the text"},
      {"f32[8]f32[8]", "character 7: expected the end of the text"},
      {"token[1]", "character 7: expected \"]\", as a token has no dimensions"},
      {"token[]{}", "character 8: expected the end of the text"},
      {"(", "character 2: expected a tuple in parentheses"},
      {"(f32[],)", "character 8: expected a tuple in parentheses"},
      {"(f32[]", "character 7: expected \",\" or \")\", found the end"},
      {"(f32[]]", "character 7: expected \",\" or \")\", found \"]\""},
      {")", "character 1: expected a tuple in parentheses"},
      {"(){}", "character 3: expected the end of the text"},
      {"/* f32[]", "character 1: expected a tuple in parentheses"},
      {"/*/f32[]", "character 1: expected a tuple in parentheses"},
      // Dynamic dimensions.
      {"f32[<=8]",
       "character 5: expected a static dimension (dynamic ones are not supported), "
       "found \"<=8]\""},
      {"f32[4,?]", "character 7: expected a static dimension (dynamic ones are not supported)"},
      // Layouts.
      {"f32[8]{", "character 8: expected a dimension number, found the end"},
      {"f32[8]{0", "character 9: expected \"}\", found the end"},
      {"f32[8]{0,}", "character 10: expected a dimension number"},
      {"f32[8,4]{0}", "character 1: layout {0} of f32[8,4]: expected each of the numbers 0 to 1"},
      {"(f32[],f32[8]{1})", "character 8: layout {1} of f32[8]: expected each of"},
      {"f32[]{0}", "character 1: layout {0} of f32[]: expected {}"},
      {"f32[8]{:E(64)}", "character 1: layout {} of f32[8]: expected each of"},
      {"f32[8]{0:T(8,128)}",
       "character 10: expected E(bits) (tiles and other details of a layout "
       "are not supported), found \"T(8,128)}\""},
      {"f32[8]{0:S(1)}", "are not supported), found \"S(1)}\""},
      {"f32[8]{0:E(64)S(1)}", "character 15: expected \"}\", found \"S(1)}\""},
      {"f32[8]{0:}", "character 10: expected E(bits)"},
      {"f32[8]{0:E}", "character 11: expected \"(\""},
      {"f32[8]{0:E(}", "character 12: expected a number of bits"},
      {"f32[8]{0:E(0)}", "character 12: expected 1 bit or more, got 0"},
      {"f32[8]{0:E(4}", "character 13: expected \")\""},
      // Sizes.
      {"f32[4294967296,4294967296]", "character 1: f32[4294967296,4294967296] is too large"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(ErrorOf(c.text), AllOf(StartsWith("shape text, "), HasSubstr(std::string(c.error))))
        << c.text;
  }
}

TEST(ShapeTextTest, ErrorsShowOnlyAnExcerptAndEscapeIt) {
  EXPECT_THAT(ErrorOf(absl::string_view("\0\xff", 2)), HasSubstr("found \"\\x00\\xff\""));
  EXPECT_LT(ErrorOf(std::string(1 << 20, 'x')).size(), 200u);
}

TEST(ShapeTextTest, HostileTextIsAQuickError) {
  constexpr size_t kSize = 1 << 20;
  EXPECT_THAT(ErrorOf(std::string(kSize, '(')), HasSubstr("character 129: expected tuples nested "
                                                          "at most 128 deep"));
  EXPECT_THAT(ErrorOf("f32[" + std::string(kSize, '9')), HasSubstr("fits 63 bits"));
  std::string commas = "(";
  while (commas.size() < kSize) commas += "(),";
  EXPECT_THAT(ErrorOf(commas), HasSubstr("found the end"));
  std::string comments;
  while (comments.size() < kSize) comments += "/**/";
  EXPECT_THAT(ErrorOf(comments), HasSubstr("found the end"));
}

TEST(ShapeTextTest, DepthUpToTheLimitIsRead) {
  const std::string deepest =
      std::string(Shape::kMaxTupleDepth, '(') + std::string(Shape::kMaxTupleDepth, ')');
  const absl::StatusOr<Shape> shape = ParseShape(deepest);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->TupleDepth(), Shape::kMaxTupleDepth);
  EXPECT_EQ(ShapeText(*shape), deepest);
  EXPECT_THAT(ErrorOf("(" + deepest + ")"), HasSubstr("at most 128 deep"));
}

// `text` without what the parser ignores: white space, comments and leading zeros.
std::string WithoutBlanks(absl::string_view text) {
  std::string dense;
  while (!text.empty()) {
    const size_t end = absl::StartsWith(text, "/*") ? text.find("*/", 2) : absl::string_view::npos;
    if (end != absl::string_view::npos) {
      text.remove_prefix(end + 2);
      continue;
    }
    const bool is_number_before = !dense.empty() && absl::ascii_isalnum(dense.back());
    const bool is_leading_zero =
        text[0] == '0' && !is_number_before && text.size() > 1 && absl::ascii_isdigit(text[1]);
    if (text[0] != ' ' && !is_leading_zero) dense.push_back(text[0]);
    text.remove_prefix(1);
  }
  return dense;
}

TEST(ShapeTextTest, WhateverParsesIsWrittenBackAsItWas) {
  constexpr absl::string_view kPieces[] = {"(",  ")", ",", "[",     "]", "{", "}",  ":E(", "f32[",
                                           "s4", "0", "1", "token", " ", "9", "()", "[]",  "/*x*/"};
  std::mt19937 random(20240601);
  auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  int parsed = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string text(kCanonical[below(std::size(kCanonical))]);
    for (size_t edits = 1 + below(3); edits > 0; --edits) {
      const size_t at = below(text.size() + 1);
      const size_t erased = below(3);
      text.replace(at, erased, std::string(kPieces[below(std::size(kPieces))]));
    }
    const absl::StatusOr<Shape> shape = ParseShape(text);
    if (!shape.ok()) {
      EXPECT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    ++parsed;
    ASSERT_EQ(ShapeText(*shape), WithoutBlanks(text)) << text;
    ASSERT_EQ(*ParseShape(ShapeText(*shape)), *shape) << text;
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace callbridge
