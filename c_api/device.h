// Device and DeviceArray: the part of callbridge/callbridge.hpp for CUDA devices.
//
//   Device device = Device::Open(0).value();
//   DeviceArray x = DeviceArray::CopyOf(device, host.data(), 4 * host.size()).value();
//   Context context;
//   context.device = device.get();
//   void* operands[] = {x.data()};
//   call.Execute(operands, {}, context).value();
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_DEVICE_H_
#define CALLBRIDGE_C_API_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "callbridge/c_api/callbridge_device.h"
#include "callbridge/c_api/library.h"
#include "callbridge/c_api/result.h"

namespace callbridge {
inline namespace cpp_v1 {

// A CUDA device with a stream of its own. Must outlive its arrays and the calls on it.
class Device {
 public:
  // Returns UNAVAILABLE, which says what was looked for, if there is no such device.
  static Result<Device> Open(int32_t ordinal) {
    callbridge_device* device = nullptr;
    if (callbridge_error* error = callbridge_device_open(ordinal, &device)) return Error(error);
    return Device(device);
  }

  // Returns the CUstream on which calls and copies are enqueued.
  void* stream() const { return callbridge_device_stream(handle_.get()); }
  // Waits for all that is enqueued on the stream, and returns the error of any of it.
  Result<void> Synchronize() const {
    return ToResult(callbridge_device_synchronize(handle_.get()));
  }

  // Returns the C API's handle, which this object owns; null after a move.
  const callbridge_device* get() const { return handle_.get(); }

 private:
  explicit Device(callbridge_device* device) : handle_(device) {}

  std::unique_ptr<callbridge_device, Destroyer<&callbridge_device_close>> handle_;
};

// A block of a device's memory. The destructor frees it when all that is enqueued on the device's
// stream is done with it.
class DeviceArray {
 public:
  // Allocates `size_bytes` bytes, aligned to 256, for what is enqueued on the device's stream after
  // this. Returns RESOURCE_EXHAUSTED if the device's memory runs out.
  static Result<DeviceArray> Allocate(const Device& device, size_t size_bytes) {
    void* data = nullptr;
    if (callbridge_error* error = callbridge_device_allocate(device.get(), size_bytes, &data)) {
      return Error(error);
    }
    return DeviceArray(device.get(), data, size_bytes);
  }
  // Allocates, and enqueues a copy of `size_bytes` bytes; `from`, on the host, may be reused at
  // once.
  static Result<DeviceArray> CopyOf(const Device& device, const void* from, size_t size_bytes) {
    Result<DeviceArray> made = Allocate(device, size_bytes);
    if (!made) return made;
    callbridge_error* error =
        callbridge_device_copy_in(device.get(), made->data(), from, size_bytes);
    if (error != nullptr) return Error(error);
    return made;
  }

  // Returns the address on the device.
  void* data() const { return data_.get(); }
  // Returns the size in bytes.
  size_t size_bytes() const { return size_bytes_; }

  // Copies all of it to `to`, after what is enqueued on the device's stream, and waits for that.
  Result<void> CopyTo(void* to) const {
    return ToResult(
        callbridge_device_copy_out(data_.get_deleter().device, to, data_.get(), size_bytes_));
  }

 private:
  struct Free {
    const callbridge_device* device;

    void operator()(void* data) const {
      callbridge_error_destroy(callbridge_device_free(device, data));
    }
  };

  DeviceArray(const callbridge_device* device, void* data, size_t size_bytes)
      : data_(data, Free{device}), size_bytes_(size_bytes) {}

  std::unique_ptr<void, Free> data_;
  size_t size_bytes_;
};

}  // namespace cpp_v1
}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_DEVICE_H_
