#include "callbridge/cuda/memory.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/test_driver.h"

namespace callbridge::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void AllocateAndFree() {
  const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
  for (size_t size : {size_t{0}, size_t{1}, size_t{255}, size_t{1} << 20}) {
    void* data = *Allocate(*stream, size);
    EXPECT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 256, 0U);
    const std::vector<char> in(size, 'x');
    std::vector<char> out(size);
    EXPECT_EQ(stream->CopyToDevice(data, in.data(), size), absl::OkStatus());
    EXPECT_EQ(stream->CopyToHost(out.data(), data, size), absl::OkStatus());
    EXPECT_EQ(Free(*stream, data), absl::OkStatus());
    EXPECT_EQ(stream->Synchronize(), absl::OkStatus());
    EXPECT_EQ(out, in);
  }
  EXPECT_EQ(Free(*stream, nullptr), absl::OkStatus());
}

TEST(MemoryTest, IsAllocatedAndFreed) {
  const Ledger ledger;
  InProcess([] {
    OpenTestDriver();
    AllocateAndFree();
  });
  EXPECT_EQ(ledger.Read(), "");
}

TEST(MemoryTest, AlsoOnDevicesWithoutPools) {
  const Ledger ledger;
  InProcess([] {
    OpenDriver(CUDA_DRIVERS "poolless_driver/libcuda.so.1");
    EXPECT_FALSE((*Device::Open(0))->has_memory_pools());
    AllocateAndFree();
  });
  EXPECT_EQ(ledger.Read(), "");
}

TEST(MemoryTest, TooMuchIsResourceExhausted) {
  for (const char* driver : {CUDA_STANDIN, CUDA_DRIVERS "poolless_driver/libcuda.so.1"}) {
    InProcess([=] {
      if (IsSystemDriver()) {
        OpenTestDriver();
      } else {
        OpenDriver(driver);
      }
      const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
      const absl::Status status = Allocate(*stream, size_t{1} << 50).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
      EXPECT_THAT(status.message(),
                  AllOf(HasSubstr("no 1125899906842624 bytes on CUDA device 0: cuMemAlloc"),
                        HasSubstr("failed: CUDA_ERROR_OUT_OF_MEMORY")));
      // The next allocation is none the worse for it.
      EXPECT_EQ(DeviceMemory::Allocate(*stream, 8).status(), absl::OkStatus());
    });
  }
}

TEST(MemoryTest, ABlockIsFreedOnce) {
  const Ledger ledger;
  InProcess([] {
    OpenTestDriver();
    const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
    DeviceMemory first = *DeviceMemory::Allocate(*stream, 8);
    void* const data = first.data();
    DeviceMemory second = std::move(first);
    EXPECT_EQ(second.data(), data);
    EXPECT_EQ(second.size(), 8U);
    first = *DeviceMemory::Allocate(*stream, 16);
    second = std::move(first);
    EXPECT_EQ(second.size(), 16U);
  });
  EXPECT_EQ(ledger.Read(), "");
}

// Each piece of work finds the memory as those before it on the stream left it.
TEST(MemoryTest, IsInTheOrderOfTheStream) {
  InProcess([] {
    SetForDriver("CALLBRIDGE_STANDIN_DELAY_US", "200");
    OpenTestDriver();
    const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
    std::vector<int> out(50, -1);
    for (int i = 0; i < 50; ++i) {
      const DeviceMemory memory = *DeviceMemory::Allocate(*stream, sizeof(int));
      EXPECT_EQ(stream->CopyToDevice(memory.data(), &i, sizeof(i)), absl::OkStatus());
      EXPECT_EQ(stream->CopyToHost(&out[i], memory.data(), sizeof(i)), absl::OkStatus());
    }
    EXPECT_EQ(stream->Synchronize(), absl::OkStatus());
    for (int i = 0; i < 50; ++i) EXPECT_EQ(out[i], i);
  });
}

}  // namespace
}  // namespace callbridge::cuda
