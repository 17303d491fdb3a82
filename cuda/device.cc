#include "callbridge/cuda/device.h"

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace cuda {

absl::StatusOr<std::shared_ptr<const Device>> Device::Open(int32_t ordinal) {
  absl::StatusOr<const Driver*> found = Driver::Get();
  if (!found.ok()) return found.status();
  const Driver& driver = **found;
  int count = 0;
  absl::Status asked = driver.device_get_count(&count);
  if (!asked.ok()) return asked;
  if (ordinal < 0 || ordinal >= count) {
    return absl::UnavailableError(
        absl::StrCat("there is no CUDA device ", ordinal, ": this process sees ", count,
                     count == 1 ? " device, 0" : " devices, numbered from 0",
                     " (CUDA_VISIBLE_DEVICES chooses)"));
  }
  DeviceHandle handle = 0;
  asked = driver.device_get(&handle, ordinal);
  if (!asked.ok()) return asked;
  std::shared_ptr<Device> device(new Device(driver, handle));
  const absl::StatusOr<int> pools = device->Attribute(kMemoryPoolsSupported);
  if (!pools.ok()) return pools.status();
  device->has_memory_pools_ = *pools != 0;
  const absl::StatusOr<int> reads_host_memory = device->Attribute(kPageableMemoryAccess);
  if (!reads_host_memory.ok()) return reads_host_memory.status();
  device->reads_host_memory_ = *reads_host_memory != 0;
  asked = driver.primary_context_retain(&device->context_, handle);
  if (!asked.ok()) return asked;
  return device;
}

Device::~Device() {
  if (context_ != nullptr) driver_.primary_context_release(handle_).IgnoreError();
}

absl::StatusOr<int> Device::Attribute(int attribute) const {
  int value = 0;
  absl::Status asked = driver_.device_get_attribute(&value, attribute, handle_);
  if (!asked.ok()) return asked;
  return value;
}

absl::Status Device::CheckPointer(absl::string_view what, const void* data) const {
  if (data == nullptr) return absl::OkStatus();
  absl::Status usable = CheckNotForked();
  if (!usable.ok()) return usable;
  const auto address = reinterpret_cast<DevicePointer>(data);
  const auto wrong = [&](const std::string& where) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected memory of CUDA device ", ordinal(), ", but its pointer, ",
                     absl::StrCat("0x", absl::Hex(address)), ", is ", where));
  };
  unsigned type = 0;
  const auto& get = driver_.pointer_get_attribute;
  const Result known = get.Call(&type, kPointerMemoryType, address);
  if (known == result::kInvalidValue || (known == result::kSuccess && type == 0)) {
    if (reads_host_memory_) return absl::OkStatus();
    return wrong("one that CUDA does not know: host memory, or none; copy the array to the device");
  }
  if (known != result::kSuccess) return get.Error(known);
  if (type != kDeviceMemory) return absl::OkStatus();  // pinned, which devices can use
  int owner = 0;
  absl::Status asked = get(&owner, kPointerDeviceOrdinal, address);
  if (!asked.ok() || owner == ordinal()) return asked;
  return wrong(absl::StrCat("memory of device ", owner));
}

CurrentContext::CurrentContext(const Driver& driver, ContextHandle context)
    : driver_(driver), status_(driver.context_push(context)) {}

CurrentContext::~CurrentContext() {
  ContextHandle popped = nullptr;
  if (status_.ok()) driver_.context_pop(&popped).IgnoreError();
}

}  // namespace cuda
}  // namespace callbridge
