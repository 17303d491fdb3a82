// callbridge_device, as C++ uses it.
#ifndef CALLBRIDGE_C_API_DEVICES_H_
#define CALLBRIDGE_C_API_DEVICES_H_

#include <memory>

#include "callbridge/c_api/callbridge_device.h"
#include "callbridge/cuda/stream.h"

struct callbridge_device {
  std::unique_ptr<const callbridge::cuda::Stream> own_stream;
};

namespace callbridge {

// What callbridge_execution_context says of a device.
class DeviceOfContext {
 public:
  // Refers to the device of `context`, which may be null.
  explicit DeviceOfContext(const callbridge_execution_context* context);

  // Whether there is one. Nothing else may be asked otherwise.
  explicit operator bool() const { return device_ != nullptr; }
  // The stream of the call: the context's, or else the device's own.
  const cuda::Stream& stream() const { return borrowed_ ? *borrowed_ : *device_->own_stream; }
  const cuda::Device& device() const { return *stream().device(); }
  bool synchronizes() const { return synchronizes_; }

 private:
  const callbridge_device* device_ = nullptr;
  bool synchronizes_ = false;
  std::unique_ptr<const cuda::Stream> borrowed_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_DEVICES_H_
