#include "callbridge/cuda/memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace cuda {

absl::StatusOr<void*> Allocate(const Stream& stream, size_t size) {
  const Device& device = *stream.device();
  const CurrentContext current(device);
  if (!current.status().ok()) return current.status();
  const size_t bytes = std::max<size_t>(size, 1);
  DevicePointer address = 0;
  const absl::Status allocated =
      device.has_memory_pools() ? device.driver().allocate_async(
                                      &address, bytes, static_cast<StreamHandle>(stream.handle()))
                                : device.driver().allocate(&address, bytes);
  // The driver's addresses are numbers.
  if (allocated.ok()) return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  return absl::Status(allocated.code(), absl::StrCat("no ", size, " bytes on CUDA device ",
                                                     device.ordinal(), ": ", allocated.message()));
}

absl::Status Free(const Stream& stream, void* data) {
  if (data == nullptr) return absl::OkStatus();
  const Device& device = *stream.device();
  const Driver& driver = device.driver();
  const CurrentContext current(device);
  if (!current.status().ok()) return current.status();
  const auto address = reinterpret_cast<DevicePointer>(data);
  const auto handle = static_cast<StreamHandle>(stream.handle());
  if (device.has_memory_pools()) return driver.free_async(address, handle);
  // The memory is freed also if the work failed.
  const absl::Status done = driver.stream_synchronize(handle);
  const absl::Status freed = driver.free(address);
  return done.ok() ? freed : done;
}

}  // namespace cuda
}  // namespace callbridge
