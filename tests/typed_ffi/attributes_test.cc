// Attributes as no XLA writes them, but a handler may get them from other callers; and look-ups.
#include "callbridge/typed_ffi/binding/attributes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "callbridge/typed_ffi/binding/buffer.h"
#include "callbridge/typed_ffi/binding/dictionary.h"
#include "callbridge/typed_ffi/binding/registered_attributes.h"
#include "tests/typed_ffi/call_frame.h"

struct Range {
  int64_t lo;
  int64_t hi;
};
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, StructMember<int64_t>("lo"),
                                      StructMember<int64_t>("hi"));
enum class Level : int32_t { kOne = 1 };
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Level);

namespace {

using ::callbridge::typed_ffi::testing::AttributeList;
using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

TEST(BoolAttributeTest, IsTrueForEveryByteButZero) {
  for (int byte = 0; byte < 256; ++byte) {
    uint8_t value = static_cast<uint8_t>(byte);
    XLA_FFI_Scalar scalar = {XLA_FFI_DataType_PRED, &value};
    DiagnosticEngine diagnostic;
    const auto decoded = AttrDecoding<bool>::Decode(XLA_FFI_AttrType_SCALAR, &scalar, diagnostic);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(*decoded, byte != 0) << byte;
  }
}

// Of few names, which are compared one by one, and of many, which are halved.
TEST(DictionaryTest, FindsEveryNameOfAnyNumber) {
  int32_t value = 5;
  XLA_FFI_Scalar scalar = {XLA_FFI_DataType_S32, &value};
  for (int size = 0; size <= 20; ++size) {
    std::vector<std::string> texts;
    for (int i = 0; i < size; ++i) texts.push_back(std::string(1, static_cast<char>('b' + i)));
    std::vector<XLA_FFI_ByteSpan> spans;
    for (const std::string& text : texts) spans.push_back({text.data(), text.size()});
    std::vector<XLA_FFI_ByteSpan*> names;
    for (XLA_FFI_ByteSpan& span : spans) names.push_back(&span);
    std::vector<XLA_FFI_AttrType> types(size, XLA_FFI_AttrType_SCALAR);
    std::vector<void*> values(size, &scalar);
    const XLA_FFI_Attrs attrs = {sizeof(attrs), nullptr,      size,
                                 types.data(),  names.data(), values.data()};
    const Dictionary dictionary(&attrs);
    for (const std::string& text : texts) {
      EXPECT_TRUE(dictionary.contains<int32_t>(text)) << text << " of " << size;
    }
    for (const char* other : {"a", "bb", "z"}) {
      EXPECT_FALSE(dictionary.contains<int32_t>(other)) << other << " of " << size;
    }
  }
}

// What is asked of one attribute by its name, or by its place.
TEST(DictionaryTest, TellsWhatIsWrongWithAnAttribute) {
  AttributeList list;
  const float numbers[] = {1};
  list.S32("a", 1).F32("b", 2).Array("c", XLA_FFI_DataType_F32, 1, numbers, sizeof(numbers));
  const Dictionary dictionary(list.Get());
  const auto missing = dictionary.get<int32_t>("x");
  EXPECT_EQ(missing.error().errc(), ErrorCode::kInternal);
  EXPECT_EQ(missing.error().message(), "Unexpected attribute: x not found; there are: a, b, c");
  const auto other = dictionary.get<int64_t>("a");
  EXPECT_EQ(other.error().errc(), ErrorCode::kInternal);
  EXPECT_EQ(other.error().message(),
            "attribute a: Wrong scalar data type: expected S64 but got S32");
  EXPECT_EQ(dictionary.get<std::string_view>("b").error().message(),
            "attribute b: Wrong attribute type: expected string but got scalar");
  using Either = std::variant<int32_t, std::string_view>;
  const auto neither = dictionary.get<Either>("b");
  EXPECT_EQ(neither.error().errc(), ErrorCode::kInternal);
  EXPECT_EQ(
      neither.error().message(),
      "attribute b: Wrong attribute type: it doesn't match any of the variant types: scalar F32");
  EXPECT_EQ(
      dictionary.get<Either>("c").error().message(),
      "attribute c: Wrong attribute type: it doesn't match any of the variant types: array F32");
  EXPECT_EQ(dictionary.get<Either>("x").error().message(),
            "Unexpected attribute: x not found; there are: a, b, c");
  EXPECT_EQ(std::get<int32_t>(*dictionary.get<Either>("a")), 1);
}

TEST(DictionaryTest, IteratesOverNames) {
  AttributeList list;
  list.S32("a", 1).S32("b", 2).F32("c", 3);
  const Dictionary dictionary(list.Get());
  Dictionary::Iterator it = dictionary.begin();
  EXPECT_EQ(*it++, "a");
  EXPECT_EQ(*it, "b");
  EXPECT_EQ(*dictionary.get<int32_t>(it), 2);
  EXPECT_EQ(*++it, "c");
  EXPECT_TRUE(dictionary.isa<float>(it));
  EXPECT_FALSE(dictionary.isa<int32_t>(it));
  EXPECT_EQ(dictionary.get<int32_t>(it).error().message(),
            "attribute c: Wrong scalar data type: expected S32 but got F32");
  EXPECT_TRUE(it != dictionary.end());
  EXPECT_TRUE(++it == dictionary.end());
}

TEST(DictionaryTest, OfABrokenFrameIsEmpty) {
  const XLA_FFI_Attrs attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, -1, nullptr, nullptr, nullptr};
  const Dictionary dictionary(&attrs);
  EXPECT_EQ(dictionary.size(), 0u);
  EXPECT_TRUE(dictionary.empty());
  EXPECT_TRUE(dictionary.begin() == dictionary.end());
  EXPECT_FALSE(dictionary.contains("a"));
}

// A struct is a dictionary of its members, and no other value.
TEST(DictionaryTest, IsaOfStructs) {
  AttributeList range, misnamed, mistyped, more, list;
  range.S64("lo", 1).S64("hi", 2);
  misnamed.S64("lo", 1).S64("hj", 2);
  mistyped.S64("lo", 1).S32("hi", 2);
  more.S64("lo", 1).S64("hi", 2).S64("more", 3);
  list.Nested("range", range)
      .Nested("misnamed", misnamed)
      .Nested("mistyped", mistyped)
      .Nested("more", more);
  list.S32("number", 1);
  const Dictionary dictionary(list.Get());
  EXPECT_TRUE(dictionary.contains<Range>("range"));
  for (const char* other : {"misnamed", "mistyped", "more", "number", "missing"}) {
    EXPECT_FALSE(dictionary.contains<Range>(other)) << other;
  }
  EXPECT_EQ(dictionary.get<Range>("range")->hi, 2);
  EXPECT_TRUE(dictionary.contains<Dictionary>("more"));
  EXPECT_FALSE(dictionary.contains<Dictionary>("number"));
}

// An object of the right kind under another tag is not looked into.
TEST(AttributeTagsTest, EachKindHasItsOwn) {
  int64_t value = 1;
  XLA_FFI_Scalar scalar = {XLA_FFI_DataType_S64, &value};
  XLA_FFI_Array array = {XLA_FFI_DataType_S64, 1, &value};
  for (XLA_FFI_AttrType type : {XLA_FFI_AttrType_ARRAY, XLA_FFI_AttrType_DICTIONARY,
                                XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_STRING}) {
    EXPECT_EQ(AttrDecoding<int64_t>::Isa(type, &scalar), type == XLA_FFI_AttrType_SCALAR);
    EXPECT_EQ(AttrDecoding<Span<const int64_t>>::Isa(type, &array), type == XLA_FFI_AttrType_ARRAY);
    EXPECT_EQ(AttrDecoding<Pointer<int>>::Isa(type, &scalar), type == XLA_FFI_AttrType_SCALAR);
    EXPECT_EQ(AttrDecoding<Level>::Isa(type, &scalar), false) << "of another size";
    EXPECT_EQ(AttrDecoding<Dictionary>::Isa(type, nullptr), type == XLA_FFI_AttrType_DICTIONARY);
    EXPECT_EQ(AttrDecoding<std::string_view>::Isa(type, nullptr), type == XLA_FFI_AttrType_STRING);
  }
  EXPECT_FALSE(AttrDecoding<double>::Isa(XLA_FFI_AttrType_SCALAR, &scalar));
  EXPECT_FALSE(AttrDecoding<Span<const uint64_t>>::Isa(XLA_FFI_AttrType_ARRAY, &array));
}

TEST(VariantAttributeTest, TheFirstThatMatches) {
  AttributeList range, list;
  range.S64("lo", 1).S64("hi", 2);
  list.S32("s32", 1).F32("f32", 2).String("text", "t").Nested("range", range).S64("s64", 3);
  const Dictionary dictionary(list.Get());
  using Variant = std::variant<int32_t, float, std::string_view, Range>;
  const std::pair<const char*, int> indices[] = {{"s32", 0}, {"f32", 1}, {"text", 2}, {"range", 3}};
  for (const auto& [name, index] : indices) {
    EXPECT_TRUE(dictionary.contains<Variant>(name)) << name;
    EXPECT_EQ(dictionary.get<Variant>(name)->index(), static_cast<size_t>(index)) << name;
  }
  EXPECT_FALSE(dictionary.contains<Variant>("s64"));
  EXPECT_EQ((dictionary.get<std::variant<Level, int32_t>>("s32")->index()), 0u);
  EXPECT_EQ((dictionary.get<std::variant<int32_t, Level>>("s32")->index()), 0u);
}

// ---- Decodings that a user's own may call ------------------------------------------------------

TEST(DiagnosticsTest, StandOneBelowTheOther) {
  DiagnosticEngine diagnostic;
  EXPECT_EQ(diagnostic.Result(), "");
  EXPECT_EQ(diagnostic.code(), XLA_FFI_Error_Code_INVALID_ARGUMENT);
  diagnostic.Emit("one ") << 1 << ", " << std::string("two");
  const std::optional<int> nothing = diagnostic.EmitUnimplemented("three");
  EXPECT_FALSE(nothing.has_value());
  EXPECT_EQ(diagnostic.Result(), "one 1, two\nthree");
  EXPECT_EQ(diagnostic.code(), XLA_FFI_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(std::move(diagnostic).Result(), "one 1, two\nthree");
  EXPECT_EQ(diagnostic.Result(), "");  // NOLINT(bugprone-use-after-move): it is empty then
  EXPECT_EQ(std::move(diagnostic).Result(), "");
}

TEST(BufferDecodingTest, ByItself) {
  int64_t dims[] = {2, 3};
  float data[6] = {};
  XLA_FFI_Buffer buffer = {
      XLA_FFI_Buffer_STRUCT_SIZE, nullptr, XLA_FFI_DataType_F32, data, 2, dims};
  DiagnosticEngine none;
  EXPECT_EQ(
      (ArgDecoding<Buffer<F32, 2>>::Decode(XLA_FFI_ArgType_BUFFER, &buffer, none)->typed_data()),
      data);
  EXPECT_EQ(
      (*RetDecoding<Buffer<F32, 2>>::Decode(XLA_FFI_RetType_BUFFER, &buffer, none))->typed_data(),
      data);
  EXPECT_EQ(none.Result(), "");
  DiagnosticEngine both;
  EXPECT_FALSE(
      (ArgDecoding<Buffer<S32, 1>>::Decode(XLA_FFI_ArgType_BUFFER, &buffer, both).has_value()));
  EXPECT_FALSE(
      (RetDecoding<Buffer<F32, 0>>::Decode(XLA_FFI_RetType_BUFFER, &buffer, both).has_value()));
  EXPECT_FALSE(
      ArgDecoding<AnyBuffer>::Decode(static_cast<XLA_FFI_ArgType>(0), &buffer, both).has_value());
  EXPECT_FALSE(
      RetDecoding<AnyBuffer>::Decode(static_cast<XLA_FFI_RetType>(0), &buffer, both).has_value());
  EXPECT_EQ(
      both.Result(),
      "Wrong buffer dtype: expected S32 but got F32\nWrong buffer rank: expected 1 but got 2\n"
      "Wrong buffer rank: expected 0 but got 2\n"
      "Wrong argument type: expected buffer but got unknown (0)\n"
      "Wrong result type: expected buffer but got unknown (0)");
}

TEST(BufferTest, DimensionsAsAMember) {
  int64_t dims[] = {2, 3, 5};
  int16_t data[30] = {};
  XLA_FFI_Buffer buffer = {
      XLA_FFI_Buffer_STRUCT_SIZE, nullptr, XLA_FFI_DataType_S16, data, 3, dims};
  const auto expect = [&](const auto& any) {
    EXPECT_EQ(any.dimensions.size(), 3u);
    EXPECT_EQ(any.dimensions.front(), 2);
    EXPECT_EQ(any.dimensions.back(), 5);
    EXPECT_EQ(any.dimensions[1], 3);
    EXPECT_EQ(any.dimensions.end() - any.dimensions.begin(), 3);
    const Span<const int64_t> span = any.dimensions;
    EXPECT_TRUE(span == any.dimensions());
    EXPECT_EQ(span.data(), dims);
    EXPECT_EQ(any.element_type(), DataType::S16);
    EXPECT_EQ(any.element_count(), 30u);
    EXPECT_EQ(any.size_bytes(), 60u);
    EXPECT_EQ(any.data, data);
    EXPECT_EQ(any.untyped_data(), data);
  };
  expect(AnyBuffer(&buffer));
  expect(Buffer<S16>(&buffer));
  expect(Buffer<S16, 3>(&buffer));
  const Result<Buffer<S16>> result = Buffer<S16>(&buffer);
  const Buffer<S16> plain = result;
  EXPECT_EQ(plain.typed_data(), data);
  EXPECT_EQ((*result).typed_data(), result->typed_data());
  // Of a broken frame.
  buffer.rank = -1;
  EXPECT_EQ(AnyBuffer(&buffer).dimensions().size(), 0u);
  EXPECT_EQ(AnyBuffer(&buffer).element_count(), 1u);
}

}  // namespace
