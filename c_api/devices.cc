#include "callbridge/c_api/devices.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/cuda/device.h"
#include "callbridge/cuda/memory.h"

using callbridge::CheckArray;
using callbridge::WithoutExceptions;
using callbridge::cuda::Device;
using callbridge::cuda::Stream;

namespace callbridge {

DeviceOfContext::DeviceOfContext(const callbridge_execution_context* context) {
  if (context == nullptr || !KnowsField(*context, context->device)) return;
  device_ = context->device;
  if (device_ == nullptr) return;
  synchronizes_ = KnowsField(*context, context->synchronizes) && context->synchronizes != 0;
  if (context->stream != nullptr) {
    borrowed_ = std::make_unique<const Stream>(device_->own_stream->device(), context->stream);
  }
}

}  // namespace callbridge

callbridge_error* callbridge_device_open(int32_t ordinal, callbridge_device** device) {
  return WithoutExceptions({{"device", device}}, [&] {
    absl::StatusOr<std::shared_ptr<const Device>> opened = Device::Open(ordinal);
    if (!opened.ok()) return opened.status();
    absl::StatusOr<std::unique_ptr<const Stream>> stream = Stream::Create(*std::move(opened));
    if (!stream.ok()) return stream.status();
    *device = new callbridge_device{*std::move(stream)};
    return absl::OkStatus();
  });
}

void callbridge_device_close(callbridge_device* device) {
  if (device == nullptr) return;
  device->own_stream->Synchronize().IgnoreError();
  delete device;
}

void* callbridge_device_stream(const callbridge_device* device) {
  return device != nullptr ? device->own_stream->handle() : nullptr;
}

callbridge_error* callbridge_device_synchronize(const callbridge_device* device) {
  return WithoutExceptions({{"device", device}}, [&] { return device->own_stream->Synchronize(); });
}

callbridge_error* callbridge_device_synchronize_stream(const callbridge_device* device,
                                                       void* stream) {
  return WithoutExceptions({{"device", device}}, [&] {
    const Stream borrowed(device->own_stream->device(), stream);
    absl::Status checked = borrowed.CheckDevice();
    return checked.ok() ? borrowed.Synchronize() : checked;
  });
}

callbridge_error* callbridge_device_check_stream(const callbridge_device* device, void* stream) {
  return WithoutExceptions({{"device", device}}, [&] {
    return Stream(device->own_stream->device(), stream).CheckDevice();
  });
}

callbridge_error* callbridge_device_allocate(const callbridge_device* device, size_t size,
                                             void** data) {
  return WithoutExceptions({{"device", device}, {"data", data}}, [&] {
    absl::StatusOr<void*> allocated = callbridge::cuda::Allocate(*device->own_stream, size);
    if (!allocated.ok()) return allocated.status();
    *data = *allocated;
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_device_free(const callbridge_device* device, void* data) {
  return WithoutExceptions({{"device", device}},
                           [&] { return callbridge::cuda::Free(*device->own_stream, data); });
}

namespace {

// Calls copy(), after CheckArray() of both.
template <typename Copy>
callbridge_error* Checked(const callbridge_device* device, const void* to, const void* from,
                          size_t size, Copy copy) {
  return WithoutExceptions({{"device", device}}, [&]() -> absl::Status {
    absl::Status checked = CheckArray("to", to, "size", size);
    if (checked.ok()) checked = CheckArray("from", from, "size", size);
    return checked.ok() ? copy(*device->own_stream) : checked;
  });
}

}  // namespace

callbridge_error* callbridge_device_copy_in(const callbridge_device* device, void* to,
                                            const void* from, size_t size) {
  return Checked(device, to, from, size,
                 [&](const Stream& stream) { return stream.CopyToDevice(to, from, size); });
}

callbridge_error* callbridge_device_copy_out(const callbridge_device* device, void* to,
                                             const void* from, size_t size) {
  return Checked(device, to, from, size, [&](const Stream& stream) {
    absl::Status copied = stream.CopyToHost(to, from, size);
    return copied.ok() ? stream.Synchronize() : copied;
  });
}

callbridge_error* callbridge_device_copy(const callbridge_device* device, void* to,
                                         const void* from, size_t size) {
  return Checked(device, to, from, size,
                 [&](const Stream& stream) { return stream.CopyOnDevice(to, from, size); });
}

callbridge_error* callbridge_device_check_pointer(const callbridge_device* device,
                                                  const void* data) {
  return WithoutExceptions({{"device", device}}, [&] {
    return device->own_stream->device()->CheckPointer("data", data);
  });
}
