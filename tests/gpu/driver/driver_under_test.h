// The driver that these tests call: the stand-in, or the library that CALLBRIDGE_DRIVER names, e.g.
// a real libcuda.so.1.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_DRIVER_UNDER_TEST_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_DRIVER_UNDER_TEST_H_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <type_traits>
#include <vector>

#include "tests/gpu/driver/driver_types.h"

namespace standin {

inline void* TheDriver() {
  static void* const driver = [] {
    const char* path = getenv("CALLBRIDGE_DRIVER");
    void* opened = dlopen(path != nullptr ? path : STANDIN_DRIVER, RTLD_NOW);
    if (opened == nullptr) abort();
    return opened;
  }();
  return driver;
}

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(TheDriver(), name));
}

inline bool IsStandIn() { return dlsym(TheDriver(), "standin_calls") != nullptr; }

#define ONLY_ON_THE_STANDIN(reason) \
  if (!IsStandIn()) GTEST_SKIP() << "a real driver: " << (reason)

template <typename... Parameters>
class DriverFunction {
 public:
  explicit DriverFunction(const char* name) : function_(Find<CUresult (*)(Parameters...)>(name)) {}
  CUresult operator()(Parameters... arguments) const { return function_(arguments...); }

 private:
  CUresult (*function_)(Parameters...);
};

#define DRIVER(name, exported, ...) \
  inline const DriverFunction<__VA_ARGS__> name { exported }

DRIVER(Init, "cuInit", unsigned);
DRIVER(DriverGetVersion, "cuDriverGetVersion", int*);
DRIVER(GetProcAddress, "cuGetProcAddress_v2", const char*, void**, int, uint64_t,
       CUdriverProcAddressQueryResult*);
DRIVER(GetErrorName, "cuGetErrorName", CUresult, const char**);
DRIVER(DeviceGetCount, "cuDeviceGetCount", int*);
DRIVER(DeviceGet, "cuDeviceGet", CUdevice*, int);
DRIVER(DeviceGetName, "cuDeviceGetName", char*, int, CUdevice);
DRIVER(DeviceGetAttribute, "cuDeviceGetAttribute", int*, int, CUdevice);
DRIVER(DeviceCanAccessPeer, "cuDeviceCanAccessPeer", int*, CUdevice, CUdevice);
DRIVER(DeviceGetPCIBusId, "cuDeviceGetPCIBusId", char*, int, CUdevice);
DRIVER(DeviceGetByPCIBusId, "cuDeviceGetByPCIBusId", CUdevice*, const char*);
DRIVER(PrimaryRetain, "cuDevicePrimaryCtxRetain", CUcontext*, CUdevice);
DRIVER(PrimaryRelease, "cuDevicePrimaryCtxRelease_v2", CUdevice);
DRIVER(PrimaryReset, "cuDevicePrimaryCtxReset_v2", CUdevice);
DRIVER(PrimaryGetState, "cuDevicePrimaryCtxGetState", CUdevice, unsigned*, int*);
DRIVER(CtxCreate, "cuCtxCreate_v2", CUcontext*, unsigned, CUdevice);
DRIVER(CtxDestroy, "cuCtxDestroy_v2", CUcontext);
DRIVER(CtxPush, "cuCtxPushCurrent_v2", CUcontext);
DRIVER(CtxPop, "cuCtxPopCurrent_v2", CUcontext*);
DRIVER(CtxSet, "cuCtxSetCurrent", CUcontext);
DRIVER(CtxGet, "cuCtxGetCurrent", CUcontext*);
DRIVER(CtxGetDevice, "cuCtxGetDevice", CUdevice*);
inline const DriverFunction<> CtxSynchronize{"cuCtxSynchronize"};
DRIVER(MemAlloc, "cuMemAlloc_v2", CUdeviceptr*, size_t);
DRIVER(MemFree, "cuMemFree_v2", CUdeviceptr);
DRIVER(MemGetInfo, "cuMemGetInfo_v2", size_t*, size_t*);
DRIVER(MemGetAddressRange, "cuMemGetAddressRange_v2", CUdeviceptr*, size_t*, CUdeviceptr);
DRIVER(PointerGetAttribute, "cuPointerGetAttribute", void*, CUpointer_attribute, CUdeviceptr);
DRIVER(PointerGetAttributes, "cuPointerGetAttributes", unsigned, CUpointer_attribute*, void**,
       CUdeviceptr);
DRIVER(MemHostAlloc, "cuMemHostAlloc", void**, size_t, unsigned);
DRIVER(MemFreeHost, "cuMemFreeHost", void*);
DRIVER(MemHostRegister, "cuMemHostRegister_v2", void*, size_t, unsigned);
DRIVER(MemHostUnregister, "cuMemHostUnregister", void*);
DRIVER(MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", CUdeviceptr*, void*, unsigned);
DRIVER(HtoD, "cuMemcpyHtoD_v2", CUdeviceptr, const void*, size_t);
DRIVER(DtoH, "cuMemcpyDtoH_v2", void*, CUdeviceptr, size_t);
DRIVER(DtoD, "cuMemcpyDtoD_v2", CUdeviceptr, CUdeviceptr, size_t);
DRIVER(HtoDAsync, "cuMemcpyHtoDAsync_v2", CUdeviceptr, const void*, size_t, CUstream);
DRIVER(DtoHAsync, "cuMemcpyDtoHAsync_v2", void*, CUdeviceptr, size_t, CUstream);
DRIVER(DtoDAsync, "cuMemcpyDtoDAsync_v2", CUdeviceptr, CUdeviceptr, size_t, CUstream);
DRIVER(Memcpy, "cuMemcpy", CUdeviceptr, CUdeviceptr, size_t);
DRIVER(MemcpyPeer, "cuMemcpyPeer", CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);
DRIVER(Memcpy2D, "cuMemcpy2D_v2", const CUDA_MEMCPY2D*);
DRIVER(MemsetD8, "cuMemsetD8_v2", CUdeviceptr, unsigned char, size_t);
DRIVER(MemsetD32, "cuMemsetD32_v2", CUdeviceptr, unsigned, size_t);
DRIVER(MemsetD32Async, "cuMemsetD32Async", CUdeviceptr, unsigned, size_t, CUstream);
DRIVER(Granularity, "cuMemGetAllocationGranularity", size_t*, const CUmemAllocationProp*, int);
DRIVER(AddressReserve, "cuMemAddressReserve", CUdeviceptr*, size_t, size_t, CUdeviceptr, uint64_t);
DRIVER(AddressFree, "cuMemAddressFree", CUdeviceptr, size_t);
DRIVER(MemCreate, "cuMemCreate", CUmemGenericAllocationHandle*, size_t, const CUmemAllocationProp*,
       uint64_t);
DRIVER(MemRelease, "cuMemRelease", CUmemGenericAllocationHandle);
DRIVER(MemMap, "cuMemMap", CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, uint64_t);
DRIVER(MemUnmap, "cuMemUnmap", CUdeviceptr, size_t);
DRIVER(MemSetAccess, "cuMemSetAccess", CUdeviceptr, size_t, const CUmemAccessDesc*, size_t);
DRIVER(AllocAsync, "cuMemAllocAsync", CUdeviceptr*, size_t, CUstream);
DRIVER(FreeAsync, "cuMemFreeAsync", CUdeviceptr, CUstream);
DRIVER(AllocFromPoolAsync, "cuMemAllocFromPoolAsync", CUdeviceptr*, size_t, CUmemoryPool, CUstream);
DRIVER(DefaultMemPool, "cuDeviceGetDefaultMemPool", CUmemoryPool*, CUdevice);
DRIVER(GetMemPool, "cuDeviceGetMemPool", CUmemoryPool*, CUdevice);
DRIVER(SetMemPool, "cuDeviceSetMemPool", CUdevice, CUmemoryPool);
DRIVER(PoolCreate, "cuMemPoolCreate", CUmemoryPool*, const CUmemPoolProps*);
DRIVER(PoolDestroy, "cuMemPoolDestroy", CUmemoryPool);
DRIVER(PoolGet, "cuMemPoolGetAttribute", CUmemoryPool, int, void*);
DRIVER(PoolSet, "cuMemPoolSetAttribute", CUmemoryPool, int, void*);
DRIVER(StreamCreate, "cuStreamCreate", CUstream*, unsigned);
DRIVER(StreamDestroy, "cuStreamDestroy_v2", CUstream);
DRIVER(StreamSynchronize, "cuStreamSynchronize", CUstream);
DRIVER(StreamQuery, "cuStreamQuery", CUstream);
DRIVER(StreamGetCtx, "cuStreamGetCtx", CUstream, CUcontext*);
DRIVER(StreamWaitEvent, "cuStreamWaitEvent", CUstream, CUevent, unsigned);
DRIVER(StreamAddCallback, "cuStreamAddCallback", CUstream, CUstreamCallback, void*, unsigned);
DRIVER(LaunchHostFunc, "cuLaunchHostFunc", CUstream, CUhostFn, void*);
DRIVER(EventCreate, "cuEventCreate", CUevent*, unsigned);
DRIVER(EventDestroy, "cuEventDestroy_v2", CUevent);
DRIVER(EventRecord, "cuEventRecord", CUevent, CUstream);
DRIVER(EventQuery, "cuEventQuery", CUevent);
DRIVER(EventSynchronize, "cuEventSynchronize", CUevent);
DRIVER(EventElapsedTime, "cuEventElapsedTime", float*, CUevent, CUevent);
DRIVER(BeginCapture, "cuStreamBeginCapture_v2", CUstream, CUstreamCaptureMode);
DRIVER(BeginCaptureToGraph, "cuStreamBeginCaptureToGraph", CUstream, CUgraph, const CUgraphNode*,
       const void*, size_t, CUstreamCaptureMode);
DRIVER(EndCapture, "cuStreamEndCapture", CUstream, CUgraph*);
DRIVER(IsCapturing, "cuStreamIsCapturing", CUstream, CUstreamCaptureStatus*);
DRIVER(GetCaptureInfo, "cuStreamGetCaptureInfo_v2", CUstream, CUstreamCaptureStatus*, uint64_t*,
       CUgraph*, const CUgraphNode**, size_t*);
DRIVER(ExchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", CUstreamCaptureMode*);
DRIVER(GraphCreate, "cuGraphCreate", CUgraph*, unsigned);
DRIVER(GraphDestroy, "cuGraphDestroy", CUgraph);
DRIVER(GraphAddNode, "cuGraphAddNode", CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
       CUgraphNodeParams*);
DRIVER(GraphAddMemcpyNode, "cuGraphAddMemcpyNode", CUgraphNode*, CUgraph, const CUgraphNode*,
       size_t, const CUDA_MEMCPY3D*, CUcontext);
DRIVER(GraphAddHostNode, "cuGraphAddHostNode", CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
       const CUDA_HOST_NODE_PARAMS*);
DRIVER(GraphAddChildGraphNode, "cuGraphAddChildGraphNode", CUgraphNode*, CUgraph,
       const CUgraphNode*, size_t, CUgraph);
DRIVER(GraphAddDependencies, "cuGraphAddDependencies", CUgraph, const CUgraphNode*,
       const CUgraphNode*, size_t);
DRIVER(GraphGetNodes, "cuGraphGetNodes", CUgraph, CUgraphNode*, size_t*);
DRIVER(GraphGetRootNodes, "cuGraphGetRootNodes", CUgraph, CUgraphNode*, size_t*);
DRIVER(GraphNodeGetType, "cuGraphNodeGetType", CUgraphNode, CUgraphNodeType*);
DRIVER(GraphInstantiate, "cuGraphInstantiateWithFlags", CUgraphExec*, CUgraph, uint64_t);
DRIVER(GraphExecDestroy, "cuGraphExecDestroy", CUgraphExec);
DRIVER(GraphExecUpdate, "cuGraphExecUpdate_v2", CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo*);
DRIVER(ExecHostNodeSetParams, "cuGraphExecHostNodeSetParams", CUgraphExec, CUgraphNode,
       const CUDA_HOST_NODE_PARAMS*);
DRIVER(ExecChildGraphNodeSetParams, "cuGraphExecChildGraphNodeSetParams", CUgraphExec, CUgraphNode,
       CUgraph);
DRIVER(GraphLaunch, "cuGraphLaunch", CUgraphExec, CUstream);
DRIVER(ModuleLoadData, "cuModuleLoadData", CUmodule*, const void*);
DRIVER(ModuleUnload, "cuModuleUnload", CUmodule);
DRIVER(ModuleGetFunction, "cuModuleGetFunction", CUfunction*, CUmodule, const char*);
DRIVER(ModuleGetGlobal, "cuModuleGetGlobal_v2", CUdeviceptr*, size_t*, CUmodule, const char*);
DRIVER(FuncGetAttribute, "cuFuncGetAttribute", int*, int, CUfunction);
DRIVER(LaunchKernel, "cuLaunchKernel", CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
       unsigned, unsigned, CUstream, void**, void**);

#undef DRIVER

// Device 0's primary context is current.
class DriverTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Init(0), CUDA_SUCCESS);
    ASSERT_EQ(PrimaryRetain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(CtxSet(context_), CUDA_SUCCESS);
  }
  void TearDown() override {
    CtxSet(nullptr);
    PrimaryRelease(0);
  }

  static CUdeviceptr Allocated(size_t size) {
    CUdeviceptr address = 0;
    EXPECT_EQ(MemAlloc(&address, size), CUDA_SUCCESS);
    return address;
  }
  static CUdeviceptr Holding(const std::vector<int>& values) {
    const CUdeviceptr address = Allocated(values.size() * sizeof(int));
    EXPECT_EQ(HtoD(address, values.data(), values.size() * sizeof(int)), CUDA_SUCCESS);
    return address;
  }
  static std::vector<int> Contents(CUdeviceptr address, size_t count) {
    std::vector<int> values(count);
    EXPECT_EQ(DtoH(values.data(), address, count * sizeof(int)), CUDA_SUCCESS);
    return values;
  }
  static CUstream MadeStream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_EQ(StreamCreate(&stream, flags), CUDA_SUCCESS);
    return stream;
  }

  CUcontext context_ = nullptr;
};

// A host function that keeps a stream waiting until it is opened.
class Gate {
 public:
  void Close(CUstream stream) { ASSERT_EQ(LaunchHostFunc(stream, Wait, this), CUDA_SUCCESS); }
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  static void Wait(void* data) {
    auto* gate = static_cast<Gate*>(data);
    std::unique_lock<std::mutex> lock(gate->mutex_);
    gate->opened_.wait(lock, [gate] { return gate->is_open_; });
  }
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_DRIVER_UNDER_TEST_H_
