// Entry points: functions by which a runtime that knows nothing of callbridge calls a target. Each
// is of an ABI that the runtime calls: an untyped function of version 3, or a typed FFI handler.
// Runtimes older than FFI call typed targets by the untyped function too.
//
// Each *target* has one pair of entry points. What differs per *call site* (tuple trees, tuple
// layout, the user's opaque) comes with each call as a site descriptor (abi/site_descriptor.h): as
// the opaque of an untyped call, as the attribute kSiteDescriptorAttribute of a typed one.
//
// clang-format off
//   call                                            descriptor
//   operands are arrays; the result is one array    none
//     or a tuple of 0 or of 2 and more arrays
//   other calls of an untyped target                abi/site_descriptor.h
//   version-3 calls of a target that needs the      abi/site_descriptor.h, always
//     numbers of operands and results
//   version-3 calls of a typed target, whose        abi/typed_site_descriptor.h, always
//     handler needs shapes and attributes
// clang-format on
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_POINTS_ENTRY_POINTS_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_POINTS_ENTRY_POINTS_H_

#include "absl/status/statusor.h"
#include "callbridge/adapters/target.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

struct EntryPoints {
  // The function of version 3. Host: void(void* out, const void** in, const char* opaque, size_t
  // opaque_len, XlaCustomCallStatus*). GPU: void(CUstream, void** buffers, const char* opaque,
  // size_t opaque_len, XlaCustomCallStatus*). The status is the runtime's, in the layout of
  // status_returning/custom_call_status_internal.h. Operands and results come flat, as jaxlib >=
  // 0.4.38 passes them.
  //
  // For a typed target: each call runs PREPARE, INITIALIZE and EXECUTE and waits for a future; the
  // first call of each distinct descriptor also runs INSTANTIATE. Keeps at most
  // UntypedToTypedEntry::kMostSites descriptors with their state. It evicts those that no call has
  // used lately; their next call runs INSTANTIATE again. The handler gets its buffers, on GPU
  // the stream, on CUDA the device ordinal (cuda::FindDeviceOrdinal()), and as scratch memory the
  // last result of a call whose descriptor says so (CallSite::scratch_bytes), of which more is
  // RESOURCE_EXHAUSTED. Everything else is UNIMPLEMENTED: run id, thread pool (XLA's headers then
  // run the task on the calling thread), scratch memory without such a result, user data of the
  // execution context, custom options, extensions, elsewhere the device ordinal, and on Host the
  // stream.
  void* untyped;
  // The handler for the execute stage, on all runtimes of runtime_versions.h, but for a GPU target
  // not on jaxlib 0.4.30. Reports Target::traits as its own. Null for a typed target: these
  // runtimes get what AdaptHandlers() makes (cross_version/handler.h).
  XLA_FFI_Handler* typed;
};

// Returns the entry points of `target`. They live as long as the process and keep the target's
// library loaded. Returns the same ones for a target of the same address, platform, ABI, stages
// and, if it is untyped, traits. Returns INVALID_ARGUMENT if the target's ABI is not known or its
// address is null. Thread-safe.
absl::StatusOr<EntryPoints> GetEntryPoints(const Target& target);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_ENTRY_POINTS_H_
