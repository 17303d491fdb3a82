// The entry point by which a runtime calls an untyped target: a function of version 3.
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_POINTS_UNTYPED_TO_UNTYPED_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_POINTS_UNTYPED_TO_UNTYPED_H_

#include <cstddef>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "callbridge/abi/ended_thread.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/entry_points/entry_target.h"
#include "callbridge/status_returning/custom_call_status.h"

namespace callbridge {

// Serves a call whose opaque is a site descriptor.
ABSL_ATTRIBUTE_NOINLINE absl::Status CallDescribed(EntryTarget& entry, void* first, void** pointers,
                                                   absl::string_view descriptor);

// Puts `error` into the runtime's status: "CustomCall failed: <message>" on Host; on GPU without
// these words, which every XLA:GPU adds by itself.
ABSL_ATTRIBUTE_COLD void ReportFailure(const absl::Status& error, const EntryTarget& entry,
                                       XlaCustomCallStatus* status);

// Serves one call of EntryPoints::untyped for a target that Calls::Call() calls. `first` and
// `pointers` are `out` and `in` on Host, the stream and the buffers on GPU. `entry` comes last, so
// that the other arguments stay in the registers in which the target expects them.
template <typename Calls>
void CallUntyped(void* first, void** pointers, const char* opaque, size_t opaque_len,
                 XlaCustomCallStatus* status, EntryTarget& entry) {
  const absl::Status result = RequiringThread([=, &entry] {
    return ABSL_PREDICT_FALSE(IsSiteDescriptor(opaque, opaque_len))
               ? CallDescribed(entry, first, pointers, {opaque, opaque_len})
               : Calls::Call(entry.function, first, pointers, {opaque, opaque_len});
  });
  if (ABSL_PREDICT_FALSE(!result.ok())) {
    ReportFailure(result, entry, status);
  }
}

// Likewise for a target on Host that needs the numbers of operands and results, which only a site
// descriptor has.
void CallUntypedByDescriptor(void* first, void** pointers, const char* opaque, size_t opaque_len,
                             XlaCustomCallStatus* status, EntryTarget& entry);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_UNTYPED_TO_UNTYPED_H_
