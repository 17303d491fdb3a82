// The API tables of callbridge's own runtime, of every XLA FFI version.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_API_TABLE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_API_TABLE_H_

#include "callbridge/abi/exported.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace host {

// Returns the API table of one row of kRuntimeVersions, with the row's layout, true size, and
// stated size and version. Its functions serve an Invocation and check the sizes of their
// arguments; errors are worded as XLA's. The same for each call; lives as long as the process.
// Thread-safe.
//
// Handler_Register registers with RegistryOf(version), the type functions with
// TypeRegistry::OfProcess().
const XLA_FFI_Api& ApiTable(const typed_ffi::RuntimeVersion& version);

}  // namespace host
}  // namespace callbridge

// Returns ApiTable(kNewestVersion). libcallbridge.so exports it to the headers of
// typed_ffi/binding. Thread-safe.
extern "C" CALLBRIDGE_EXPORTED const XLA_FFI_Api* callbridge_xla_ffi_api(void);

#endif  // CALLBRIDGE_TYPED_FFI_HOST_API_TABLE_H_
