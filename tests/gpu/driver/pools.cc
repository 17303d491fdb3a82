// Stream-ordered memory.
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/memory.h"

namespace standin {

class Pool {
 public:
  explicit Pool(int device) : device(device) {}

  const int device;
  std::mutex mutex;
  size_t used = 0;
  size_t used_high = 0;
  uint64_t release_threshold = 0;
  std::map<int, int> switches;  // the attributes that are int
};

namespace {

Handles<Pool>& Pools() {
  static Handles<Pool>& pools = *new Handles<Pool>("memory pool");
  return pools;
}

std::mutex& CurrentPoolsMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

Pool* DefaultPool(int device) {
  static std::map<int, Pool*>& pools = *new std::map<int, Pool*>;
  const std::lock_guard<std::mutex> lock(CurrentPoolsMutex());
  Pool*& pool = pools[device];
  if (pool == nullptr) {
    pool = Pools().Add(new Pool(device));
    ledger::GiveBack("memory pool", reinterpret_cast<uint64_t>(pool));  // nobody has to destroy it
  }
  return pool;
}

std::map<int, Pool*>& CurrentPools() {
  static std::map<int, Pool*>& pools = *new std::map<int, Pool*>;
  return pools;
}

Pool* CurrentPool(int device) {
  {
    const std::lock_guard<std::mutex> lock(CurrentPoolsMutex());
    const auto found = CurrentPools().find(device);
    if (found != CurrentPools().end() && Pools().Has(found->second)) return found->second;
  }
  return DefaultPool(device);
}

// The address is known at once; the memory may be used behind it in the stream.
CUresult Allocate(CUdeviceptr* address, size_t size, Pool* pool, CUstream handle) {
  if (address == nullptr || size == 0) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  if (pool == nullptr) pool = CurrentPool(stream->context->device);
  if (!Pools().Has(pool)) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(RefuseImplicit(stream));
  if (stream->capture != nullptr) {
    ledger::Note("cuMemAllocAsync during capture refused: the stand-in has no memory nodes");
    Invalidate(stream->capture);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  RETURN_IF_ERROR(memory::Allocate(size, memory::Kind::kStreamOrdered, pool->device,
                                   stream->context, pool, address));
  const std::lock_guard<std::mutex> lock(pool->mutex);
  pool->used += size;
  pool->used_high = std::max(pool->used_high, pool->used);
  return CUDA_SUCCESS;
}

}  // namespace

DRIVER_FUNCTION(cuMemAllocAsync, CUdeviceptr* address, size_t size, CUstream stream) {
  ENTER();
  return Allocate(address, size, nullptr, stream);
}

DRIVER_FUNCTION(cuMemAllocFromPoolAsync, CUdeviceptr* address, size_t size, CUmemoryPool pool,
                CUstream stream) {
  ENTER();
  if (!Pools().Has(pool)) return CUDA_ERROR_INVALID_VALUE;
  return Allocate(address, size, pool, stream);
}

DRIVER_FUNCTION(cuMemFreeAsync, CUdeviceptr address, CUstream handle) {
  ENTER();
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  const std::optional<memory::Allocation> found = memory::Find(address);
  if (!found.has_value() || found->base != address || found->kind == memory::Kind::kMapped) {
    return memory::Free(address);  // which says what is wrong with it
  }
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(RefuseImplicit(stream));
  if (stream->capture != nullptr) {
    Invalidate(stream->capture);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (found->pool != nullptr) {
    const std::lock_guard<std::mutex> lock(found->pool->mutex);
    found->pool->used -= found->size;
  }
  stream->Submit(
      [address](Context*) {
        memory::Free(address);
        return CUDA_SUCCESS;
      },
      {}, true);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetDefaultMemPool, CUmemoryPool* pool, CUdevice device) {
  ENTER();
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = DefaultPool(device);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetMemPool, CUmemoryPool* pool, CUdevice device) {
  ENTER();
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = CurrentPool(device);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceSetMemPool, CUdevice device, CUmemoryPool pool) {
  ENTER();
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (!Pools().Has(pool) || pool->device != device) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(CurrentPoolsMutex());
  CurrentPools()[device] = pool;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemPoolCreate, CUmemoryPool* pool, const CUmemPoolProps* props) {
  ENTER();
  if (pool == nullptr || props == nullptr || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!IsDevice(props->location.id)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = Pools().Add(new Pool(props->location.id));
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemPoolDestroy, CUmemoryPool pool) {
  ENTER();
  if (!Pools().Has(pool) || pool == DefaultPool(pool->device)) return CUDA_ERROR_INVALID_VALUE;
  Pools().Remove(pool);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemPoolSetAttribute, CUmemoryPool pool, int attribute, void* value) {
  ENTER();
  if (!Pools().Has(pool) || value == nullptr || attribute < 1 ||
      attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::lock_guard<std::mutex> lock(pool->mutex);
  if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    pool->switches[attribute] = *static_cast<int*>(value);
  } else if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    pool->release_threshold = *static_cast<uint64_t*>(value);
  } else if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ||
             attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) {
    if (*static_cast<uint64_t*>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
    pool->used_high = pool->used;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemPoolGetAttribute, CUmemoryPool pool, int attribute, void* value) {
  ENTER();
  if (!Pools().Has(pool) || value == nullptr || attribute < 1 ||
      attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::lock_guard<std::mutex> lock(pool->mutex);
  if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    const auto found = pool->switches.find(attribute);
    *static_cast<int*>(value) = found == pool->switches.end() ? 1 : found->second;
  } else if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    *static_cast<uint64_t*>(value) = pool->release_threshold;
  } else if (attribute == CU_MEMPOOL_ATTR_USED_MEM_CURRENT ||
             attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) {
    *static_cast<uint64_t*>(value) = pool->used;
  } else {
    *static_cast<uint64_t*>(value) = pool->used_high;
  }
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemPoolTrimTo, CUmemoryPool pool, size_t) {
  ENTER();
  return Pools().Has(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// All devices reach all memory.
DRIVER_FUNCTION(cuMemPoolSetAccess, CUmemoryPool pool, const CUmemAccessDesc* descriptions,
                size_t count) {
  ENTER();
  return Pools().Has(pool) && (count == 0 || descriptions != nullptr) ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_FUNCTION(cuMemPoolGetAccess, CUmemAccess_flags* flags, CUmemoryPool pool,
                CUmemLocation* location) {
  ENTER();
  if (!Pools().Has(pool) || flags == nullptr || location == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

}  // namespace standin
