// The stream of a typed call on a GPU.
#ifndef CALLBRIDGE_ADAPTERS_CALL_STREAM_H_
#define CALLBRIDGE_ADAPTERS_CALL_STREAM_H_

#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Writes the stream. Returns null, or the error that the runtime made. Not for jaxlib 0.4.30, whose
// function for the stream is elsewhere in the API table.
inline XLA_FFI_Error* GetStream(const XLA_FFI_CallFrame& frame, void*& stream) {
  XLA_FFI_Stream_Get_Args args = {};
  args.struct_size = sizeof(args);
  args.ctx = frame.ctx;
  XLA_FFI_Error* error = frame.api->XLA_FFI_Stream_Get(&args);
  stream = args.stream;
  return error;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CALL_STREAM_H_
