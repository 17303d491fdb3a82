// HandlerCall: unit tests of GPU handlers on a device.
#include "callbridge/handler_call.h"

#include <cstdint>
#include <vector>

#include "callbridge/callbridge.hpp"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/gpu_calls.h"
#include "tests/cuda/test_driver.h"

namespace callbridge {
namespace {

using cuda::InProcess;
using cuda::OpenTestDriver;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

using Handler = XLA_FFI_Error*(XLA_FFI_CallFrame*);

Handler* HandlerOf(const char* name) { return reinterpret_cast<Handler*>(GpuTarget(name).address); }

TEST(DeviceHandlerCallTest, CopiesVectorsThereAndBack) {
  const cuda::Ledger ledger;
  InProcess([] {
    OpenTestDriver();
    const Floats a = Numbers(10, 1), b = Numbers(10, 4);
    Floats c(10);
    HandlerCall call(HandlerOf("gpu_typed_add"));
    call.OnCudaDevice(0).Arg(a).Arg(b).Ret(c);
    for (int i = 0; i < 2; ++i) {
      c.assign(10, -1);
      const HandlerResult result = call.Run();
      EXPECT_TRUE(result.ok()) << result;
      EXPECT_EQ(c, Sums(a, b));
    }
  });
  EXPECT_THAT(ledger.Read(), testing::Not(HasSubstr("device memory")));
}

TEST(DeviceHandlerCallTest, ProvidesTheDevice) {
  InProcess([] {
    OpenTestDriver();
    std::vector<int32_t> ordinals(3, -1);
    HandlerCall call(HandlerOf("gpu_ordinal"));
    call.Ret(ordinals).Attr("bytes", int64_t{12}).Attr("alignment", int64_t{64});
    const HandlerResult first = call.OnCudaDevice(0).Run();
    EXPECT_TRUE(first.ok()) << first;
    EXPECT_THAT(ordinals, Each(0));
    const HandlerResult second = call.OnCudaDevice(1).Run();
    if (second.code_name() == "UNAVAILABLE") return;  // a machine with one device
    EXPECT_TRUE(second.ok()) << second;
    EXPECT_THAT(ordinals, Each(1));
  });
}

TEST(DeviceHandlerCallTest, AFaultIsTheRunsError) {
  InProcess([] {
    OpenTestDriver();
    const HandlerResult result = HandlerCall(HandlerOf("gpu_typed_fault")).OnCudaDevice(0).Run();
    EXPECT_THAT(result.message(), AllOf(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"),
                                        HasSubstr("The CUDA context is lost")));
  });
}

TEST(DeviceHandlerCallTest, NoDeviceIsUnavailable) {
  InProcess([] {
    OpenTestDriver();
    HandlerCall call(HandlerOf("gpu_typed_fault"));
    for (int i = 0; i < 2; ++i) {
      const HandlerResult result = call.OnCudaDevice(1000).Run();
      EXPECT_EQ(result.code_name(), "UNAVAILABLE");
      EXPECT_THAT(result.message(), HasSubstr("there is no CUDA device 1000"));
    }
  });
}

}  // namespace
}  // namespace callbridge
