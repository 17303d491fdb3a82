// The devices' memory: one memfd. Device addresses are a range that is always PROT_NONE for the
// host; the driver reads and writes through an alias of that range, into which what is allocated is
// mapped. Addresses are never used twice.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_MEMORY_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_MEMORY_H_

#include <cstdint>
#include <optional>

#include "tests/gpu/driver/driver_types.h"

namespace standin::memory {

enum class Kind { kPlain, kStreamOrdered, kMapped };

struct Allocation {
  CUdeviceptr base;
  size_t size;
  Kind kind;
  int device;
  Context* context;
  Pool* pool;       // kStreamOrdered
  bool accessible;  // kMapped: by cuMemSetAccess
  uint64_t id;      // CU_POINTER_ATTRIBUTE_BUFFER_ID
};

// CUDA_ERROR_OUT_OF_MEMORY if the device has less.
CUresult Allocate(size_t size, Kind kind, int device, Context* context, Pool* pool,
                  CUdeviceptr* address);
// CUDA_ERROR_INVALID_VALUE, noted in the ledger, if no allocation of `kinds` starts there.
CUresult Free(CUdeviceptr address);

// Whether it is in the devices' range, allocated or not.
bool IsDeviceAddress(uint64_t address);
std::optional<Allocation> Find(CUdeviceptr address);

// Where the driver has those bytes; null if not all are allocated device memory.
void* Alias(CUdeviceptr address, size_t size);
// The same, or a host address as it is: what kernels and copies reach.
void* Reach(uint64_t address, size_t size);

size_t Total();
size_t Used(int device);

// Ranges of addresses without memory, and memory without an address: cuMemAddressReserve and
// cuMemCreate.
CUresult Reserve(size_t size, size_t alignment, CUdeviceptr* address);
CUresult Unreserve(CUdeviceptr address, size_t size);
CUresult Create(size_t size, int device, CUmemGenericAllocationHandle* handle);
CUresult Release(CUmemGenericAllocationHandle handle);
CUresult Map(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
             Context* context);
CUresult Unmap(CUdeviceptr address, size_t size);
CUresult SetAccessible(CUdeviceptr address, size_t size, bool accessible);
// The handle mapped there, with one more reference.
CUresult Retain(CUdeviceptr address, CUmemGenericAllocationHandle* handle);
inline constexpr size_t kGranularity = 2 << 20;

// Host memory that devices can reach: cuMemHostAlloc and cuMemHostRegister.
struct HostMemory {
  uint64_t base;
  size_t size;
  unsigned flags;
  bool registered;
  Context* context;
};
void AddHostMemory(const HostMemory& memory);
bool RemoveHostMemory(uint64_t base);
std::optional<HostMemory> FindHostMemory(uint64_t address);

}  // namespace standin::memory

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_MEMORY_H_
