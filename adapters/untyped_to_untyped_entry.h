// The entry point by which a runtime calls an untyped target: a function of version 3.
#ifndef CALLBRIDGE_ADAPTERS_UNTYPED_TO_UNTYPED_ENTRY_H_
#define CALLBRIDGE_ADAPTERS_UNTYPED_TO_UNTYPED_ENTRY_H_

#include <cstddef>

#include "absl/base/optimization.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/entry_target.h"
#include "callbridge/status_returning/custom_call_status.h"

namespace callbridge {

// Serves a call whose opaque is a site descriptor.
absl::Status CallDescribed(EntryTarget& entry, void* first, void** pointers,
                           absl::string_view descriptor);

// Serves one call of EntryPoints::untyped for a target that Calls::Call() calls. `first` and
// `pointers` are `out` and `in` on Host, the stream and the buffers on GPU. `entry` comes last, so
// that the other arguments stay in the registers in which the target expects them.
template <typename Calls>
void CallUntyped(void* first, void** pointers, const char* opaque, size_t opaque_len,
                 XlaCustomCallStatus* status, EntryTarget& entry) {
  const absl::Status result =
      ABSL_PREDICT_FALSE(IsSiteDescriptor(opaque, opaque_len))
          ? CallDescribed(entry, first, pointers, {opaque, opaque_len})
          : Calls::Call(entry.function, first, pointers, {opaque, opaque_len});
  if (ABSL_PREDICT_FALSE(!result.ok())) {
    XlaCustomCallStatusSetFailure(status, result.message().data(), result.message().size());
  }
}

// Likewise for a target on Host that needs the numbers of operands and results, which only a site
// descriptor has.
void CallUntypedByDescriptor(void* first, void** pointers, const char* opaque, size_t opaque_len,
                             XlaCustomCallStatus* status, EntryTarget& entry);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_UNTYPED_TO_UNTYPED_ENTRY_H_
