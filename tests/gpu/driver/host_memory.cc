// Host memory that devices reach.
#include <stdlib.h>

#include <optional>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/memory.h"

namespace standin {
namespace {

constexpr size_t kPage = 4096;

CUresult AllocateHost(void** pointer, size_t size, unsigned flags) {
  if (pointer == nullptr || size == 0 || flags > 7) return CUDA_ERROR_INVALID_VALUE;
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  RETURN_IF_ERROR(RefuseUnsafe());
  void* memory = aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto base = reinterpret_cast<uint64_t>(memory);
  memory::AddHostMemory({base, size, flags, false, context});
  ledger::Take("host memory", base, std::to_string(size) + " bytes");
  *pointer = memory;
  return CUDA_SUCCESS;
}

std::optional<memory::HostMemory> Find(const void* pointer) {
  return memory::FindHostMemory(reinterpret_cast<uint64_t>(pointer));
}

}  // namespace

DRIVER_FUNCTION(cuMemAllocHost_v2, void** pointer, size_t size) {
  ENTER();
  return AllocateHost(pointer, size, 0);
}

DRIVER_FUNCTION(cuMemHostAlloc, void** pointer, size_t size, unsigned flags) {
  ENTER();
  return AllocateHost(pointer, size, flags);
}

DRIVER_FUNCTION(cuMemFreeHost, void* pointer) {
  ENTER();
  const std::optional<memory::HostMemory> found = Find(pointer);
  if (!found.has_value() || found->registered ||
      found->base != reinterpret_cast<uint64_t>(pointer)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  RETURN_IF_ERROR(RefuseUnsafe());
  SynchronizeContext(found->context);
  memory::RemoveHostMemory(found->base);
  ledger::GiveBack("host memory", found->base);
  free(pointer);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemHostRegister_v2, void* pointer, size_t size, unsigned flags) {
  ENTER();
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  const auto base = reinterpret_cast<uint64_t>(pointer);
  if (pointer == nullptr || size == 0 || memory::IsDeviceAddress(base))
    return CUDA_ERROR_INVALID_VALUE;
  if (Find(pointer).has_value()) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  memory::AddHostMemory({base, size, flags, true, context});
  ledger::Take("registered host memory", base, std::to_string(size) + " bytes");
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemHostUnregister, void* pointer) {
  ENTER();
  const std::optional<memory::HostMemory> found = Find(pointer);
  if (!found.has_value() || !found->registered ||
      found->base != reinterpret_cast<uint64_t>(pointer)) {
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  }
  SynchronizeContext(found->context);
  memory::RemoveHostMemory(found->base);
  ledger::GiveBack("registered host memory", found->base);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemHostGetDevicePointer_v2, CUdeviceptr* address, void* pointer, unsigned flags) {
  ENTER();
  if (address == nullptr || flags != 0 || !Find(pointer).has_value())
    return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<uint64_t>(pointer);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuMemHostGetFlags, unsigned* flags, void* pointer) {
  ENTER();
  const std::optional<memory::HostMemory> found = Find(pointer);
  if (flags == nullptr || !found.has_value()) return CUDA_ERROR_INVALID_VALUE;
  *flags = found->flags;
  return CUDA_SUCCESS;
}

}  // namespace standin
