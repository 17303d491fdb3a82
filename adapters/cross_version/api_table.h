// The API tables that cross-version handlers get, in the layout and version of their headers. Their
// functions call whatever runtime calls the handler.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_API_TABLE_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_API_TABLE_H_

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

// Returns the table for handlers of these headers. Its contexts must be CrossVersionContext.
// Handlers of ambiguous headers get one table that serves all of their rows: the size of the
// argument tells which function a slot is called as. Lives as long as the process. Thread-safe.
const XLA_FFI_Api* CrossVersionApiTable(const typed_ffi::RuntimeVersion& headers);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_API_TABLE_H_
