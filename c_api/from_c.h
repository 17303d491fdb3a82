// From the C API's structs and handles to the C++ objects they stand for.
#ifndef CALLBRIDGE_C_API_FROM_C_H_
#define CALLBRIDGE_C_API_FROM_C_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/operator_info.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/adapters/target.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_operator_info.h"

struct callbridge_operator_info {
  std::shared_ptr<const callbridge::OperatorInfo> info;
};

namespace callbridge {

// Return INVALID_ARGUMENT, which names the field, if a struct is smaller than its first version, or
// a field is null, out of range or cannot be parsed.
absl::StatusOr<Target> FromC(const callbridge_target& target);
absl::StatusOr<CallSite> FromC(const callbridge_site& site);
// Same, for a call of `target`.
absl::StatusOr<CallSite> FromC(const callbridge_site& site, const Target& target);

// Returns the same arrays, uncopied.
absl::Span<const HostArray> FromC(const callbridge_array* arrays, size_t count);

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_FROM_C_H_
