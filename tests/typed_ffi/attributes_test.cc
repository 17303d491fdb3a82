// Attributes as no XLA writes them, but a handler may get them from other callers.
#include "callbridge/typed_ffi/binding/attributes.h"

#include <gtest/gtest.h>

#include <cstdint>

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

}  // namespace
