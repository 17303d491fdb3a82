// An exported function in a library that is linked to nothing of callbridge's.
#include <dlfcn.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/adapters/fake_ffi_runtime.h"

namespace callbridge {
namespace {

TEST(ExportedAloneTest, HasItsOwnStatusFunctions) {
  void* const library = dlopen(EXPORTED_ALONE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto* const handler = reinterpret_cast<XLA_FFI_Handler*>(dlsym(library, "FailAsTold"));
  ASSERT_NE(handler, nullptr);
  const auto call = [&](const std::string& opaque) {
    return FakeFfiRuntime().StringAttr("opaque", opaque).Call(handler);
  };
  EXPECT_EQ(call(""), absl::OkStatus());
  EXPECT_EQ(call("message"), absl::InternalError("CustomCall failed: message"));
  // It ends at a NUL, as XLA's does, or at its length.
  EXPECT_EQ(call(std::string("mess\0age", 8)), absl::InternalError("CustomCall failed: mess"));
  EXPECT_EQ(call(std::string(1, '\0')), absl::InternalError("CustomCall failed: "));
  EXPECT_EQ(call("-taken back"), absl::OkStatus());
}

}  // namespace
}  // namespace callbridge
