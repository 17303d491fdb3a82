// From the C API's structs to the C++ ones they stand for.
#ifndef CALLBRIDGE_C_API_FROM_C_H_
#define CALLBRIDGE_C_API_FROM_C_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/adapters/target.h"
#include "callbridge/c_api/callbridge.h"

namespace callbridge {

// INVALID_ARGUMENT where a struct is smaller than this version's, or a field is null, out of range
// or cannot be parsed; the message names it.
absl::StatusOr<Target> FromC(const callbridge_target& target);
absl::StatusOr<CallSite> FromC(const callbridge_site& site);
// The same, for a call of `target`.
absl::StatusOr<CallSite> FromC(const callbridge_site& site, const Target& target);

// The arrays as they lie there.
absl::Span<const HostArray> FromC(const callbridge_array* arrays, size_t count);

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_FROM_C_H_
