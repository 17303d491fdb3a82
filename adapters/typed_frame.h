// Reads the frame of a typed handler's call: the metadata query and the stream.
#ifndef CALLBRIDGE_ADAPTERS_TYPED_FRAME_H_
#define CALLBRIDGE_ADAPTERS_TYPED_FRAME_H_

#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Returns where the answer to the metadata query goes, by which a runtime asks a handler what it
// is, or null if `frame` is a call. In a query frame.api may be null, and up to jaxlib 0.7.2 the
// answer has no state type id.
inline XLA_FFI_Metadata* MetadataQuery(const XLA_FFI_CallFrame& frame) {
  for (auto* extension = frame.extension_start; extension != nullptr; extension = extension->next) {
    if (extension->type == XLA_FFI_Extension_Metadata) {
      return reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension)->metadata;
    }
  }
  return nullptr;
}

// Writes the stream of a call on a GPU. Returns null, or the error that the runtime made. Not for
// jaxlib 0.4.30, whose function for the stream is elsewhere in the API table.
inline XLA_FFI_Error* GetStream(const XLA_FFI_CallFrame& frame, void*& stream) {
  XLA_FFI_Stream_Get_Args args = {};
  args.struct_size = sizeof(args);
  args.ctx = frame.ctx;
  XLA_FFI_Error* error = frame.api->XLA_FFI_Stream_Get(&args);
  stream = args.stream;
  return error;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TYPED_FRAME_H_
