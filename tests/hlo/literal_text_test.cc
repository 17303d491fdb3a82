// Literals in the texts of HLO and MLIR, and whether a literal's message fits its shape.
#include "callbridge/hlo/literal_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal_proto.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/text_cursor.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"

namespace callbridge::hlo {
namespace {

using ::testing::HasSubstr;
using ::xla::LiteralProto;

constexpr PrimitiveType kTypes[] = {
    PrimitiveType::kPred,       PrimitiveType::kS1,        PrimitiveType::kS2,
    PrimitiveType::kS4,         PrimitiveType::kS8,        PrimitiveType::kS16,
    PrimitiveType::kS32,        PrimitiveType::kS64,       PrimitiveType::kU1,
    PrimitiveType::kU2,         PrimitiveType::kU4,        PrimitiveType::kU8,
    PrimitiveType::kU16,        PrimitiveType::kU32,       PrimitiveType::kU64,
    PrimitiveType::kF16,        PrimitiveType::kBf16,      PrimitiveType::kF32,
    PrimitiveType::kF64,        PrimitiveType::kC64,       PrimitiveType::kC128,
    PrimitiveType::kF4E2M1FN,   PrimitiveType::kF8E8M0FNU, PrimitiveType::kF8E3M4,
    PrimitiveType::kF8E4M3,     PrimitiveType::kF8E4M3FN,  PrimitiveType::kF8E4M3B11FNUZ,
    PrimitiveType::kF8E4M3FNUZ, PrimitiveType::kF8E5M2,    PrimitiveType::kF8E5M2FNUZ,
};

Shape ShapeOf(const std::string& text) {
  xla::ShapeProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return ShapeFromProto(proto).value();
}

LiteralProto LiteralOf(const std::string& text) {
  LiteralProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

TEST(LiteralText, ReadsAsTheSameLiteral) {
  const std::string pair =
      "element_type: TUPLE tuple_shapes { element_type: S32 dimensions: 2 } tuple_shapes { "
      "element_type: F32 }";
  // Shape, elements, HLO, MLIR.
  const std::tuple<std::string, std::string, const char*, const char*> cases[] = {
      {"element_type: F32", "f32s: 1.5", "1.5", "1.5"},
      {"element_type: S32 dimensions: 1", "s32s: 7", "{7}", "[7]"},
      {"element_type: S32 dimensions: 2", "s32s: [1, 2]", "{1, 2}", "[1, 2]"},
      {"element_type: S32 dimensions: [2, 3]", "s32s: [1, 2, 3, 4, 5, 6]",
       "{ {1, 2, 3}, {4, 5, 6} }", "[[1, 2, 3], [4, 5, 6]]"},
      {"element_type: S32 dimensions: [2, 3] layout { minor_to_major: [0, 1] }",
       "s32s: [1, 4, 2, 5, 3, 6]", "{ {1, 2, 3}, {4, 5, 6} }", "[[1, 2, 3], [4, 5, 6]]"},
      {"element_type: S32 dimensions: [1, 2, 2] layout { minor_to_major: [1, 2, 0] }",
       "s32s: [1, 3, 2, 4]", "{ { {1, 2}, {3, 4} } }", "[[[1, 2], [3, 4]]]"},
      {"element_type: S32 dimensions: 0", "", "{}", ""},
      {"element_type: S32 dimensions: [2, 0]", "", "{ {}, {} }", ""},
      {"element_type: S32 dimensions: [0, 9]", "", "{  }", ""},
      {"element_type: C64 dimensions: 2", "c64s: [1, 2, 3, -4]", "{(1, 2), (3, -4)}",
       "[(1.0, 2.0), (3.0, -4.0)]"},
      {"element_type: C128", "c128s: [1, 2]", "(1, 2)", "(1.0, 2.0)"},
      {"element_type: PRED dimensions: 2", "preds: [true, false]", "{1, 0}", "[true, false]"},
      {pair,
       "tuple_literals { shape { element_type: S32 dimensions: 2 } s32s: [1, 2] } "
       "tuple_literals { shape { element_type: F32 } f32s: 3 }",
       "( {1, 2}, 3 )", nullptr},
  };
  for (const auto& [shape_text, elements, hlo, mlir] : cases) {
    const Shape shape = ShapeOf(shape_text);
    LiteralProto literal = LiteralOf(elements);
    EXPECT_EQ(LiteralText(literal, shape).value_or("?"), hlo);
    if (mlir == nullptr) {
      EXPECT_THAT(std::string(DenseElementsText(literal, shape).status().message()),
                  HasSubstr("expected a literal of arrays, got one of shape (s32[2],f32[])"));
      continue;
    }
    EXPECT_EQ(DenseElementsText(literal, shape).value_or("?"), mlir);
    TextCursor cursor(hlo);
    const absl::StatusOr<LiteralProto> read = ReadLiteral(shape, &cursor);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(cursor.AtEnd()) << hlo;
    *literal.mutable_shape() = ShapeToProto(shape);
    EXPECT_EQ(read->ShortDebugString(), literal.ShortDebugString());
  }
}

TEST(LiteralText, HasALimitWhereItGrowsBeyondWhatIsStored) {
  const auto f32 = [](const std::vector<int64_t>& dimensions) {
    return Shape::MakeArray(PrimitiveType::kF32, dimensions, std::nullopt).value();
  };
  const std::vector<int64_t> ones(64, 1);
  EXPECT_TRUE(LiteralText(LiteralOf("f32s: 1"), f32(ones)).ok());
  std::vector<int64_t> more = ones;
  more.push_back(1);
  const absl::Status rank = LiteralText(LiteralOf("f32s: 1"), f32(more)).status();
  EXPECT_EQ(rank, absl::UnimplementedError(
                      "expected a literal of at most 64 dimensions to write as text, got 65"));
  EXPECT_EQ(DenseElementsText(LiteralProto(), f32({1 << 20, 0})).value_or("?"), "");
  EXPECT_EQ(DenseElementsText(LiteralProto(), f32({1 << 10, 1 << 10, 0})).value_or("?"), "");
  EXPECT_EQ(DenseElementsText(LiteralProto(), f32({0, int64_t{1} << 40})).value_or("?"), "");
  for (const std::vector<int64_t>& dimensions :
       {std::vector<int64_t>{(1 << 20) + 1, 0}, {1 << 10, (1 << 10) + 1, 0}}) {
    EXPECT_EQ(LiteralText(LiteralProto(), f32(dimensions)).status(),
              absl::UnimplementedError(absl::StrCat("expected an empty literal of at most 1048576 "
                                                    "braces to write as text, got one of shape ",
                                                    ShapeToXla(f32(dimensions)).ToString())));
  }
}

TEST(LiteralText, HasNoLimitForElementsThatAreStored) {
  constexpr int64_t kCount = (1 << 20) + 1;
  LiteralProto literal;
  literal.set_u8s(std::string(kCount, '\1'));
  const Shape array = Shape::MakeArray(PrimitiveType::kU8, {kCount}, std::nullopt).value();
  EXPECT_EQ(LiteralText(literal, array).value_or("?").size(), 3 * static_cast<size_t>(kCount));
}

TEST(LiteralText, RefusesOtherNumbersOfElements) {
  const Shape pair = ShapeOf(
      "element_type: TUPLE tuple_shapes { element_type: F32 } tuple_shapes { element_type: F32 }");
  EXPECT_EQ(
      LiteralText(LiteralOf("tuple_literals { f32s: 1 }"), pair).status(),
      absl::InvalidArgumentError("expected a literal of 2 elements for (f32[],f32[]), got 1"));
  EXPECT_EQ(
      LiteralText(LiteralOf("tuple_literals { f32s: 1 } tuple_literals { f32s: 1 } "
                            "tuple_literals { f32s: 1 }"),
                  pair)
          .status(),
      absl::InvalidArgumentError("expected a literal of 2 elements for (f32[],f32[]), got 3"));
  EXPECT_THAT(
      std::string(LiteralText(LiteralOf("tuple_literals { f32s: 1 } tuple_literals {}"), pair)
                      .status()
                      .message()),
      HasSubstr("a literal of the shape f32[]: expected its 1 elements, got 0 numbers"));
  EXPECT_THAT(std::string(LiteralText(LiteralProto(), Shape::MakeToken()).status().message()),
              HasSubstr("expected a literal of arrays, got one of shape token[]"));
}

TEST(ReadLiteral, SaysWhatIsMissing) {
  const std::string s32 = "element_type: S32 dimensions: 2";
  const std::string pair =
      "element_type: TUPLE tuple_shapes { element_type: S32 } tuple_shapes { element_type: S32 }";
  const std::tuple<std::string, const char*, const char*> cases[] = {
      {s32, "1, 2", "\"{\""},
      {s32, "{1 2}", "\",\""},
      {s32, "{1}", "\",\""},
      {s32, "{1, 2, 3}", "\"}\""},
      {s32, "{1, x}", "expected a whole number that fits s32"},
      {s32, "{...}", "expected the literal's elements; print the module with its large constants"},
      {"element_type: C64", "1", "\"(\""},
      {"element_type: C64", "(x, 1)", "a number that fits f32"},
      {"element_type: C64", "(1 2)", "\",\""},
      {"element_type: C64", "(1, x)", "a number that fits f32"},
      {"element_type: C64", "(1, 2", "\")\""},
      {"element_type: TOKEN", "", "expected no token in a literal"},
      {pair, "1, 2)", "\"(\""},
      {pair, "(1 2)", "\",\""},
      {pair, "(x, 2)", "a whole number that fits s32"},
      {pair, "(1, 2", "\")\""},
  };
  for (const auto& [shape, text, message] : cases) {
    TextCursor cursor(text);
    const absl::StatusOr<LiteralProto> literal = ReadLiteral(ShapeOf(shape), &cursor);
    EXPECT_THAT(std::string(literal.status().message()), HasSubstr(message)) << text;
  }
}

// The name of the field that holds the elements of a literal with a shape.
std::string FieldName(const LiteralProto& literal) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  LiteralProto::GetReflection()->ListFields(literal, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->name() != "shape") return std::string(field->name());
  }
  return "";
}

TEST(Literals, OfEachTypeAreInItsField) {
  for (const PrimitiveType type : kTypes) {
    const std::string name(PrimitiveTypeName(type));
    const bool complex = type == PrimitiveType::kC64 || type == PrimitiveType::kC128;
    const bool is_signed_bit = type == PrimitiveType::kS1;
    const std::string text = complex ? "{(1, 2), (4, 0.5)}" : is_signed_bit ? "{-1, -1}" : "{1, 1}";
    const Shape array = Shape::MakeArray(type, {2}, std::nullopt).value();
    TextCursor cursor(text);
    const absl::StatusOr<LiteralProto> literal = ReadLiteral(array, &cursor);
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(FieldName(*literal), name + "s");
    EXPECT_EQ(LiteralText(*literal, array).value_or("?"), text) << name;
    EXPECT_EQ(
        FieldName(xla::LiteralUtil::CreateFromDimensions(static_cast<xla::PrimitiveType>(type), {2})
                      .ToProto()),
        name + "s");

    EXPECT_TRUE(CheckLiteral(*literal, array).ok()) << name;
    const LiteralProto none;
    const absl::Status status = CheckLiteral(none, array);
    const bool numbers = complex || type == PrimitiveType::kPred || type == PrimitiveType::kS32 ||
                         type == PrimitiveType::kU32 || type == PrimitiveType::kS64 ||
                         type == PrimitiveType::kU64 || type == PrimitiveType::kF32 ||
                         type == PrimitiveType::kF64;
    const int expected = numbers ? (complex ? 4 : 2) : 2 * ((BitWidth(type) + 7) / 8);
    EXPECT_EQ(status, absl::InvalidArgumentError(
                          absl::StrCat("a literal of shape ", name, "[2]: expected ", expected,
                                       numbers ? " values" : " bytes", ", got 0")));
    const Shape scalar = Shape::MakeArray(type, {}, std::nullopt).value();
    EXPECT_EQ(CheckLiteral(*literal, scalar),
              absl::InvalidArgumentError(absl::StrCat("a literal of shape ", name, "[]: expected ",
                                                      expected / 2, numbers ? " values" : " bytes",
                                                      ", got ", expected)));
  }
  // Only the low bits count.
  EXPECT_EQ(LiteralText(LiteralOf("s4s: '\\xf1\\x7f'"),
                        Shape::MakeArray(PrimitiveType::kS4, {2}, std::nullopt).value())
                .value_or("?"),
            "{1, -1}");
}

TEST(CheckLiteral, SaysWhatDoesNotFit) {
  const auto array = [](PrimitiveType type, int64_t count, int64_t bits) {
    return Shape::MakeArray(type, {count}, Layout{{0}, bits}).value();
  };
  EXPECT_EQ(
      CheckLiteral(LiteralProto(), array(PrimitiveType::kU8, INT64_MAX, 0)).message(),
      "a literal of shape u8[9223372036854775807]{0}: expected 9223372036854775807 bytes, got 0");
  EXPECT_EQ(
      std::string(
          CheckLiteral(LiteralProto(), array(PrimitiveType::kU16, int64_t{1} << 62, 1)).message()),
      "a literal of shape u16[4611686018427387904]{0:E(1)}: expected more than 2^63 bytes, got 0");
  EXPECT_TRUE(CheckLiteral(LiteralProto(), Shape::MakeToken()).ok());
  const Shape pair = ShapeOf(
      "element_type: TUPLE tuple_shapes { element_type: F32 } tuple_shapes { element_type: TOKEN "
      "}");
  const std::string f32 = "tuple_literals { shape { element_type: F32 } f32s: 1 } ";
  const std::string token = "tuple_literals { shape { element_type: TOKEN } } ";
  EXPECT_TRUE(CheckLiteral(LiteralOf(f32 + token), pair).ok());
  const std::pair<std::string, const char*> cases[] = {
      {f32, "a literal of a tuple of 2 elements: expected as many literals in it, got 1"},
      {f32 + token + token,
       "a literal of a tuple of 2 elements: expected as many literals in it, got 3"},
      {f32 + "tuple_literals { shape { element_type: 99 } }",
       "expected an element type that is known; got number 99"},
      {f32 + f32,
       "element 1 of a tuple's literal: expected shape token[], as the tuple says, got f32[]"},
      {"tuple_literals { shape { element_type: F32 } } " + token,
       "a literal of shape f32[]: expected 1 values, got 0"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(CheckLiteral(LiteralOf(text), pair).message(), message);
}

}  // namespace
}  // namespace callbridge::hlo
