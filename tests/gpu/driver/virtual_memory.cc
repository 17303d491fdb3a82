// Virtual memory: addresses and memory apart.
#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/memory.h"

namespace standin {

static CUresult CheckProp(const CUmemAllocationProp* prop) {
  if (prop == nullptr || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return IsDevice(prop->location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

DRIVER_FUNCTION(cuMemGetAllocationGranularity, size_t* granularity, const CUmemAllocationProp* prop,
                int) {
  ENTER();
  if (granularity == nullptr) return CUDA_ERROR_INVALID_VALUE;
  RETURN_IF_ERROR(CheckProp(prop));
  *granularity = memory::kGranularity;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemAddressReserve, CUdeviceptr* address, size_t size, size_t alignment,
                CUdeviceptr, uint64_t flags) {
  ENTER();
  if (address == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return memory::Reserve(size, alignment, address);
}

DRIVER_FUNCTION(cuMemAddressFree, CUdeviceptr address, size_t size) {
  ENTER();
  return memory::Unreserve(address, size);
}

DRIVER_FUNCTION(cuMemCreate, CUmemGenericAllocationHandle* handle, size_t size,
                const CUmemAllocationProp* prop, uint64_t flags) {
  ENTER();
  if (handle == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  RETURN_IF_ERROR(CheckProp(prop));
  return memory::Create(size, prop->location.id, handle);
}

DRIVER_FUNCTION(cuMemRelease, CUmemGenericAllocationHandle handle) {
  ENTER();
  return memory::Release(handle);
}

DRIVER_FUNCTION(cuMemMap, CUdeviceptr address, size_t size, size_t offset,
                CUmemGenericAllocationHandle handle, uint64_t flags) {
  ENTER();
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return memory::Map(address, size, offset, handle, CurrentContext());
}

DRIVER_FUNCTION(cuMemUnmap, CUdeviceptr address, size_t size) {
  ENTER();
  return memory::Unmap(address, size);
}

DRIVER_FUNCTION(cuMemSetAccess, CUdeviceptr address, size_t size,
                const CUmemAccessDesc* descriptions, size_t count) {
  ENTER();
  if (descriptions == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  bool accessible = false;
  for (size_t i = 0; i < count; ++i) {
    if (descriptions[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (!IsDevice(descriptions[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
    accessible = accessible || descriptions[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  return memory::SetAccessible(address, size, accessible);
}

DRIVER_FUNCTION(cuMemGetAccess, uint64_t* flags, const CUmemLocation* location,
                CUdeviceptr address) {
  ENTER();
  if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<memory::Allocation> found = memory::Find(address);
  if (!found.has_value()) return CUDA_ERROR_INVALID_VALUE;
  *flags = found->accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemRetainAllocationHandle, CUmemGenericAllocationHandle* handle, void* address) {
  ENTER();
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return memory::Retain(reinterpret_cast<CUdeviceptr>(address), handle);
}

}  // namespace standin
