// Devices and contexts, two of them, and what one refuses of the other.
#include <thread>

#include "tests/gpu/driver/driver_under_test.h"

namespace standin {
namespace {

using ContextsTest = DriverTest;

TEST_F(ContextsTest, DevicesAreDescribed) {
  int count = 0;
  EXPECT_EQ(DeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_GE(count, 1);
  CUdevice device = -1;
  EXPECT_EQ(DeviceGet(&device, 0), CUDA_SUCCESS);
  EXPECT_EQ(DeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
  char text[64], name[64];
  EXPECT_EQ(DeviceGetName(name, 64, 0), CUDA_SUCCESS);
  EXPECT_EQ(DeviceGetPCIBusId(text, 64, 0), CUDA_SUCCESS);
  EXPECT_EQ(DeviceGetByPCIBusId(&device, text), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  int warp = 0;
  EXPECT_EQ(DeviceGetAttribute(&warp, 10, 0), CUDA_SUCCESS);
  EXPECT_EQ(warp, 32);
  int version = 0;
  EXPECT_EQ(DriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_GE(version, 12000);
  EXPECT_EQ(DriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ContextsTest, AThreadHasAStackOfThem) {
  CUcontext current = nullptr, made = nullptr;
  ASSERT_EQ(CtxCreate(&made, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(CtxGet(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, made);
  EXPECT_EQ(CtxPop(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, made);
  EXPECT_EQ(CtxGet(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context_);
  EXPECT_EQ(CtxPush(made), CUDA_SUCCESS);
  CUdevice device = -1;
  EXPECT_EQ(CtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(CtxDestroy(made), CUDA_SUCCESS);
  EXPECT_EQ(CtxGet(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context_);
  std::thread([] {
    CUcontext none = reinterpret_cast<CUcontext>(1);
    EXPECT_EQ(CtxGet(&none), CUDA_SUCCESS);
    EXPECT_EQ(none, nullptr);
    CUdeviceptr address;
    EXPECT_EQ(MemAlloc(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    CUstream stream;
    EXPECT_EQ(StreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(CtxPop(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST_F(ContextsTest, ThePrimaryContextIsSharedAndCounted) {
  CUcontext again = nullptr;
  EXPECT_EQ(PrimaryRetain(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(again, context_);
  int active = 0;
  EXPECT_EQ(PrimaryGetState(0, nullptr, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(PrimaryRelease(0), CUDA_SUCCESS);
  EXPECT_EQ(CtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(PrimaryRetain(&again, 64), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(ContextsTest, EventsAndStreamsOfTwoContextsDoNotMix) {
  const CUstream stream = MadeStream();
  CUcontext other = nullptr;
  ASSERT_EQ(CtxCreate(&other, 0, 0), CUDA_SUCCESS);
  CUevent event = nullptr;
  ASSERT_EQ(EventCreate(&event, 0), CUDA_SUCCESS);
  EXPECT_EQ(EventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(EventRecord(event, nullptr), CUDA_SUCCESS);
  // But a stream may wait for an event of any context.
  EXPECT_EQ(StreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(EventDestroy(event), CUDA_SUCCESS);
  EXPECT_EQ(CtxDestroy(other), CUDA_SUCCESS);
  StreamDestroy(stream);
}

TEST_F(ContextsTest, TwoDevices) {
  int count = 0;
  ASSERT_EQ(DeviceGetCount(&count), CUDA_SUCCESS);
  if (count < 2) GTEST_SKIP() << "this machine has one device";
  const CUdeviceptr a = Holding({1, 2});
  CUcontext second = nullptr;
  ASSERT_EQ(PrimaryRetain(&second, 1), CUDA_SUCCESS);
  ASSERT_EQ(CtxSet(second), CUDA_SUCCESS);
  const CUdeviceptr b = Allocated(8);
  int ordinal = -1;
  EXPECT_EQ(PointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, b), CUDA_SUCCESS);
  EXPECT_EQ(ordinal, 1);
  EXPECT_EQ(MemcpyPeer(b, second, a, context_, 8), CUDA_SUCCESS);
  EXPECT_EQ(Contents(b, 2), (std::vector<int>{1, 2}));
  // Whichever context is current.
  EXPECT_EQ(MemFree(a), CUDA_SUCCESS);
  EXPECT_EQ(MemFree(b), CUDA_SUCCESS);
  EXPECT_EQ(CtxSet(context_), CUDA_SUCCESS);
  EXPECT_EQ(PrimaryRelease(1), CUDA_SUCCESS);
}

}  // namespace
}  // namespace standin
