// Attributes as no XLA writes them, but a handler may get them from other callers; and look-ups.
#include "callbridge/typed_ffi/binding/attributes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/typed_ffi/binding/dictionary.h"

namespace {

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

}  // namespace
