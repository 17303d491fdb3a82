// The API table that handlers call, in the shape of any version of XLA.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_API_TABLE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_API_TABLE_H_

#include "callbridge/abi/exported.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace host {

// The table of one row of kRuntimeVersions: its true layout and size, the struct_size and version
// that such a runtime states, its functions over an Invocation, and its size checks, whose errors
// are worded as XLA's. It lives as long as the process; the same for each call. Thread-safe.
//
// Handler_Register leads to RegistryOf(version), the type functions to TypeRegistry::OfProcess().
const XLA_FFI_Api& ApiTable(const typed_ffi::RuntimeVersion& version);

}  // namespace host
}  // namespace callbridge

// Returns ApiTable(kNewestVersion). libcallbridge.so exports it to the headers of
// typed_ffi/binding. Thread-safe.
extern "C" CALLBRIDGE_EXPORTED const XLA_FFI_Api* callbridge_xla_ffi_api(void);

#endif  // CALLBRIDGE_TYPED_FFI_HOST_API_TABLE_H_
