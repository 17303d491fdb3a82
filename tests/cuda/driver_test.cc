#include "callbridge/cuda/driver.h"

#include <set>
#include <thread>

#include "callbridge/cuda/device.h"
#include "callbridge/cuda/stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/test_driver.h"

namespace callbridge::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

absl::Status GetDriver() { return Driver::Get().status(); }

// ---- Drivers that are not there, or are of no use

TEST(DriverTest, SaysThatThereIsNoLibrary) {
  InProcess([] {
    if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;  // a machine with a driver
    const absl::Status status = GetDriver();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(status.message(), HasSubstr("libcuda.so.1"));
    // A second try finds a driver that is there by then.
    OpenDriver(CUDA_STANDIN);
    EXPECT_EQ(GetDriver(), absl::OkStatus());
  });
}

TEST(DriverTest, SaysThatTheDriverIsTooOld) {
  InProcess([] {
    OpenDriver(CUDA_DRIVERS "old_driver/libcuda.so.1");
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(GetDriver(), absl::UnavailableError(
                                 "the CUDA driver is too old: libcuda.so.1 supports CUDA 11.1, and "
                                 "callbridge needs 11.2 or newer"));
    }
  });
}

TEST(DriverTest, NamesTheFunctionsThatTheLibraryLacks) {
  InProcess([] {
    OpenDriver(CUDA_DRIVERS "lacking_driver/libcuda.so.1");
    const absl::Status status = GetDriver();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("libcuda.so.1 has no function "), HasSubstr("cuMemAlloc_v2"),
                      HasSubstr("cuMemAllocAsync"), Not(HasSubstr("cuInit"))));
  });
}

TEST(DriverTest, SaysThatThereIsNoDevice) {
  InProcess([] {
    SetForDriver("CALLBRIDGE_STANDIN_DEVICES", "0");
    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    OpenDriver(CUDA_STANDIN);
    const absl::Status status = GetDriver();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("cuInit failed: CUDA_ERROR_NO_DEVICE"), HasSubstr("libcuda.so.1"),
                      HasSubstr("CUDA_VISIBLE_DEVICES is \"7\"")));
  });
}

TEST(DriverTest, ASecondTryAfterAFailureWorks) {
  InProcess([] {
    SetForDriver("CALLBRIDGE_STANDIN_FAIL", "*:cuDriverGetVersion:1:999,*:cuInit:1:3");
    OpenDriver(CUDA_STANDIN);
    EXPECT_THAT(GetDriver().message(), HasSubstr("cuDriverGetVersion failed: CUDA_ERROR_UNKNOWN"));
    EXPECT_THAT(GetDriver().message(), HasSubstr("cuInit failed: CUDA_ERROR_NOT_INITIALIZED"));
    EXPECT_EQ(GetDriver(), absl::OkStatus());
  });
}

// ---- Errors

TEST(DriverTest, ErrorsNameTheFunctionAndCudasError) {
  InProcess([] {
    OpenTestDriver();
    const Driver& driver = **Driver::Get();
    const auto error = [&](Result result) { return driver.allocate.Error(result); };
    EXPECT_THAT(std::string(error(result::kInvalidValue).message()),
                testing::StartsWith("cuMemAlloc_v2 failed: CUDA_ERROR_INVALID_VALUE ("));
    EXPECT_EQ(error(result::kOutOfMemory).code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(error(result::kNoDevice).code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(error(result::kInvalidContext).code(), absl::StatusCode::kInternal);
    EXPECT_EQ(error(987654), absl::InternalError("cuMemAlloc_v2 failed: CUDA error 987654"));
  });
}

TEST(DriverTest, ErrorsThatLoseTheContextSaySo) {
  InProcess([] {
    OpenTestDriver();
    const Driver& driver = **Driver::Get();
    const auto text = [&](Result result) {
      return std::string(driver.stream_synchronize.Error(result).message());
    };
    for (Result lost : {214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719}) {
      EXPECT_THAT(text(lost),
                  AllOf(HasSubstr("cuStreamSynchronize failed: "),
                        HasSubstr("The CUDA context is lost"), HasSubstr("restart the process")));
    }
    for (Result kept : {1, 2, 201, 400, 600, 900, 999}) {
      EXPECT_THAT(text(kept), Not(HasSubstr("lost")));
    }
  });
}

// ---- Threads and processes

TEST(DriverTest, ThreadsGetOneDriver) {
  InProcess([] {
    OpenTestDriver();
    std::vector<const Driver*> drivers(16, nullptr);
    std::vector<std::thread> threads;
    for (const Driver*& driver : drivers) {
      threads.emplace_back([&driver] { driver = *Driver::Get(); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::set<const Driver*>(drivers.begin(), drivers.end()).size(), 1U);
  });
}

TEST(DriverTest, AForkedProcessGetsAnError) {
  InProcess([] {
    OpenTestDriver();
    const std::shared_ptr<const Device> device = *Device::Open(0);
    std::unique_ptr<const Stream> stream = *Stream::Create(device);
    const auto is_refused = [](const absl::Status& status) {
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      EXPECT_THAT(status.message(), HasSubstr("fork"));
    };
    const int status = InChild([&] {
      is_refused(GetDriver());
      is_refused(Device::Open(0).status());
      is_refused(Stream::Create(device).status());
      is_refused(stream->Synchronize());
      is_refused(device->CheckPointer("operand", &device));
      is_refused(FindDeviceOrdinal(stream->handle()).status());
      stream.reset();  // leaves the driver alone
      // Nor does it work in a process of that one.
      EXPECT_EQ(InChild([&] {
                  is_refused(GetDriver());
                  return testing::Test::HasFailure() ? 1 : 0;
                }),
                0);
      return testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(stream->Synchronize(), absl::OkStatus()) << "the parent's is as it was";
  });
}

TEST(DriverTest, AFailureLeavesNoTraceForForkedProcesses) {
  InProcess([] {
    SetForDriver("CALLBRIDGE_STANDIN_FAIL", "*:cuDriverGetVersion:1:999");
    OpenDriver(CUDA_STANDIN);
    EXPECT_FALSE(GetDriver().ok());
    EXPECT_EQ(InChild([] { return GetDriver().ok() ? 0 : 1; }), 0);
  });
}

}  // namespace
}  // namespace callbridge::cuda
