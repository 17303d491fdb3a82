#include "callbridge/cuda/stream.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace cuda {

absl::StatusOr<std::unique_ptr<const Stream>> Stream::Create(std::shared_ptr<const Device> device) {
  const CurrentContext current(*device);
  if (!current.status().ok()) return current.status();
  StreamHandle handle = nullptr;
  absl::Status created = device->driver().stream_create(&handle, kNonBlockingStream);
  if (!created.ok()) return created;
  return std::unique_ptr<const Stream>(new Stream(std::move(device), handle, true));
}

Stream::~Stream() {
  if (!is_owned_) return;
  InContext([this](const Driver& driver) { return driver.stream_destroy(handle_); }).IgnoreError();
}

absl::Status Stream::CheckDevice() const {
  return InContext([this](const Driver& driver) {
    const auto number = reinterpret_cast<uintptr_t>(handle_);
    if (number <= kPerThreadStream) return absl::OkStatus();  // of the current context
    ContextHandle context = nullptr;
    absl::Status asked = driver.stream_get_context(handle_, &context);
    if (!asked.ok() || context == device_->context()) return asked;
    const absl::StatusOr<int32_t> owner = FindDeviceOrdinal(handle_);
    if (!owner.ok()) return owner.status();
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a stream of CUDA device ", device_->ordinal(), ", but the stream is of ",
        *owner == device_->ordinal()
            ? "another context than the device's primary one, which callbridge uses"
            : absl::StrCat("device ", *owner)));
  });
}

absl::Status Stream::Synchronize() const {
  return InContext([this](const Driver& driver) { return driver.stream_synchronize(handle_); });
}

absl::Status Stream::CopyToDevice(void* to, const void* from, size_t size) const {
  if (size == 0) return absl::OkStatus();
  return InContext([&](const Driver& driver) {
    return driver.copy_to_device(reinterpret_cast<DevicePointer>(to), from, size, handle_);
  });
}

absl::Status Stream::CopyToHost(void* to, const void* from, size_t size) const {
  if (size == 0) return absl::OkStatus();
  return InContext([&](const Driver& driver) {
    return driver.copy_to_host(to, reinterpret_cast<DevicePointer>(from), size, handle_);
  });
}

absl::Status Stream::CopyOnDevice(void* to, const void* from, size_t size) const {
  if (size == 0) return absl::OkStatus();
  return InContext([&](const Driver& driver) {
    return driver.copy_on_device(reinterpret_cast<DevicePointer>(to),
                                 reinterpret_cast<DevicePointer>(from), size, handle_);
  });
}

absl::StatusOr<int32_t> FindDeviceOrdinal(void* stream) {
  absl::StatusOr<const Driver*> found = Driver::Get();
  if (!found.ok()) return found.status();
  const Driver& driver = **found;
  DeviceHandle device = 0;
  absl::Status asked;
  if (reinterpret_cast<uintptr_t>(stream) <= kPerThreadStream) {
    asked = driver.context_get_device(&device);
  } else {
    ContextHandle context = nullptr;
    asked = driver.stream_get_context(static_cast<StreamHandle>(stream), &context);
    if (!asked.ok()) return asked;
    const CurrentContext current(driver, context);
    asked = current.status().ok() ? driver.context_get_device(&device) : current.status();
  }
  if (!asked.ok()) return asked;
  return device;
}

}  // namespace cuda
}  // namespace callbridge
