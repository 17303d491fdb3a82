// The typed way back: an FFI handler that leads to a target.
#ifndef CALLBRIDGE_ADAPTERS_TYPED_ENTRY_H_
#define CALLBRIDGE_ADAPTERS_TYPED_ENTRY_H_

#include "callbridge/adapters/entry_target.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Serves one call of EntryPoints::typed: answers the metadata query, and on the execute stage calls
// the target. Null on success; else an error of the frame's runtime.
XLA_FFI_Error* CallTyped(EntryTarget& entry, XLA_FFI_CallFrame* frame);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TYPED_ENTRY_H_
