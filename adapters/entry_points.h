// Entry points: the way back. A runtime that knows nothing of callbridge is given a target as a
// function of an ABI that it calls: an untyped one of version 3, or a typed FFI handler.
//
// There is one pair of them per *target*. What differs per *call site* (tuple trees, era, the
// user's opaque) comes along with each call as a site descriptor (abi/site_descriptor.h): as the
// opaque of an untyped call, as the attribute kSiteDescriptorAttribute of a typed one. Calls
// without a descriptor are calls of arrays, and of one array or a tuple of other than one array as
// the result.
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_POINTS_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_POINTS_H_

#include "absl/status/statusor.h"
#include "callbridge/adapters/target.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

struct EntryPoints {
  // Host: void(void* out, const void** in, const char* opaque, size_t opaque_len,
  // XlaCustomCallStatus*), GPU: void(CUstream, void** buffers, const char* opaque, size_t
  // opaque_len, XlaCustomCallStatus*). The status is the runtime's, in the layout of
  // status_returning/custom_call_status_internal.h. Operands and results come as jaxlib >= 0.4.38
  // hands them over: flat.
  void* untyped;
  // For the execute stage, on runtimes of FFI API versions 0.1 to 0.5.
  XLA_FFI_Handler* typed;
};

// The entry points that lead to `target`, which live as long as the process, and so does the
// library that holds it; asking again for a target of the same address, platform and ABI gives the
// same ones. Fails as Bind() does. Thread-safe.
absl::StatusOr<EntryPoints> GetEntryPoints(const Target& target);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_H_
