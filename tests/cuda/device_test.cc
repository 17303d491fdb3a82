#include "callbridge/cuda/device.h"

#include <cstdint>

#include "callbridge/cuda/memory.h"
#include "callbridge/cuda/stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/test_driver.h"

namespace callbridge::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

int DeviceCount() {
  int count = 0;
  EXPECT_EQ((*Driver::Get())->device_get_count(&count), absl::OkStatus());
  return count;
}

ContextHandle Current() {
  ContextHandle current = nullptr;
  CallDriver("cuCtxGetCurrent", &current);
  return current;
}

TEST(DeviceTest, OpensEachDevice) {
  InProcess([] {
    OpenTestDriver();
    for (int i = 0; i < DeviceCount(); ++i) {
      const std::shared_ptr<const Device> device = *Device::Open(i);
      EXPECT_EQ(device->ordinal(), i);
      EXPECT_NE(device->context(), nullptr);
      EXPECT_EQ((*Device::Open(i))->context(), device->context()) << "the primary one";
    }
  });
}

TEST(DeviceTest, SaysWhichDevicesThereAre) {
  InProcess([] {
    OpenTestDriver();
    for (int32_t wrong : {-1, DeviceCount(), INT32_MAX, INT32_MIN}) {
      const absl::Status status = Device::Open(wrong).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
      EXPECT_THAT(std::string(status.message()),
                  StartsWith(absl::StrCat("there is no CUDA device ", wrong, ": this process sees ",
                                          DeviceCount(), " device")));
    }
  });
}

TEST(DeviceTest, MakesItsContextCurrentForAWhile) {
  InProcess([] {
    OpenTestDriver();
    const std::shared_ptr<const Device> device = *Device::Open(0);
    EXPECT_EQ(Current(), nullptr);
    {
      const CurrentContext outer(*device);
      EXPECT_EQ(outer.status(), absl::OkStatus());
      const CurrentContext inner(*device);
      EXPECT_EQ(Current(), device->context());
    }
    EXPECT_EQ(Current(), nullptr);
  });
}

TEST(DeviceTest, TellsItsMemoryFromTheHosts) {
  InProcess([] {
    OpenTestDriver();
    const std::shared_ptr<const Device> device = *Device::Open(0);
    const std::unique_ptr<const Stream> stream = *Stream::Create(device);
    const DeviceMemory memory = *DeviceMemory::Allocate(*stream, 100);
    EXPECT_EQ(device->CheckPointer("operand 1", memory.data()), absl::OkStatus());
    EXPECT_EQ(device->CheckPointer("operand 1", static_cast<char*>(memory.data()) + 99),
              absl::OkStatus());
    EXPECT_EQ(device->CheckPointer("operand 1", nullptr), absl::OkStatus());
    if (IsSystemDriver()) return;  // whose device may use the host's memory
    int on_stack = 0;
    for (const void* wrong :
         {static_cast<const void*>(&on_stack), reinterpret_cast<const void*>(uintptr_t{16})}) {
      const absl::Status status = device->CheckPointer("operand 1", wrong);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()),
                  StartsWith("operand 1: expected memory of CUDA device 0, but its pointer, 0x"));
      EXPECT_THAT(status.message(), HasSubstr("copy the array to the device"));
    }
  });
}

TEST(DeviceTest, TellsItsMemoryFromAnotherDevices) {
  InProcess([] {
    OpenTestDriver();
    if (DeviceCount() < 2) return;  // a machine with one device
    const std::shared_ptr<const Device> device = *Device::Open(0);
    const std::unique_ptr<const Stream> other = *Stream::Create(*Device::Open(1));
    const DeviceMemory memory = *DeviceMemory::Allocate(*other, 8);
    const absl::Status status = device->CheckPointer("result 0", memory.data());
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("is memory of device 1"));
  });
}

TEST(DeviceTest, PinnedMemoryOfTheHostIsTheDevicesToo) {
  InProcess([] {
    OpenTestDriver();
    const std::shared_ptr<const Device> device = *Device::Open(0);
    const CurrentContext current(*device);
    void* pinned = nullptr;
    ASSERT_EQ(CallDriver("cuMemHostAlloc", &pinned, size_t{64}, 0U), result::kSuccess);
    EXPECT_EQ(device->CheckPointer("operand 0", pinned), absl::OkStatus());
    EXPECT_EQ(CallDriver("cuMemFreeHost", pinned), result::kSuccess);
  });
}

}  // namespace
}  // namespace callbridge::cuda
