// Streams, events, host functions and the default streams.
#include <atomic>
#include <thread>

#include "tests/gpu/driver/driver_under_test.h"
#include "tests/gpu/driver/standin.h"

namespace standin {
namespace {

using StreamsTest = DriverTest;

TEST_F(StreamsTest, WorkIsDoneLater) {
  const CUstream stream = MadeStream();
  const CUdeviceptr a = Holding({1});
  void* pinned = nullptr;
  ASSERT_EQ(MemHostAlloc(&pinned, 4, 0), CUDA_SUCCESS);
  *static_cast<int*>(pinned) = -1;
  Gate gate;
  gate.Close(stream);
  EXPECT_EQ(DtoHAsync(pinned, a, 4, stream), CUDA_SUCCESS);
  EXPECT_EQ(StreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(*static_cast<int*>(pinned), -1);
  gate.Open();
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(StreamQuery(stream), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<int*>(pinned), 1);
  MemFreeHost(pinned);
  MemFree(a);
  StreamDestroy(stream);
}

TEST_F(StreamsTest, AProgramThatDoesNotWaitReadsWhatWasThereBefore) {
  ONLY_ON_THE_STANDIN("nothing holds its streams");
  const CUstream stream = MadeStream();
  const CUdeviceptr a = Holding({1});
  void* pinned = nullptr;
  ASSERT_EQ(MemHostAlloc(&pinned, 4, 0), CUDA_SUCCESS);
  *static_cast<int*>(pinned) = -1;
  Find<void (*)()>("standin_hold_streams")();
  EXPECT_EQ(DtoHAsync(pinned, a, 4, stream), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<int*>(pinned), -1);
  Find<void (*)()>("standin_release_streams")();
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<int*>(pinned), 1);
  MemFreeHost(pinned);
  MemFree(a);
  StreamDestroy(stream);
}

TEST_F(StreamsTest, PageableMemoryIsReadWhenACopyIsCalled) {
  const CUstream stream = MadeStream();
  const CUdeviceptr a = Holding({0});
  Gate gate;
  gate.Close(stream);
  int host = 5;
  EXPECT_EQ(HtoDAsync(a, &host, 4, stream), CUDA_SUCCESS);
  host = 6;
  gate.Open();
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(Contents(a, 1), std::vector<int>{5});
  MemFree(a);
  StreamDestroy(stream);
}

TEST_F(StreamsTest, TheLegacyStreamWaitsForBlockingStreamsAlone) {
  const CUstream blocking = MadeStream(CU_STREAM_DEFAULT);
  const CUstream other = MadeStream();
  for (const CUstream stream : {blocking, other}) {
    Gate gate;
    gate.Close(stream);
    std::atomic<bool> ran{false};
    EXPECT_EQ(LaunchHostFunc(
                  nullptr, [](void* data) { *static_cast<std::atomic<bool>*>(data) = true; }, &ran),
              CUDA_SUCCESS);
    if (stream == other) {
      EXPECT_EQ(StreamSynchronize(nullptr), CUDA_SUCCESS);
      EXPECT_TRUE(ran);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_FALSE(ran);
      EXPECT_EQ(StreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    }
    gate.Open();
    EXPECT_EQ(CtxSynchronize(), CUDA_SUCCESS);
    EXPECT_TRUE(ran);
  }
  // And they for it.
  Gate gate;
  gate.Close(nullptr);
  std::atomic<bool> ran{false};
  EXPECT_EQ(LaunchHostFunc(
                blocking, [](void* data) { *static_cast<std::atomic<bool>*>(data) = true; }, &ran),
            CUDA_SUCCESS);
  EXPECT_EQ(StreamQuery(blocking), CUDA_ERROR_NOT_READY);
  EXPECT_FALSE(ran);
  gate.Open();
  EXPECT_EQ(StreamSynchronize(blocking), CUDA_SUCCESS);
  EXPECT_TRUE(ran);
  StreamDestroy(blocking);
  StreamDestroy(other);
}

TEST_F(StreamsTest, EachThreadHasAStream) {
  Gate gate;
  gate.Close(kPerThreadStream);
  std::thread([this] {
    ASSERT_EQ(CtxSet(context_), CUDA_SUCCESS);
    EXPECT_EQ(LaunchHostFunc(
                  kPerThreadStream, [](void*) {}, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(StreamSynchronize(kPerThreadStream), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(StreamQuery(kPerThreadStream), CUDA_ERROR_NOT_READY);
  gate.Open();
  EXPECT_EQ(StreamSynchronize(kPerThreadStream), CUDA_SUCCESS);
}

TEST_F(StreamsTest, HostFunctionsCannotCallTheDriver) {
  const CUstream stream = MadeStream();
  CUresult result = CUDA_SUCCESS;
  EXPECT_EQ(LaunchHostFunc(
                stream,
                [](void* data) {
                  CUdeviceptr address;
                  *static_cast<CUresult*>(data) = MemAlloc(&address, 4);
                },
                &result),
            CUDA_SUCCESS);
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(result, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(LaunchHostFunc(stream, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      StreamAddCallback(
          stream,
          [](CUstream, CUresult status, void* data) { *static_cast<CUresult*>(data) = status; },
          &result, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(result, CUDA_SUCCESS);
  StreamDestroy(stream);
}

TEST_F(StreamsTest, EventsOrderStreams) {
  const CUstream first = MadeStream(), second = MadeStream();
  CUevent event = nullptr, later = nullptr;
  ASSERT_EQ(EventCreate(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(EventCreate(&later, 0), CUDA_SUCCESS);
  EXPECT_EQ(EventQuery(event), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(EventElapsedTime(&milliseconds, event, later), CUDA_ERROR_INVALID_HANDLE);
  Gate gate;
  gate.Close(first);
  EXPECT_EQ(EventRecord(event, first), CUDA_SUCCESS);
  EXPECT_EQ(StreamWaitEvent(second, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(EventRecord(later, second), CUDA_SUCCESS);
  EXPECT_EQ(EventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(StreamQuery(second), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(EventElapsedTime(&milliseconds, event, later), CUDA_ERROR_NOT_READY);
  gate.Open();
  EXPECT_EQ(EventSynchronize(later), CUDA_SUCCESS);
  EXPECT_EQ(EventQuery(event), CUDA_SUCCESS);
  EXPECT_EQ(EventElapsedTime(&milliseconds, event, later), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(EventDestroy(event), CUDA_SUCCESS);
  EXPECT_EQ(EventDestroy(later), CUDA_SUCCESS);
  StreamDestroy(first);
  StreamDestroy(second);
}

TEST_F(StreamsTest, KnowsItsContext) {
  const CUstream stream = MadeStream();
  CUcontext context = nullptr;
  EXPECT_EQ(StreamGetCtx(stream, &context), CUDA_SUCCESS);
  EXPECT_EQ(context, context_);
  EXPECT_EQ(StreamGetCtx(nullptr, &context), CUDA_SUCCESS);
  EXPECT_EQ(context, context_);
  CtxSet(nullptr);
  EXPECT_EQ(StreamGetCtx(nullptr, &context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(StreamGetCtx(stream, &context), CUDA_SUCCESS);
  CtxSet(context_);
  StreamDestroy(stream);
}

TEST_F(StreamsTest, StaleHandlesAreRefused) {
  ONLY_ON_THE_STANDIN("it may crash");
  const CUstream stream = MadeStream();
  EXPECT_EQ(StreamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(StreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(StreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(MemsetD32Async(0, 0, 0, stream), CUDA_ERROR_INVALID_HANDLE);
  CUevent event = nullptr;
  ASSERT_EQ(EventCreate(&event, 0), CUDA_SUCCESS);
  EXPECT_EQ(EventDestroy(event), CUDA_SUCCESS);
  EXPECT_EQ(EventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(EventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace standin
