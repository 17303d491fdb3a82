// Each function of the driver that callbridge calls fails once. Its error names it and CUDA's
// error, nothing leaks, and the next try works. On the stand-in alone.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/gpu_calls.h"
#include "tests/cuda/test_driver.h"

namespace callbridge {
namespace {

using cuda::InProcess;
using cuda::Ledger;
using testing::HasSubstr;
using testing::Not;

// Calls each function of the driver that callbridge calls. Returns the first error, or "OK".
std::string UseAll() {
  const Result<Device> device = Device::Open(0);
  if (!device) return device.error().ToString();
  Floats x = Numbers(4, 1), y = Numbers(4, 2), z(4);
  const Array operands[] = {{x.data(), 16}, {y.data(), 16}};
  const Array results[] = {{z.data(), 16}};
  const Result<void> executed =
      Execute(GpuTarget("gpu_add"), AddSite(4), operands, results, OnDevice(*device, true));
  if (!executed) return executed.error().ToString();
  EXPECT_EQ(z, Sums(x, y));
  const Result<DeviceArray> first = DeviceArray::CopyOf(*device, x.data(), 16);
  if (!first) return first.error().ToString();
  const Result<DeviceArray> second = DeviceArray::Allocate(*device, 16);
  if (!second) return second.error().ToString();
  const Result<void> copied =
      ToResult(callbridge_device_copy(device->get(), second->data(), first->data(), 16));
  if (!copied) return copied.error().ToString();
  const Result<void> read = second->CopyTo(z.data());
  if (!read) return read.error().ToString();
  EXPECT_EQ(z, x);
  return "OK";
}

// `only_gives_back`: callbridge calls it to give back what it has, where an error has no taker, so
// that what it names stays taken.
struct Fault {
  const char* function;
  bool only_gives_back = false;
  bool has_pools = true;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.function; }

class FaultTest : public testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsTheCallsErrorAndLeaksNothing) {
  const Fault fault = GetParam();
  const Ledger ledger;
  InProcess([&] {
    constexpr int kError = 999;  // CUDA_ERROR_UNKNOWN
    cuda::SetForDriver("CALLBRIDGE_STANDIN_FAIL",
                       absl::StrCat("*:", fault.function, ":1:", kError));
    cuda::OpenDriver(fault.has_pools ? CUDA_STANDIN : CUDA_DRIVERS "poolless_driver/libcuda.so.1");
    const std::string first = UseAll();
    if (fault.only_gives_back) {
      EXPECT_EQ(first, "OK");
    } else {
      EXPECT_THAT(first, HasSubstr(absl::StrCat(fault.function, " failed: CUDA_ERROR_UNKNOWN (")));
    }
    EXPECT_EQ(UseAll(), "OK");
  });
  // The stand-in names who took what is left.
  if (!fault.only_gives_back) {
    EXPECT_THAT(ledger.Read(), Not(HasSubstr("cuda_calls_test")));
  }
}

INSTANTIATE_TEST_SUITE_P(
    EachFunction, FaultTest,
    testing::Values(Fault{"cuDriverGetVersion"}, Fault{"cuInit"}, Fault{"cuDeviceGetCount"},
                    Fault{"cuDeviceGet"}, Fault{"cuDeviceGetAttribute"},
                    Fault{"cuDevicePrimaryCtxRetain"}, Fault{"cuDevicePrimaryCtxRelease_v2", true},
                    Fault{"cuCtxPushCurrent_v2"}, Fault{"cuCtxPopCurrent_v2", true},
                    Fault{"cuStreamCreate"}, Fault{"cuStreamDestroy_v2", true},
                    Fault{"cuStreamSynchronize"}, Fault{"cuMemAllocAsync"},
                    Fault{"cuMemFreeAsync", true}, Fault{"cuMemcpyHtoDAsync_v2"},
                    Fault{"cuMemcpyDtoHAsync_v2"}, Fault{"cuMemcpyDtoDAsync_v2"},
                    Fault{"cuPointerGetAttribute"}, Fault{"cuStreamGetCtx"},
                    Fault{"cuMemAlloc_v2", false, false}, Fault{"cuMemFree_v2", true, false}),
    [](const auto& info) { return info.param.function; });

TEST(FaultsTest, OutOfMemoryIsResourceExhausted) {
  InProcess([] {
    cuda::SetForDriver("CALLBRIDGE_STANDIN_FAIL", "*:cuMemAllocAsync:2:2");
    cuda::OpenDriver(CUDA_STANDIN);
    EXPECT_THAT(UseAll(), testing::StartsWith("RESOURCE_EXHAUSTED: no 16 bytes on CUDA device 0: "
                                              "cuMemAllocAsync failed: CUDA_ERROR_OUT_OF_MEMORY"));
    EXPECT_EQ(UseAll(), "OK");
  });
}

TEST(FaultsTest, WithoutFaultsNothingLeaks) {
  const Ledger ledger;
  InProcess([] {
    cuda::OpenDriver(CUDA_STANDIN);
    EXPECT_EQ(UseAll(), "OK");
  });
  EXPECT_THAT(ledger.Read(), Not(HasSubstr("cuda_calls_test")));
}

}  // namespace
}  // namespace callbridge
