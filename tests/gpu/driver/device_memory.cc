// Device memory and what is known of a pointer.
#include <optional>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/memory.h"

namespace standin {
namespace {

template <typename T>
void Set(void* value, T to) {
  *static_cast<T*>(value) = to;
}

// False if the attribute means nothing for the pointer.
bool GetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  const std::optional<memory::Allocation> device = memory::Find(address);
  const std::optional<memory::HostMemory> host = memory::FindHostMemory(address);
  if (!device.has_value() && !host.has_value()) return false;
  Context* context = device.has_value() ? device->context : host->context;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      Set<CUcontext>(value, context);
      return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      Set<unsigned>(value, device.has_value() ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      Set<CUdeviceptr>(value, address);
      return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (device.has_value()) return false;
      Set<uint64_t>(value, address);
      return true;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      Set<int>(value, 0);
      return true;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      Set<uint64_t>(value, device.has_value() ? device->id : host->base);
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      Set<int>(value, device.has_value() ? device->device : context->device);
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      Set<CUdeviceptr>(value, device.has_value() ? device->base : host->base);
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      Set<size_t>(value, device.has_value() ? device->size : host->size);
      return true;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      Set<int>(value, 1);
      return true;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      Set<CUmemoryPool>(value, device.has_value() ? device->pool : nullptr);
      return true;
  }
  return false;
}

}  // namespace

DRIVER_FUNCTION(cuMemAlloc_v2, CUdeviceptr* address, size_t size) {
  ENTER();
  if (address == nullptr || size == 0) return CUDA_ERROR_INVALID_VALUE;
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  RETURN_IF_ERROR(RefuseUnsafe());
  return memory::Allocate(size, memory::Kind::kPlain, context->device, context, nullptr, address);
}

DRIVER_FUNCTION(cuMemAllocPitch_v2, CUdeviceptr* address, size_t* pitch, size_t width,
                size_t height, unsigned element_size) {
  ENTER();
  if (address == nullptr || pitch == nullptr || width == 0 || height == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (element_size != 4 && element_size != 8 && element_size != 16) return CUDA_ERROR_INVALID_VALUE;
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  RETURN_IF_ERROR(RefuseUnsafe());
  *pitch = (width + 511) / 512 * 512;
  return memory::Allocate(*pitch * height, memory::Kind::kPlain, context->device, context, nullptr,
                          address);
}

// Waits for what runs, as the driver does.
DRIVER_FUNCTION(cuMemFree_v2, CUdeviceptr address) {
  ENTER();
  if (address == 0) return CUDA_SUCCESS;
  RETURN_IF_ERROR(RefuseUnsafe());
  const std::optional<memory::Allocation> found = memory::Find(address);
  if (found.has_value() && found->base == address) {
    RETURN_IF_ERROR(SynchronizeContext(found->context));
  }
  return memory::Free(address);
}

DRIVER_FUNCTION(cuMemGetInfo_v2, size_t* free, size_t* total) {
  ENTER();
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  if (total != nullptr) *total = memory::Total();
  if (free != nullptr) *free = memory::Total() - memory::Used(context->device);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemGetAddressRange_v2, CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  ENTER();
  const std::optional<memory::Allocation> found = memory::Find(address);
  if (!found.has_value()) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = found->base;
  if (size != nullptr) *size = found->size;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuPointerGetAttribute, void* value, CUpointer_attribute attribute,
                CUdeviceptr address) {
  ENTER();
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return GetAttribute(value, attribute, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// What means nothing for the pointer is 0.
DRIVER_FUNCTION(cuPointerGetAttributes, unsigned count, CUpointer_attribute* attributes,
                void** values, CUdeviceptr address) {
  ENTER();
  if (attributes == nullptr || values == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (GetAttribute(values[i], attributes[i], address)) continue;
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      case CU_POINTER_ATTRIBUTE_MAPPED:
        Set<int>(values[i], 0);
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        Set<int>(values[i], -2);
        break;
      default:
        Set<uint64_t>(values[i], 0);
    }
  }
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuPointerSetAttribute, const void* value, CUpointer_attribute attribute,
                CUdeviceptr address) {
  ENTER();
  if (value == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return CUDA_ERROR_INVALID_VALUE;
  return memory::Find(address).has_value() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace standin
