// The API table that a cross-version handler is shown: in the layout and version of its headers,
// leading to whatever runtime calls it.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_API_TABLE_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_API_TABLE_H_

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

// For contexts that are CrossVersionContext. Headers of version 0.1 have three tables, which one a
// handler was built with cannot be told: theirs is one that serves all three, where a slot has two
// meanings by the size of the argument. Lives as long as the process. Thread-safe.
const XLA_FFI_Api* CrossVersionApiTable(const typed_ffi::RuntimeVersion& headers);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_API_TABLE_H_
