// Copies and memsets. Copies from pageable host memory read it when they are called, and copies to
// it have ended when they return, as the driver's documentation says ("API synchronization
// behavior").
#include <string.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/memory.h"
#include "tests/gpu/driver/operations.h"

namespace standin {
namespace {

bool IsPageable(uint64_t address) {
  return !memory::IsDeviceAddress(address) && !memory::FindHostMemory(address).has_value();
}

uint64_t ToAddress(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool IsHost(const void* pointer) {
  return pointer != nullptr && !memory::IsDeviceAddress(ToAddress(pointer));
}

Copy Linear(uint64_t to, uint64_t from, size_t size) {
  Copy copy;
  copy.to = to;
  copy.from = from;
  copy.width = size;
  return copy;
}

CUresult IssueCopy(CUstream stream, Copy copy, bool wait) {
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return CUDA_SUCCESS;
  const bool to_host = !memory::IsDeviceAddress(copy.to);
  const bool from_host = !memory::IsDeviceAddress(copy.from);
  RETURN_IF_ERROR(Check(copy));
  Stream* found;
  RETURN_IF_ERROR(FindStream(stream, &found));
  if (found->capture == nullptr && IsPageable(copy.from) && !to_host && !wait) {
    const size_t size =
        (copy.depth - 1) * copy.from_slice + (copy.height - 1) * copy.from_pitch + copy.width;
    copy.staged = std::make_shared<std::string>(reinterpret_cast<const char*>(copy.from), size);
  }
  const bool waits = wait || (IsPageable(copy.to) && to_host) || (to_host && from_host);
  std::shared_ptr<Completion> done;
  RETURN_IF_ERROR(Issue(stream, std::move(copy), &done));
  if (!waits || done == nullptr) return CUDA_SUCCESS;
  done->Wait();
  return found->context->Error();
}

CUresult HostToDevice(CUstream stream, CUdeviceptr to, const void* from, size_t size, bool wait) {
  if (size > 0 && (!memory::IsDeviceAddress(to) || !IsHost(from))) return CUDA_ERROR_INVALID_VALUE;
  return IssueCopy(stream, Linear(to, ToAddress(from), size), wait);
}

CUresult DeviceToHost(CUstream stream, void* to, CUdeviceptr from, size_t size, bool wait) {
  if (size > 0 && (!IsHost(to) || !memory::IsDeviceAddress(from))) return CUDA_ERROR_INVALID_VALUE;
  return IssueCopy(stream, Linear(ToAddress(to), from, size), wait);
}

CUresult DeviceToDevice(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t size) {
  if (size > 0 && (!memory::IsDeviceAddress(to) || !memory::IsDeviceAddress(from))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return IssueCopy(stream, Linear(to, from, size), false);
}

CUresult IssueFill(CUstream stream, CUdeviceptr to, unsigned element_size, unsigned value,
                   size_t count) {
  if (count > 0 && !memory::IsDeviceAddress(to) && IsPageable(to)) return CUDA_ERROR_INVALID_VALUE;
  Fill fill;
  fill.to = to;
  fill.value = value;
  fill.element_size = element_size;
  fill.width = count;
  return Issue(stream, fill);
}

CUresult Copy3D(CUstream stream, const CUDA_MEMCPY3D* params, bool wait) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Copy copy;
  RETURN_IF_ERROR(FromParams(*params, &copy));
  return IssueCopy(stream, std::move(copy), wait);
}

CUresult Copy2D(CUstream stream, const CUDA_MEMCPY2D* params, bool wait) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D three = {};
  three.srcXInBytes = params->srcXInBytes;
  three.srcY = params->srcY;
  three.srcMemoryType = params->srcMemoryType;
  three.srcHost = params->srcHost;
  three.srcDevice = params->srcDevice;
  three.srcPitch = params->srcPitch;
  three.dstXInBytes = params->dstXInBytes;
  three.dstY = params->dstY;
  three.dstMemoryType = params->dstMemoryType;
  three.dstHost = params->dstHost;
  three.dstDevice = params->dstDevice;
  three.dstPitch = params->dstPitch;
  three.WidthInBytes = params->WidthInBytes;
  three.Height = params->Height;
  three.Depth = 1;
  return Copy3D(stream, &three, wait);
}

// One side of a copy: the address of its first byte.
CUresult Side(CUmemorytype type, const void* host, CUdeviceptr device, uint64_t* address) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      *address = ToAddress(host);
      return IsHost(host) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_MEMORYTYPE_DEVICE:
      *address = device;
      return memory::IsDeviceAddress(device) || memory::FindHostMemory(device).has_value()
                 ? CUDA_SUCCESS
                 : CUDA_ERROR_INVALID_VALUE;
    case CU_MEMORYTYPE_UNIFIED:
      *address = device;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;  // arrays
  }
}

}  // namespace

CUresult FromParams(const CUDA_MEMCPY3D& params, Copy* copy) {
  RETURN_IF_ERROR(Side(params.srcMemoryType, params.srcHost, params.srcDevice, &copy->from));
  RETURN_IF_ERROR(Side(params.dstMemoryType, params.dstHost, params.dstDevice, &copy->to));
  copy->width = params.WidthInBytes;
  copy->height = params.Height;
  copy->depth = params.Depth;
  copy->from_pitch = params.srcPitch;
  copy->from_slice = params.srcPitch * params.srcHeight;
  copy->to_pitch = params.dstPitch;
  copy->to_slice = params.dstPitch * params.dstHeight;
  copy->from +=
      params.srcXInBytes + params.srcY * copy->from_pitch + params.srcZ * copy->from_slice;
  copy->to += params.dstXInBytes + params.dstY * copy->to_pitch + params.dstZ * copy->to_slice;
  return CUDA_SUCCESS;
}

CUDA_MEMCPY3D ToParams(const Copy& copy) {
  CUDA_MEMCPY3D params = {};
  params.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  params.srcDevice = copy.from;
  params.srcPitch = copy.from_pitch;
  params.srcHeight = copy.from_pitch == 0 ? 0 : copy.from_slice / copy.from_pitch;
  params.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  params.dstDevice = copy.to;
  params.dstPitch = copy.to_pitch;
  params.dstHeight = copy.to_pitch == 0 ? 0 : copy.to_slice / copy.to_pitch;
  params.WidthInBytes = copy.width;
  params.Height = copy.height;
  params.Depth = copy.depth;
  return params;
}

DRIVER_FUNCTION(cuMemcpyHtoD_v2, CUdeviceptr to, const void* from, size_t size) {
  ENTER();
  return HostToDevice(kLegacyStream, to, from, size, true);
}
DRIVER_FUNCTION(cuMemcpyHtoDAsync_v2, CUdeviceptr to, const void* from, size_t size,
                CUstream stream) {
  ENTER();
  return HostToDevice(stream, to, from, size, false);
}
DRIVER_FUNCTION(cuMemcpyDtoH_v2, void* to, CUdeviceptr from, size_t size) {
  ENTER();
  return DeviceToHost(kLegacyStream, to, from, size, true);
}
DRIVER_FUNCTION(cuMemcpyDtoHAsync_v2, void* to, CUdeviceptr from, size_t size, CUstream stream) {
  ENTER();
  return DeviceToHost(stream, to, from, size, false);
}
DRIVER_FUNCTION(cuMemcpyDtoD_v2, CUdeviceptr to, CUdeviceptr from, size_t size) {
  ENTER();
  return DeviceToDevice(kLegacyStream, to, from, size);
}
DRIVER_FUNCTION(cuMemcpyDtoDAsync_v2, CUdeviceptr to, CUdeviceptr from, size_t size,
                CUstream stream) {
  ENTER();
  return DeviceToDevice(stream, to, from, size);
}
DRIVER_FUNCTION(cuMemcpy, CUdeviceptr to, CUdeviceptr from, size_t size) {
  ENTER();
  return IssueCopy(kLegacyStream, Linear(to, from, size), true);
}
DRIVER_FUNCTION(cuMemcpyAsync, CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  ENTER();
  return IssueCopy(stream, Linear(to, from, size), false);
}
DRIVER_FUNCTION(cuMemcpyPeer, CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                CUcontext from_context, size_t size) {
  ENTER();
  if (!Contexts().Has(to_context) || !Contexts().Has(from_context))
    return CUDA_ERROR_INVALID_CONTEXT;
  return DeviceToDevice(kLegacyStream, to, from, size);
}
DRIVER_FUNCTION(cuMemcpyPeerAsync, CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                CUcontext from_context, size_t size, CUstream stream) {
  ENTER();
  if (!Contexts().Has(to_context) || !Contexts().Has(from_context))
    return CUDA_ERROR_INVALID_CONTEXT;
  return DeviceToDevice(stream, to, from, size);
}
DRIVER_FUNCTION(cuMemcpy2D_v2, const CUDA_MEMCPY2D* params) {
  ENTER();
  return Copy2D(kLegacyStream, params, true);
}
DRIVER_FUNCTION(cuMemcpy2DAsync_v2, const CUDA_MEMCPY2D* params, CUstream stream) {
  ENTER();
  return Copy2D(stream, params, false);
}
DRIVER_FUNCTION(cuMemcpy3D_v2, const CUDA_MEMCPY3D* params) {
  ENTER();
  return Copy3D(kLegacyStream, params, true);
}
DRIVER_FUNCTION(cuMemcpy3DAsync_v2, const CUDA_MEMCPY3D* params, CUstream stream) {
  ENTER();
  return Copy3D(stream, params, false);
}

DRIVER_FUNCTION(cuMemsetD8_v2, CUdeviceptr to, unsigned char value, size_t count) {
  ENTER();
  return IssueFill(kLegacyStream, to, 1, value, count);
}
DRIVER_FUNCTION(cuMemsetD16_v2, CUdeviceptr to, uint16_t value, size_t count) {
  ENTER();
  return IssueFill(kLegacyStream, to, 2, value, count);
}
DRIVER_FUNCTION(cuMemsetD32_v2, CUdeviceptr to, unsigned value, size_t count) {
  ENTER();
  return IssueFill(kLegacyStream, to, 4, value, count);
}
DRIVER_FUNCTION(cuMemsetD8Async, CUdeviceptr to, unsigned char value, size_t count,
                CUstream stream) {
  ENTER();
  return IssueFill(stream, to, 1, value, count);
}
DRIVER_FUNCTION(cuMemsetD16Async, CUdeviceptr to, uint16_t value, size_t count, CUstream stream) {
  ENTER();
  return IssueFill(stream, to, 2, value, count);
}
DRIVER_FUNCTION(cuMemsetD32Async, CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  ENTER();
  return IssueFill(stream, to, 4, value, count);
}

DRIVER_FUNCTION(cuLaunchHostFunc, CUstream stream, CUhostFn function, void* data) {
  ENTER();
  return Issue(stream, HostCall{function, data});
}

DRIVER_FUNCTION(cuStreamAddCallback, CUstream handle, CUstreamCallback callback, void* data,
                unsigned flags) {
  ENTER();
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(RefuseIfCapturing(stream));
  stream->Submit(
      [=](Context* context) {
        const InHostFunction in_host_function;
        callback(handle, context->Error(), data);
        return CUDA_SUCCESS;
      },
      {}, true);
  return CUDA_SUCCESS;
}

}  // namespace standin
