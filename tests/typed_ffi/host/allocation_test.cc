// Calling a handler allocates nothing: every operator new of this program is counted.
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/typed_ffi/host/handler_instance.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "gtest/gtest.h"
#include "tests/counted_allocations.h"

namespace callbridge {
namespace host {
namespace {

// Asks for all that a call can be provided, by the newest API.
XLA_FFI_Error* Asks(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Stream_Get_Args stream = {sizeof(stream), nullptr, frame->ctx, nullptr};
  if (auto* error = frame->api->XLA_FFI_Stream_Get(&stream)) return error;
  XLA_FFI_RunId_Get_Args run_id = {sizeof(run_id), nullptr, frame->ctx, 0};
  if (auto* error = frame->api->XLA_FFI_RunId_Get(&run_id)) return error;
  XLA_FFI_CustomOptions_Get_Args options = {sizeof(options), nullptr, frame->ctx, nullptr};
  if (auto* error = frame->api->XLA_FFI_CustomOptions_Get(&options)) return error;
  return frame->args.size == 0 || frame->args.args[frame->args.size - 1] != nullptr
             ? nullptr
             : reinterpret_cast<XLA_FFI_Error*>(1);
}

int AllocationsOfACall(size_t arguments, bool all_stages) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = &Asks;
  if (all_stages) bundle.prepare = bundle.initialize = &Asks;
  auto instance = HandlerInstance::Create(
      **VersionOfRelease(""), bundle,
      CallFrame(std::vector<Shape>(arguments, *ParseShape("f32[2,3]")), {*ParseShape("f32[]")},
                Attributes().SetString("name", "value")));
  EXPECT_TRUE(instance.ok());
  std::vector<void*> operands(arguments), results(1);
  RuntimeServices services;
  services.stream = nullptr;
  services.run_id = 1;
  const CallBuffers buffers = {absl::MakeSpan(operands), absl::MakeSpan(results)};
  EXPECT_TRUE((*instance)->Execute(buffers, services).ok());
  const int before = allocations;
  EXPECT_TRUE((*instance)->Execute(buffers, services).ok());
  return allocations - before;
}

TEST(HostAllocationTest, ACallAllocatesNothing) {
  EXPECT_EQ(AllocationsOfACall(0, false), 0);
  EXPECT_EQ(AllocationsOfACall(8, true), 0);
  EXPECT_EQ(AllocationsOfACall(255, false), 0);
}

TEST(HostAllocationTest, OneBlockAbove256Buffers) {
  EXPECT_EQ(AllocationsOfACall(256, false), 1);
  EXPECT_EQ(AllocationsOfACall(1000, false), 1);
}

TEST(HostAllocationTest, ARunThatIsKeptAllocatesNothing) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = &Asks;
  auto instance =
      HandlerInstance::Create(**VersionOfRelease(""), bundle, CallFrame({}, {}, Attributes()));
  ASSERT_TRUE(instance.ok());
  AsyncRun run(**instance);
  RuntimeServices services;
  services.stream = nullptr;
  services.run_id = 1;
  int ended = 0;
  const int before = allocations;
  for (int i = 0; i < 3; ++i) {
    run.Start(
        {}, services, [](void* user, absl::Status) { ++*static_cast<int*>(user); }, &ended);
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
