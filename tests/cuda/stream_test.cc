#include "callbridge/cuda/stream.h"

#include <cstdint>
#include <vector>

#include "callbridge/cuda/memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/test_driver.h"

namespace callbridge::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool HasTwoDevices() {
  int count = 0;
  EXPECT_EQ((*Driver::Get())->device_get_count(&count), absl::OkStatus());
  return count > 1;
}

TEST(StreamTest, CopiesThereAndBack) {
  InProcess([] {
    OpenTestDriver();
    const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
    std::vector<uint32_t> in(100000), out(in.size(), 1);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint32_t>(i * 2654435761U);
    const size_t bytes = in.size() * sizeof(in[0]);
    const DeviceMemory first = *DeviceMemory::Allocate(*stream, bytes);
    const DeviceMemory second = *DeviceMemory::Allocate(*stream, bytes);
    std::vector<uint32_t> reused = in;
    ASSERT_EQ(stream->CopyToDevice(first.data(), reused.data(), bytes), absl::OkStatus());
    reused.assign(reused.size(), 0);
    ASSERT_EQ(stream->CopyOnDevice(second.data(), first.data(), bytes), absl::OkStatus());
    ASSERT_EQ(stream->CopyToHost(out.data(), second.data(), bytes), absl::OkStatus());
    ASSERT_EQ(stream->Synchronize(), absl::OkStatus());
    EXPECT_EQ(out, in);
  });
}

TEST(StreamTest, ACopyOfNothingNeedsNoPointer) {
  InProcess([] {
    OpenTestDriver();
    const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
    EXPECT_EQ(stream->CopyToDevice(nullptr, nullptr, 0), absl::OkStatus());
    EXPECT_EQ(stream->CopyToHost(nullptr, nullptr, 0), absl::OkStatus());
    EXPECT_EQ(stream->CopyOnDevice(nullptr, nullptr, 0), absl::OkStatus());
    EXPECT_EQ(stream->Synchronize(), absl::OkStatus());
  });
}

TEST(StreamTest, AWrongCopyNamesTheFunction) {
  InProcess([] {
    OpenTestDriver();
    if (IsSystemDriver()) return;  // whose device may use the host's memory
    const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
    int host = 0;
    EXPECT_THAT(stream->CopyToDevice(&host, &host, sizeof(host)).message(),
                HasSubstr("cuMemcpyHtoDAsync_v2 failed: CUDA_ERROR_INVALID_VALUE"));
    EXPECT_EQ(stream->Synchronize(), absl::OkStatus());
  });
}

TEST(StreamTest, KnowsAStreamOfAnotherDevice) {
  InProcess([] {
    OpenTestDriver();
    if (!HasTwoDevices()) return;  // a machine with one device
    const std::shared_ptr<const Device> device = *Device::Open(0);
    const std::unique_ptr<const Stream> own = *Stream::Create(device);
    const std::unique_ptr<const Stream> other = *Stream::Create(*Device::Open(1));
    EXPECT_EQ(own->CheckDevice(), absl::OkStatus());
    EXPECT_EQ(Stream(device, own->handle()).CheckDevice(), absl::OkStatus());
    EXPECT_EQ(Stream(device, nullptr).CheckDevice(), absl::OkStatus());
    EXPECT_EQ(Stream(device, other->handle()).CheckDevice(),
              absl::InvalidArgumentError(
                  "expected a stream of CUDA device 0, but the stream is of device 1"));
  });
}

TEST(StreamTest, KnowsAStreamOfAnotherContext) {
  InProcess([] {
    OpenTestDriver();
    const std::shared_ptr<const Device> device = *Device::Open(0);
    if (DriverSymbol<void>("cuCtxCreate_v2") == nullptr) return;  // a stand-in without it
    ContextHandle context = nullptr;
    ASSERT_EQ(CallDriver("cuCtxCreate_v2", &context, 0U, 0), result::kSuccess);
    StreamHandle stream = nullptr;
    ASSERT_EQ(CallDriver("cuStreamCreate", &stream, kNonBlockingStream), result::kSuccess);
    const absl::Status status = Stream(device, stream).CheckDevice();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("another context"), HasSubstr("primary")));
    EXPECT_EQ(*FindDeviceOrdinal(stream), 0);
    EXPECT_EQ(CallDriver("cuStreamDestroy_v2", stream), result::kSuccess);
    EXPECT_EQ(CallDriver("cuCtxDestroy_v2", context), result::kSuccess);
  });
}

// ---- FindDeviceOrdinal

ContextHandle Current() {
  ContextHandle current = nullptr;
  CallDriver("cuCtxGetCurrent", &current);
  return current;
}

TEST(FindDeviceOrdinalTest, OfAStreamItIsThatOfItsContext) {
  InProcess([] {
    OpenTestDriver();
    for (int i = HasTwoDevices() ? 1 : 0; i >= 0; --i) {
      const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(i));
      EXPECT_EQ(*FindDeviceOrdinal(stream->handle()), i);
      EXPECT_EQ(Current(), nullptr);
      // Whatever context is current, which stays so.
      const std::shared_ptr<const Device> first = *Device::Open(0);
      const CurrentContext current(*first);
      EXPECT_EQ(*FindDeviceOrdinal(stream->handle()), i);
      EXPECT_EQ(Current(), first->context());
    }
  });
}

TEST(FindDeviceOrdinalTest, OfADefaultStreamItIsThatOfTheCurrentContext) {
  InProcess([] {
    OpenTestDriver();
    const int last = HasTwoDevices() ? 1 : 0;
    const std::shared_ptr<const Device> device = *Device::Open(last);
    const CurrentContext current(*device);
    for (uintptr_t stream : {uintptr_t{0}, uintptr_t{kLegacyStream}, uintptr_t{kPerThreadStream}}) {
      EXPECT_EQ(*FindDeviceOrdinal(reinterpret_cast<void*>(stream)), last);
    }
  });
}

TEST(FindDeviceOrdinalTest, WithoutAContextADefaultStreamHasNone) {
  InProcess([] {
    OpenTestDriver();
    const absl::Status status = FindDeviceOrdinal(nullptr).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(status.message(), HasSubstr("cuCtxGetDevice failed: CUDA_ERROR_INVALID_CONTEXT"));
  });
}

// The capture goes on.
TEST(FindDeviceOrdinalTest, OfACapturingStream) {
  InProcess([] {
    OpenTestDriver();
    const std::shared_ptr<const Device> device = *Device::Open(0);
    const std::unique_ptr<const Stream> stream = *Stream::Create(device);
    const CurrentContext current(*device);
    for (int mode : {0, 1, 2}) {  // global, of the thread, relaxed
      ASSERT_EQ(CallDriver("cuStreamBeginCapture_v2", stream->handle(), mode), result::kSuccess);
      EXPECT_EQ(*FindDeviceOrdinal(stream->handle()), 0);
      EXPECT_EQ(*FindDeviceOrdinal(nullptr), 0);
      void* graph = nullptr;
      EXPECT_EQ(CallDriver("cuStreamEndCapture", stream->handle(), &graph), result::kSuccess);
      EXPECT_EQ(CallDriver("cuGraphDestroy", graph), result::kSuccess);
    }
  });
}

}  // namespace
}  // namespace callbridge::cuda
