#include "callbridge/typed_ffi/host/handler_instance.h"

#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace host {
namespace {

using ::testing::HasSubstr;
using typed_ffi::kRuntimeVersions;

// Built with newer headers than the runtime's, whose frame ends before the future.
XLA_FFI_Error* WritesAFuture(XLA_FFI_CallFrame* frame) {
  frame->future = reinterpret_cast<XLA_FFI_Future*>(frame);
  return nullptr;
}

TEST(HandlerInstanceTest, AFutureIsRefusedWhereTheVersionHasNone) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = &WritesAFuture;
  int versions = 0;
  for (const typed_ffi::RuntimeVersion& version : kRuntimeVersions) {
    if (version.frame_has_future) continue;
    ++versions;
    const auto instance = HandlerInstance::Create(version, bundle, CallFrame({}, {}, Attributes()));
    ASSERT_TRUE(instance.ok()) << instance.status();
    const absl::Status status = (*instance)->Execute({});
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("the handler wrote XLA_FFI_CallFrame.future, which " +
                          std::string(version.releases) + " does not have"));
  }
  EXPECT_EQ(versions, 2);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
