// Stream: where work for a CUDA device is enqueued, and the copies that go there.
#ifndef CALLBRIDGE_CUDA_STREAM_H_
#define CALLBRIDGE_CUDA_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/cuda/device.h"
#include "callbridge/cuda/driver_types.h"

namespace callbridge {
namespace cuda {

// Thread-safe. Each function makes the device's context current while it runs.
class Stream {
 public:
  // Creates a stream that does not wait for the legacy default stream, as XLA's do not.
  static absl::StatusOr<std::unique_ptr<const Stream>> Create(std::shared_ptr<const Device> device);
  // Borrows a stream of `device`.
  Stream(std::shared_ptr<const Device> device, void* handle)
      : device_(std::move(device)), handle_(static_cast<StreamHandle>(handle)), is_owned_(false) {}

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  // Does not wait for what is enqueued, which is done all the same.
  ~Stream();

  const std::shared_ptr<const Device>& device() const { return device_; }
  void* handle() const { return handle_; }

  // Returns INVALID_ARGUMENT if the stream is another device's or another context's.
  absl::Status CheckDevice() const;

  // Waits until all that is enqueued is done. Returns the error of any of it.
  absl::Status Synchronize() const;

  // Enqueue copies of `size` bytes. Memory of the host may be reused when CopyToDevice() returns;
  // what CopyToHost() writes is there after Synchronize().
  absl::Status CopyToDevice(void* to, const void* from, size_t size) const;
  absl::Status CopyToHost(void* to, const void* from, size_t size) const;
  absl::Status CopyOnDevice(void* to, const void* from, size_t size) const;

 private:
  Stream(std::shared_ptr<const Device> device, StreamHandle handle, bool is_owned)
      : device_(std::move(device)), handle_(handle), is_owned_(is_owned) {}

  // Returns what `call` returns, with the device's context current.
  template <typename Call>
  absl::Status InContext(Call call) const {
    const CurrentContext current(*device_);
    return current.status().ok() ? call(device_->driver()) : current.status();
  }

  const std::shared_ptr<const Device> device_;
  const StreamHandle handle_;
  const bool is_owned_;
};

// Returns the ordinal of the device of a CUstream, which may be capturing: that of the stream's
// context, for a default stream that of the calling thread's current context. Works with streams of
// whoever has initialised the driver. Returns the errors of Driver::Get(), and the driver's.
absl::StatusOr<int32_t> FindDeviceOrdinal(void* stream);

}  // namespace cuda
}  // namespace callbridge

#endif  // CALLBRIDGE_CUDA_STREAM_H_
