// RecordedCall: a call of a target that is declared command_buffer_compatible, on CUDA. While XLA
// captures the call into a CUDA graph, checks that the target did what a capture is for.
//
// What the driver forbids it refuses, and XLA then says that the capture failed, not whose fault it
// is. A target that works on the default stream or copies synchronously is not even refused: XLA's
// streams do not wait for the default stream. Its work is done once and is in no replay.
#ifndef CALLBRIDGE_ADAPTERS_RECORDED_CALL_H_
#define CALLBRIDGE_ADAPTERS_RECORDED_CALL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/platform.h"
#include "callbridge/cuda/capture.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Whether calls of a target with these traits are checked.
inline bool IsRecorded(Platform platform, XLA_FFI_Handler_Traits traits) {
  return platform == Platform::kCuda &&
         (traits & XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE) != 0;
}

class RecordedCall {
 public:
  // Before the target is called. Asks the driver, once if the stream does not capture.
  explicit RecordedCall(void* stream)
      : stream_(stream), before_(cuda::CaptureProgress::Of(stream)) {}

  bool is_captured() const { return before_.is_active(); }

  // For a call that is_captured(), after the target has returned without an error. Returns
  // FAILED_PRECONDITION, and names `target`, if it
  //   - invalidated the capture, or
  //   - recorded nothing, though it has results of more than zero bytes, and no future.
  // A target that recorded a part of its work, and did another on the default stream, passes.
  absl::Status Check(const XLA_FFI_CallFrame& frame, absl::string_view target) const;

 private:
  void* const stream_;
  const cuda::CaptureProgress before_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_RECORDED_CALL_H_
