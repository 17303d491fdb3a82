// The metadata query: a frame that has no call, by which a runtime asks a typed handler what it is.
#ifndef CALLBRIDGE_ADAPTERS_METADATA_QUERY_H_
#define CALLBRIDGE_ADAPTERS_METADATA_QUERY_H_

#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Returns where the answer goes, or null if `frame` is a call. In a query frame.api may be null,
// and up to jaxlib 0.7.2 the answer has no state type id.
inline XLA_FFI_Metadata* MetadataQuery(const XLA_FFI_CallFrame& frame) {
  for (auto* extension = frame.extension_start; extension != nullptr; extension = extension->next) {
    if (extension->type == XLA_FFI_Extension_Metadata) {
      return reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension)->metadata;
    }
  }
  return nullptr;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_METADATA_QUERY_H_
