// Entry points: the way back. A runtime that knows nothing of callbridge is given a target as a
// function of an ABI that it calls: an untyped one of version 3, or a typed FFI handler.
//
// Runtimes older than FFI are given a typed target as a function of version 3 too.
//
// There is one pair of them per *target*. What differs per *call site* (tuple trees, tuple layout,
// the user's opaque) comes along with each call as a site descriptor (abi/site_descriptor.h): as
// the opaque of an untyped call, as the attribute kSiteDescriptorAttribute of a typed one. Calls
// without a descriptor are calls of arrays, and of one array or a tuple of other than one array as
// the result. Calls of a target that is lent counts (abi/target_abi.h) always have one by
// version 3. Calls of a typed target always have one, a typed site descriptor
// (abi/typed_site_descriptor.h), since their handlers are told shapes and attributes.
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
  //
  // A typed target's calls PREPARE, INITIALIZE and EXECUTE, INSTANTIATE in the first call of each
  // distinct descriptor, and waits for a future. Of more than UntypedToTypedEntry::kMostSites
  // distinct descriptors those that no call has used lately are forgotten, and their state deleted:
  // their next call is a first one again. Version 3 lends buffers, and on GPU the stream. A handler
  // that asks for anything else gets UNIMPLEMENTED: run id, device ordinal, thread pool (on which
  // XLA's headers run the task on the calling thread), scratch memory, user data of the execution
  // context, custom options, extensions, and on Host the stream.
  void* untyped;
  // For the execute stage, on the runtimes of runtime_versions.h but for jaxlib 0.4.30, which
  // numbers the stages otherwise. Null for a typed target, which such runtimes are given as
  // AdaptHandlers() says (cross_version/handler.h).
  XLA_FFI_Handler* typed;
};

// The entry points that lead to `target`, which live as long as the process, and so does the
// library that holds it; asking again for a target of the same address, platform, ABI and stages
// gives the same ones. INVALID_ARGUMENT where nobody knows the target's ABI, or its address is
// null. Thread-safe.
absl::StatusOr<EntryPoints> GetEntryPoints(const Target& target);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_H_
