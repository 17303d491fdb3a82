// What PyTorch calls in libcudart to have tensors on a device: devices, memory, streams, events.
// Each call goes to the driver. The rest of what it imports is in refused_calls.cc.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/libraries/device_properties.h"
#include "tests/gpu/driver/libraries/runtime.h"

using namespace standin;  // NOLINT(google-build-using-namespace): the exported functions stand
                          // outside of it

extern "C" {
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest);
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device);
CUresult cuDeviceGetName(char* name, int size, CUdevice device);
CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device);
CUresult cuEventCreate(CUevent* event, unsigned flags);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end);
CUresult cuEventQuery(CUevent event);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags);
CUresult cuEventSynchronize(CUevent event);
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t flags,
                             CUdriverProcAddressQueryResult* result);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data);
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t size, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult cuMemFreeHost(void* pointer);
CUresult cuMemGetInfo_v2(size_t* free, size_t* total);
CUresult cuMemHostAlloc(void** pointer, size_t size, unsigned flags);
CUresult cuMemHostRegister_v2(void* pointer, size_t size, unsigned flags);
CUresult cuMemHostUnregister(void* pointer);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t size, CUstream stream);
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                             unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, uint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies, size_t* count);
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, uint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   const void** edges, size_t* count);
CUresult cuStreamGetPriority(CUstream stream, int* priority);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode);
}

namespace standin {
namespace {

constexpr const DeviceProperties& kLayout =
    CUDART_VERSION >= 13000 ? kCuda13Properties : kCuda12Properties;
constexpr size_t kNameSize = 256;

struct Property {
  size_t offset;
  int attribute;  // CUdevice_attribute
  bool is_size;   // a size_t, else an int
};
constexpr Property kProperties[] = {
    {kLayout.sharedMemPerBlock, 8, true},
    {kLayout.regsPerBlock, 12, false},
    {kLayout.warpSize, 10, false},
    {kLayout.maxThreadsPerBlock, 1, false},
    {kLayout.major, 75, false},
    {kLayout.minor, 76, false},
    {kLayout.multiProcessorCount, 16, false},
    {kLayout.pciBusID, 33, false},
    {kLayout.l2CacheSize, 38, false},
    {kLayout.maxThreadsPerMultiProcessor, 39, false},
    {kLayout.sharedMemPerMultiprocessor, 81, true},
    {kLayout.regsPerMultiprocessor, 82, false},
    {kLayout.sharedMemPerBlockOptin, 97, true},
};

CUresult FillProperties(char* properties, int device) {
  memset(properties, 0, kLayout.size);
  CUresult result = cuDeviceGetName(properties, kNameSize, device);
  if (result == CUDA_SUCCESS) {
    result = cuDeviceGetUuid_v2(reinterpret_cast<CUuuid*>(properties + kLayout.uuid), device);
  }
  if (result == CUDA_SUCCESS) {
    result =
        cuDeviceTotalMem_v2(reinterpret_cast<size_t*>(properties + kLayout.totalGlobalMem), device);
  }
  for (const Property& property : kProperties) {
    int value = 0;
    if (result == CUDA_SUCCESS) result = cuDeviceGetAttribute(&value, property.attribute, device);
    const auto size = static_cast<size_t>(value);
    char* const to = properties + property.offset;
    if (property.is_size) {
      memcpy(to, &size, sizeof(size));
    } else {
      memcpy(to, &value, sizeof(value));
    }
  }
  return result;
}

// Calls the driver with the thread's context, as libcudart does. Remembers an error.
template <typename... Parameters, typename... Arguments>
CUresult InContext(CUresult (*function)(Parameters...), Arguments... arguments) {
  CUcontext context = nullptr;
  const CUresult result = CurrentContext(&context);
  return Keep(result != CUDA_SUCCESS ? result : function(arguments...));
}

CUdeviceptr Address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

struct PointerAttributes {
  int type;  // 0: unregistered, 1: host, 2: device
  int device;
  void* device_pointer;
  void* host_pointer;
};

}  // namespace
}  // namespace standin

// ---- Devices ------------------------------------------------------------------------------------

#if CUDART_VERSION >= 13000
RUNTIME_FUNCTION(CUresult, cudaGetDeviceProperties, char* properties, int device) {
#else
RUNTIME_FUNCTION(CUresult, cudaGetDeviceProperties_v2, char* properties, int device) {
#endif
  return Keep(FillProperties(properties, device));
}

RUNTIME_FUNCTION(CUresult, cudaDeviceGetPCIBusId, char* text, int size, int device) {
  return Keep(cuDeviceGetPCIBusId(text, size, device));
}

RUNTIME_FUNCTION(CUresult, cudaDeviceGetStreamPriorityRange, int* least, int* greatest) {
  return InContext(cuCtxGetStreamPriorityRange, least, greatest);
}

RUNTIME_FUNCTION(CUresult, cudaDeviceCanAccessPeer, int* can, int device, int peer) {
  return Keep(cuDeviceCanAccessPeer(can, device, peer));
}

RUNTIME_FUNCTION(CUresult, cudaDeviceEnablePeerAccess, int peer, unsigned flags) {
  CUcontext context = nullptr;
  const CUresult result = PrimaryContext(peer, &context);
  return result != CUDA_SUCCESS ? Keep(result) : InContext(cuCtxEnablePeerAccess, context, flags);
}

// `found` says so of a function that the driver does not have, which is no error.
RUNTIME_FUNCTION(CUresult, cudaGetDriverEntryPointByVersion, const char* symbol, void** function,
                 unsigned version, unsigned long long flags,
                 CUdriverProcAddressQueryResult* found) {
  const CUresult result =
      cuGetProcAddress_v2(symbol, function, static_cast<int>(version), flags, found);
  return result == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : Keep(result);
}

// ---- Memory -------------------------------------------------------------------------------------

RUNTIME_FUNCTION(CUresult, cudaMemGetInfo, size_t* free, size_t* total) {
  return InContext(cuMemGetInfo_v2, free, total);
}

RUNTIME_FUNCTION(CUresult, cudaHostAlloc, void** pointer, size_t size, unsigned flags) {
  return InContext(cuMemHostAlloc, pointer, size, flags);
}

RUNTIME_FUNCTION(CUresult, cudaMallocHost, void** pointer, size_t size) {
  return InContext(cuMemHostAlloc, pointer, size, 0U);
}

RUNTIME_FUNCTION(CUresult, cudaFreeHost, void* pointer) {
  return pointer == nullptr ? CUDA_SUCCESS : InContext(cuMemFreeHost, pointer);
}

RUNTIME_FUNCTION(CUresult, cudaHostRegister, void* pointer, size_t size, unsigned flags) {
  return InContext(cuMemHostRegister_v2, pointer, size, flags);
}

RUNTIME_FUNCTION(CUresult, cudaHostUnregister, void* pointer) {
  return InContext(cuMemHostUnregister, pointer);
}

RUNTIME_FUNCTION(CUresult, cudaMallocAsync, void** address, size_t size, CUstream stream) {
  return InContext(cuMemAllocAsync, reinterpret_cast<CUdeviceptr*>(address), size, stream);
}

RUNTIME_FUNCTION(CUresult, cudaFreeAsync, void* address, CUstream stream) {
  return InContext(cuMemFreeAsync, Address(address), stream);
}

RUNTIME_FUNCTION(CUresult, cudaMemcpyPeerAsync, void* to, int to_device, const void* from,
                 int from_device, size_t size, CUstream stream) {
  CUcontext to_context = nullptr;
  CUcontext from_context = nullptr;
  CUresult result = PrimaryContext(to_device, &to_context);
  if (result == CUDA_SUCCESS) result = PrimaryContext(from_device, &from_context);
  if (result != CUDA_SUCCESS) return Keep(result);
  return InContext(cuMemcpyPeerAsync, Address(to), to_context, Address(from), from_context, size,
                   stream);
}

// Memory that the driver does not know is the host's, and no error.
RUNTIME_FUNCTION(CUresult, cudaPointerGetAttributes, PointerAttributes* attributes,
                 const void* pointer) {
  CUcontext context = nullptr;
  if (const CUresult result = CurrentContext(&context); result != CUDA_SUCCESS) return Keep(result);
  unsigned type = 0;
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, Address(pointer)) !=
      CUDA_SUCCESS) {
    *attributes = {0, -2, nullptr, const_cast<void*>(pointer)};
    return CUDA_SUCCESS;
  }
  *attributes = {static_cast<int>(type), 0, const_cast<void*>(pointer), nullptr};
  if (type == CU_MEMORYTYPE_HOST) attributes->host_pointer = const_cast<void*>(pointer);
  return Keep(cuPointerGetAttribute(&attributes->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                    Address(pointer)));
}

// ---- Streams ------------------------------------------------------------------------------------

RUNTIME_FUNCTION(CUresult, cudaStreamCreateWithPriority, CUstream* stream, unsigned flags,
                 int priority) {
  return InContext(cuStreamCreateWithPriority, stream, flags, priority);
}

RUNTIME_FUNCTION(CUresult, cudaStreamCreateWithFlags, CUstream* stream, unsigned flags) {
  return InContext(cuStreamCreateWithPriority, stream, flags, 0);
}

RUNTIME_FUNCTION(CUresult, cudaStreamCreate, CUstream* stream) {
  return InContext(cuStreamCreateWithPriority, stream, 0U, 0);
}

RUNTIME_FUNCTION(CUresult, cudaStreamDestroy, CUstream stream) {
  return Keep(cuStreamDestroy_v2(stream));
}

// That work is going on is no error to be remembered.
RUNTIME_FUNCTION(CUresult, cudaStreamQuery, CUstream stream) {
  CUcontext context = nullptr;
  CUresult result = CurrentContext(&context);
  if (result == CUDA_SUCCESS) result = cuStreamQuery(stream);
  return result == CUDA_ERROR_NOT_READY ? result : Keep(result);
}

RUNTIME_FUNCTION(CUresult, cudaStreamWaitEvent, CUstream stream, CUevent event, unsigned flags) {
  return InContext(cuStreamWaitEvent, stream, event, flags);
}

RUNTIME_FUNCTION(CUresult, cudaStreamGetPriority, CUstream stream, int* priority) {
  return InContext(cuStreamGetPriority, stream, priority);
}

RUNTIME_FUNCTION(CUresult, cudaStreamIsCapturing, CUstream stream, CUstreamCaptureStatus* status) {
  return InContext(cuStreamIsCapturing, stream, status);
}

// The allocator asks whether its stream captures.
#if CUDART_VERSION >= 13000
RUNTIME_FUNCTION(CUresult, cudaStreamGetCaptureInfo, CUstream stream, CUstreamCaptureStatus* status,
                 uint64_t* id, CUgraph* graph, const CUgraphNode** dependencies, const void** edges,
                 size_t* count) {
  return InContext(cuStreamGetCaptureInfo_v3, stream, status, id, graph, dependencies, edges,
                   count);
}
#else
RUNTIME_FUNCTION(CUresult, cudaStreamGetCaptureInfo_v2, CUstream stream,
                 CUstreamCaptureStatus* status, uint64_t* id, CUgraph* graph,
                 const CUgraphNode** dependencies, size_t* count) {
  return InContext(cuStreamGetCaptureInfo_v2, stream, status, id, graph, dependencies, count);
}
#endif

RUNTIME_FUNCTION(CUresult, cudaThreadExchangeStreamCaptureMode, CUstreamCaptureMode* mode) {
  return InContext(cuThreadExchangeStreamCaptureMode, mode);
}

RUNTIME_FUNCTION(CUresult, cudaLaunchHostFunc, CUstream stream, CUhostFn function, void* data) {
  return InContext(cuLaunchHostFunc, stream, function, data);
}

RUNTIME_FUNCTION(CUresult, cudaStreamAddCallback, CUstream stream, CUstreamCallback callback,
                 void* data, unsigned flags) {
  return InContext(cuStreamAddCallback, stream, callback, data, flags);
}

// ---- Events -------------------------------------------------------------------------------------

RUNTIME_FUNCTION(CUresult, cudaEventCreateWithFlags, CUevent* event, unsigned flags) {
  return InContext(cuEventCreate, event, flags);
}

RUNTIME_FUNCTION(CUresult, cudaEventCreate, CUevent* event) {
  return InContext(cuEventCreate, event, 0U);
}

RUNTIME_FUNCTION(CUresult, cudaEventDestroy, CUevent event) {
  return Keep(cuEventDestroy_v2(event));
}

RUNTIME_FUNCTION(CUresult, cudaEventRecordWithFlags, CUevent event, CUstream stream,
                 unsigned flags) {
  return InContext(cuEventRecordWithFlags, event, stream, flags);
}

RUNTIME_FUNCTION(CUresult, cudaEventRecord, CUevent event, CUstream stream) {
  return InContext(cuEventRecordWithFlags, event, stream, 0U);
}

RUNTIME_FUNCTION(CUresult, cudaEventSynchronize, CUevent event) {
  return Keep(cuEventSynchronize(event));
}

RUNTIME_FUNCTION(CUresult, cudaEventQuery, CUevent event) {
  const CUresult result = cuEventQuery(event);
  return result == CUDA_ERROR_NOT_READY ? result : Keep(result);
}

RUNTIME_FUNCTION(CUresult, cudaEventElapsedTime, float* milliseconds, CUevent start, CUevent end) {
  return Keep(cuEventElapsedTime(milliseconds, start, end));
}
