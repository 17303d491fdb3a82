// An exported function in a library that is linked to nothing of callbridge's.
#include <dlfcn.h>

#include <string>

#include "callbridge/status_returning/custom_call_status_internal.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"

namespace callbridge {
namespace {

TEST(ExportedAloneTest, HasItsOwnStatusFunctions) {
  void* const library = dlopen(EXPORTED_ALONE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto* const handler = reinterpret_cast<XLA_FFI_Handler*>(dlsym(library, "FailAsTold"));
  ASSERT_NE(handler, nullptr);
  const auto call = [&](const std::string& opaque) {
    return FfiCall().StringAttr("opaque", opaque).Call(handler);
  };
  EXPECT_EQ(call(""), absl::OkStatus());
  EXPECT_EQ(call("message"), absl::InternalError("CustomCall failed: message"));
  // It ends at a NUL, as XLA's does, or at its length.
  EXPECT_EQ(call(std::string("mess\0age", 8)), absl::InternalError("CustomCall failed: mess"));
  EXPECT_EQ(call(std::string(1, '\0')), absl::InternalError("CustomCall failed: "));
  EXPECT_EQ(call("-taken back"), absl::OkStatus());

  // What is in the status is not only what an error shows of it.
  auto* const function =
      reinterpret_cast<void (*)(void*, const void**, const char*, size_t, XlaCustomCallStatus*)>(
          dlsym(library, "fail_as_told"));
  ASSERT_NE(function, nullptr);
  XlaCustomCallStatus status;
  function(nullptr, nullptr, "mess\0age", 8, &status);
  EXPECT_EQ(status.message, "mess");
  function(nullptr, nullptr, "message", 4, &status);
  EXPECT_EQ(status.message, "mess");
}

}  // namespace
}  // namespace callbridge
