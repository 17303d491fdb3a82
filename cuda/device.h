// Device: a CUDA device of this process, with its primary context, which is the one that XLA and
// the CUDA runtime use too.
#ifndef CALLBRIDGE_CUDA_DEVICE_H_
#define CALLBRIDGE_CUDA_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/cuda/driver.h"
#include "callbridge/cuda/driver_types.h"

namespace callbridge {
namespace cuda {

// Retains the primary context while it lives. Thread-safe.
class Device {
 public:
  // `ordinal` counts the devices that the process sees (CUDA_VISIBLE_DEVICES), from 0. Returns
  // UNAVAILABLE if there is no such device, and the errors of Driver::Get().
  static absl::StatusOr<std::shared_ptr<const Device>> Open(int32_t ordinal);

  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  // Drops errors: whatever lives on in the context has its own.
  ~Device();

  const Driver& driver() const { return driver_; }
  int32_t ordinal() const { return handle_; }
  ContextHandle context() const { return context_; }
  // Whether it has stream-ordered memory.
  bool has_memory_pools() const { return has_memory_pools_; }

  // Returns INVALID_ARGUMENT, which begins with `what`, if kernels on this device cannot use the
  // memory at `data`: it is ordinary memory of the host, or another device's. Null is not checked.
  absl::Status CheckPointer(absl::string_view what, const void* data) const;

 private:
  Device(const Driver& driver, DeviceHandle handle) : driver_(driver), handle_(handle) {}

  absl::StatusOr<int> Attribute(int attribute) const;

  const Driver& driver_;
  const DeviceHandle handle_;
  ContextHandle context_ = nullptr;
  bool has_memory_pools_ = false;
  bool reads_host_memory_ = false;
};

// Makes a context the calling thread's current one while it lives. Not for other threads.
class CurrentContext {
 public:
  // The context of `device` must live as long.
  explicit CurrentContext(const Device& device)
      : CurrentContext(device.driver(), device.context()) {}
  CurrentContext(const Driver& driver, ContextHandle context);
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext();

  // Whether it is current.
  const absl::Status& status() const { return status_; }

 private:
  const Driver& driver_;
  const absl::Status status_;
};

}  // namespace cuda
}  // namespace callbridge

#endif  // CALLBRIDGE_CUDA_DEVICE_H_
