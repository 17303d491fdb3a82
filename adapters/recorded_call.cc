#include "callbridge/adapters/recorded_call.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

bool HasBytes(const XLA_FFI_Buffer& buffer) {
  int64_t* const end = buffer.dims + buffer.rank;
  return buffer.dtype != XLA_FFI_DataType_TOKEN && std::find(buffer.dims, end, 0) == end;
}

bool HasResults(const XLA_FFI_Rets& rets) {
  for (int64_t i = 0; i < rets.size; ++i) {
    if (rets.types[i] != XLA_FFI_RetType_BUFFER) continue;
    if (HasBytes(*static_cast<const XLA_FFI_Buffer*>(rets.rets[i]))) return true;
  }
  return false;
}

}  // namespace

absl::Status RecordedCall::Check(const XLA_FFI_CallFrame& frame, absl::string_view target) const {
  const auto after = cuda::CaptureProgress::Of(stream_);
  if (after.is_invalidated()) {
    return absl::FailedPreconditionError(absl::StrCat(
        target,
        " did what is forbidden while XLA captures its stream into a CUDA graph, and ended the "
        "capture (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED): it waits for the stream, allocates "
        "memory, or the like. Only submit work to the stream, or register the target without "
        "command_buffer_compatible"));
  }
  // Work that a future waits for may be recorded later.
  if (!after.is_active() || !after.IsAt(before_) || frame.future != nullptr ||
      !HasResults(frame.rets)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      target,
      " recorded nothing into the CUDA graph that XLA is capturing; a replay would not write its "
      "results. It works on the default stream, or copies synchronously: use the stream that it "
      "is given, or register it without command_buffer_compatible"));
}

}  // namespace callbridge
