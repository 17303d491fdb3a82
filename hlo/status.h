// xla::Status, and the macros that old code passes errors on with.
#ifndef CALLBRIDGE_HLO_STATUS_H_
#define CALLBRIDGE_HLO_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/exported.h"

namespace xla {
inline namespace callbridge_v1 {

using Status = absl::Status;
using absl::OkStatus;

namespace internal {

// Ends the process with the message on stderr: what the old API does where it cannot return an
// error, as with a ValueOrDie() that has none or an index that does not exist.
[[noreturn]] CALLBRIDGE_EXPORTED void Die(absl::string_view message);

}  // namespace internal
}  // namespace callbridge_v1
}  // namespace xla

#ifndef TF_RETURN_IF_ERROR
#define TF_RETURN_IF_ERROR(...)                              \
  do {                                                       \
    ::absl::Status callbridge_status_ = (__VA_ARGS__);       \
    if (!callbridge_status_.ok()) return callbridge_status_; \
  } while (0)
#endif

#ifndef TF_CHECK_OK
#define TF_CHECK_OK(...)                                                               \
  do {                                                                                 \
    ::absl::Status callbridge_status_ = (__VA_ARGS__);                                 \
    if (!callbridge_status_.ok()) ::xla::internal::Die(callbridge_status_.ToString()); \
  } while (0)
#endif

#endif  // CALLBRIDGE_HLO_STATUS_H_
