#include "callbridge/cuda/capture.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/capturing_stream.h"

namespace callbridge::cuda {
namespace {

TEST(CaptureProgressTest, NothingIsKnownWithoutADriver) {
  InProcess([] {
    if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;  // a machine with a driver
    const CaptureProgress progress = CaptureProgress::Of(nullptr);
    EXPECT_FALSE(progress.is_active());
    EXPECT_FALSE(progress.is_invalidated());
  });
}

TEST(CaptureProgressTest, AStreamThatDoesNotCapture) {
  InProcess([] {
    OpenTestDriver();
    const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
    const CurrentContext current(*stream->device());
    for (void* handle : {stream->handle(), static_cast<void*>(nullptr)}) {
      EXPECT_FALSE(CaptureProgress::Of(handle).is_active());
      EXPECT_FALSE(CaptureProgress::Of(handle).is_invalidated());
    }
  });
}

TEST(CaptureProgressTest, WhatIsSubmittedToTheStreamIsProgress) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    CaptureProgress last = CaptureProgress::Of(stream.handle());
    EXPECT_TRUE(last.is_active());
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(CaptureProgress::Of(stream.handle()).IsAt(last)) << "asking changes nothing";
      stream.Fill(stream.handle());
      const CaptureProgress next = CaptureProgress::Of(stream.handle());
      EXPECT_TRUE(next.is_active());
      EXPECT_FALSE(next.IsAt(last));
      EXPECT_TRUE(next.IsAt(next));
      last = next;
    }
  });
}

TEST(CaptureProgressTest, WorkOnTheDefaultStreamIsNone) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    const CaptureProgress before = CaptureProgress::Of(stream.handle());
    stream.Fill(nullptr);
    const CaptureProgress after = CaptureProgress::Of(stream.handle());
    EXPECT_TRUE(after.is_active());
    EXPECT_TRUE(after.IsAt(before));
  });
}

// As NCCL adds its kernels: to the graph, not through the stream.
TEST(CaptureProgressTest, ANodeThatIsAddedToTheGraphIsProgress) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    const CaptureProgress before = CaptureProgress::Of(stream.handle());
    const Driver& driver = **Driver::Get();
    CaptureStatus status = kIsNotCapturing;
    GraphHandle graph = nullptr;
    ASSERT_EQ(driver.stream_get_capture_info.Call(stream.handle(), &status, nullptr, &graph,
                                                  nullptr, nullptr),
              result::kSuccess);
    NodeHandle node = nullptr;
    ASSERT_EQ(CallDriver("cuGraphAddEmptyNode", &node, graph, static_cast<NodeHandle*>(nullptr),
                         size_t{0}),
              result::kSuccess);
    EXPECT_FALSE(CaptureProgress::Of(stream.handle()).IsAt(before));
  });
}

TEST(CaptureProgressTest, AnInvalidatedCaptureSaysSo) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    stream.Wait();
    EXPECT_TRUE(CaptureProgress::Of(stream.handle()).is_invalidated());
    EXPECT_FALSE(CaptureProgress::Of(stream.handle()).is_active());
  });
}

TEST(CaptureProgressTest, WhatTheDriverRefusesToSayIsUnknown) {
  InProcess([] {
    SetForDriver("CALLBRIDGE_STANDIN_FAIL",
                 "*:cuStreamGetCaptureInfo_v2:2:914,*:cuGraphGetNodes:2:999");
    OpenDriver(CUDA_STANDIN);
    const CapturingStream stream;
    EXPECT_TRUE(CaptureProgress::Of(stream.handle()).is_active());
    for (const char* function : {"cuStreamGetCaptureInfo_v2", "cuGraphGetNodes"}) {
      const CaptureProgress unknown = CaptureProgress::Of(stream.handle());
      EXPECT_FALSE(unknown.is_active()) << function;
      EXPECT_FALSE(unknown.is_invalidated()) << function;
    }
    EXPECT_TRUE(CaptureProgress::Of(stream.handle()).is_active());
  });
}

// One of CUDA 11.2.
TEST(CaptureProgressTest, ADriverThatLacksTheFunctionServesAllElse) {
  InProcess([] {
    OpenDriver(CUDA_DRIVERS "poolless_driver/libcuda.so.1");
    const std::unique_ptr<const Stream> stream = *Stream::Create(*Device::Open(0));
    EXPECT_FALSE((*Driver::Get())->stream_get_capture_info.is_there());
    EXPECT_FALSE(CaptureProgress::Of(stream->handle()).is_active());
  });
}

TEST(CaptureProgressTest, AForkedProcessKnowsNothing) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    EXPECT_TRUE(CaptureProgress::Of(stream.handle()).is_active());
    EXPECT_EQ(InChild([&] { return CaptureProgress::Of(stream.handle()).is_active() ? 1 : 0; }), 0);
  });
}

}  // namespace
}  // namespace callbridge::cuda
