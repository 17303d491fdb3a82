#include "tests/gpu/driver/memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/standin.h"

namespace standin::memory {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kRange = size_t{1} << 34;
// Device memory is not zero at first. Writing all of a large allocation would take all of the
// host's memory.
constexpr size_t kSoiled = 1 << 20;

size_t RoundUp(size_t size, size_t to) { return (size + to - 1) / to * to; }

// Memory of cuMemCreate, at `offset` of the memfd.
struct Physical {
  size_t offset;
  size_t size;
  int device;
  int references;  // the handle's and each mapping's
};

struct Mapping {
  Allocation allocation;
  CUmemGenericAllocationHandle handle;  // kMapped
};

struct State {
  std::mutex mutex;
  int file = memfd_create("standin device memory", MFD_CLOEXEC);
  char* device = nullptr;
  char* alias = nullptr;
  size_t next = kGranularity;  // of the range, not yet used
  size_t used[64] = {};
  uint64_t next_id = 1;
  std::map<CUdeviceptr, Mapping> allocations;
  std::map<CUdeviceptr, size_t> freed;
  std::map<CUdeviceptr, size_t> reservations;
  std::map<CUmemGenericAllocationHandle, Physical> physical;
  std::map<uint64_t, HostMemory> host;

  State() {
    const auto reserve = [] {
      void* range =
          mmap(nullptr, kRange, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (range == MAP_FAILED) abort();
      return static_cast<char*>(range);
    };
    device = reserve();
    alias = reserve();
    if (file < 0 || ftruncate(file, kRange) != 0) abort();
  }
  uint64_t Base() const { return reinterpret_cast<uint64_t>(device); }
  char* AliasOf(CUdeviceptr address) const { return alias + (address - Base()); }

  // A range of addresses with an unused page behind, as an offset.
  size_t TakeRange(size_t size, size_t alignment) {
    const size_t start = RoundUp(Base() + next, alignment) - Base();
    if (size > kRange || start + size + kPage > kRange) return 0;
    next = start + RoundUp(size, kPage) + kPage;
    return start;
  }
  void MapAlias(CUdeviceptr address, size_t size, size_t offset) const {
    if (mmap(AliasOf(address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             static_cast<off_t>(offset)) == MAP_FAILED) {
      abort();
    }
  }
  void UnmapAlias(CUdeviceptr address, size_t size) const {
    if (mmap(AliasOf(address), size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
      abort();
    }
  }
  void PunchOut(size_t offset, size_t size) const {
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(size));
  }
  const Mapping* FindMapping(CUdeviceptr address) const {
    auto next = allocations.upper_bound(address);
    if (next == allocations.begin()) return nullptr;
    const Mapping& mapping = std::prev(next)->second;
    return address - mapping.allocation.base < mapping.allocation.size ? &mapping : nullptr;
  }
  void Unreference(CUmemGenericAllocationHandle handle) {
    const auto found = physical.find(handle);
    if (--found->second.references > 0) return;
    used[found->second.device] -= found->second.size;
    PunchOut(found->second.offset, found->second.size);
    physical.erase(found);
  }
};

State& TheState() {
  static State& state = *new State;
  return state;
}

bool IsInRange(const State& state, uint64_t address) { return address - state.Base() < kRange; }

}  // namespace

size_t Total() {
  static const size_t total = NumberFromEnvironment("CALLBRIDGE_STANDIN_MEMORY", uint64_t{8} << 30);
  return total;
}

size_t Used(int device) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.used[device];
}

CUresult Allocate(size_t size, Kind kind, int device, Context* context, Pool* pool,
                  CUdeviceptr* address) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (size > Total() - state.used[device]) return CUDA_ERROR_OUT_OF_MEMORY;
  const size_t offset = state.TakeRange(size, kPage);
  if (offset == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUdeviceptr base = state.Base() + offset;
  state.MapAlias(base, RoundUp(size, kPage), offset);
  memset(state.AliasOf(base), 0xFB, std::min(size, kSoiled));
  state.used[device] += size;
  state.allocations[base] = {{base, size, kind, device, context, pool, true, state.next_id++}, 0};
  ledger::Take("device memory", base, std::to_string(size) + " bytes");
  *address = base;
  return CUDA_SUCCESS;
}

CUresult Free(CUdeviceptr address) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto found = state.allocations.find(address);
  if (found == state.allocations.end() || found->second.allocation.kind == Kind::kMapped) {
    if (state.freed.count(address) > 0) {
      ledger::Note("device memory freed twice: " + std::to_string(state.freed[address]) + " bytes");
    }
    return CUDA_ERROR_INVALID_VALUE;
  }
  const Allocation allocation = found->second.allocation;
  state.allocations.erase(found);
  state.freed[address] = allocation.size;
  state.used[allocation.device] -= allocation.size;
  state.UnmapAlias(address, RoundUp(allocation.size, kPage));
  state.PunchOut(address - state.Base(), RoundUp(allocation.size, kPage));
  ledger::GiveBack("device memory", address);
  return CUDA_SUCCESS;
}

bool IsDeviceAddress(uint64_t address) { return IsInRange(TheState(), address); }

std::optional<Allocation> Find(CUdeviceptr address) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const Mapping* found = state.FindMapping(address);
  if (found == nullptr) return std::nullopt;
  return found->allocation;
}

void* Alias(CUdeviceptr address, size_t size) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!IsInRange(state, address)) return nullptr;
  CUdeviceptr at = address;
  do {  // memory that is mapped piece by piece
    const Mapping* found = state.FindMapping(at);
    if (found == nullptr || !found->allocation.accessible) return nullptr;
    at = found->allocation.base + found->allocation.size;
  } while (at - address < size);
  return state.AliasOf(address);
}

void* Reach(uint64_t address, size_t size) {
  if (IsDeviceAddress(address)) return Alias(address, size);
  return reinterpret_cast<void*>(address);
}

CUresult Reserve(size_t size, size_t alignment, CUdeviceptr* address) {
  if (size == 0 || size % kPage != 0) return CUDA_ERROR_INVALID_VALUE;
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const size_t offset = state.TakeRange(size, std::max(alignment, kGranularity));
  if (offset == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = state.Base() + offset;
  state.reservations[*address] = size;
  ledger::Take("reserved addresses", *address, std::to_string(size) + " bytes");
  return CUDA_SUCCESS;
}

CUresult Unreserve(CUdeviceptr address, size_t size) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto found = state.reservations.find(address);
  if (found == state.reservations.end() || found->second != size) return CUDA_ERROR_INVALID_VALUE;
  const auto mapped = state.allocations.lower_bound(address);
  if (mapped != state.allocations.end() && mapped->first < address + size)
    return CUDA_ERROR_INVALID_VALUE;
  state.reservations.erase(found);
  ledger::GiveBack("reserved addresses", address);
  return CUDA_SUCCESS;
}

CUresult Create(size_t size, int device, CUmemGenericAllocationHandle* handle) {
  if (size == 0 || size % kGranularity != 0) return CUDA_ERROR_INVALID_VALUE;
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (size > Total() - state.used[device]) return CUDA_ERROR_OUT_OF_MEMORY;
  const size_t offset = state.TakeRange(size, kPage);
  if (offset == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  state.used[device] += size;
  *handle = offset;
  state.physical[*handle] = {offset, size, device, 1};
  ledger::Take("created memory", *handle, std::to_string(size) + " bytes");
  return CUDA_SUCCESS;
}

CUresult Release(CUmemGenericAllocationHandle handle) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (state.physical.count(handle) == 0) return CUDA_ERROR_INVALID_VALUE;
  ledger::GiveBack("created memory", handle);
  state.Unreference(handle);
  return CUDA_SUCCESS;
}

CUresult Map(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
             Context* context) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto physical = state.physical.find(handle);
  if (physical == state.physical.end() || size == 0 || offset + size > physical->second.size ||
      size % kGranularity != 0 || offset % kGranularity != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto reserved = state.reservations.upper_bound(address);
  if (reserved == state.reservations.begin()) return CUDA_ERROR_INVALID_VALUE;
  --reserved;
  if (address + size > reserved->first + reserved->second) return CUDA_ERROR_INVALID_VALUE;
  const auto next = state.allocations.lower_bound(address);
  if (state.FindMapping(address) != nullptr ||
      (next != state.allocations.end() && next->first < address + size)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ++physical->second.references;
  state.MapAlias(address, size, physical->second.offset + offset);
  state.allocations[address] = {{address, size, Kind::kMapped, physical->second.device, context,
                                 nullptr, false, state.next_id++},
                                handle};
  return CUDA_SUCCESS;
}

CUresult Unmap(CUdeviceptr address, size_t size) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (CUdeviceptr at = address; at < address + size;) {
    const auto found = state.allocations.find(at);
    if (found == state.allocations.end() || found->second.allocation.kind != Kind::kMapped ||
        at + found->second.allocation.size > address + size) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    at += found->second.allocation.size;
    state.UnmapAlias(found->first, found->second.allocation.size);
    state.Unreference(found->second.handle);
    state.allocations.erase(found);
  }
  return CUDA_SUCCESS;
}

CUresult SetAccessible(CUdeviceptr address, size_t size, bool accessible) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (CUdeviceptr at = address; at < address + size;) {
    const auto found = state.allocations.find(at);
    if (found == state.allocations.end() || found->second.allocation.kind != Kind::kMapped) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    found->second.allocation.accessible = accessible;
    at += found->second.allocation.size;
  }
  return CUDA_SUCCESS;
}

CUresult Retain(CUdeviceptr address, CUmemGenericAllocationHandle* handle) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const Mapping* found = state.FindMapping(address);
  if (found == nullptr || found->allocation.kind != Kind::kMapped) return CUDA_ERROR_INVALID_VALUE;
  *handle = found->handle;
  ++state.physical[*handle].references;
  return CUDA_SUCCESS;
}

void AddHostMemory(const HostMemory& memory) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.host[memory.base] = memory;
}

bool RemoveHostMemory(uint64_t base) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.host.erase(base) > 0;
}

std::optional<HostMemory> FindHostMemory(uint64_t address) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  auto next = state.host.upper_bound(address);
  if (next == state.host.begin()) return std::nullopt;
  const HostMemory& memory = std::prev(next)->second;
  if (address - memory.base >= memory.size) return std::nullopt;
  return memory;
}

extern "C" __attribute__((visibility("default"))) void* standin_host_address(uint64_t address,
                                                                             size_t size) {
  return Alias(address, size);
}

}  // namespace standin::memory
