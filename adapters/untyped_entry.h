// The untyped way back: a function of version 3 that leads to a target.
#ifndef CALLBRIDGE_ADAPTERS_UNTYPED_ENTRY_H_
#define CALLBRIDGE_ADAPTERS_UNTYPED_ENTRY_H_

#include <cstddef>

#include "callbridge/adapters/entry_target.h"
#include "callbridge/status_returning/custom_call_status.h"

namespace callbridge {

// Serves one call of EntryPoints::untyped. `first` and `pointers` are out and in on Host, the stream and
// the buffers on GPU.
void CallUntyped(EntryTarget& entry, void* first, void** pointers, const char* opaque,
                 size_t opaque_len, XlaCustomCallStatus* status);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_UNTYPED_ENTRY_H_
