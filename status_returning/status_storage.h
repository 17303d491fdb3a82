// The storage of an XlaCustomCallStatus: an optional string, laid out as XLA's headers from
// TensorFlow 2.12 on and jaxlib have it under libstdc++'s new string ABI. Binaries hold private
// copies of the status functions that write it in place, so the layout is frozen; the asserts below
// are the proof.
#ifndef CALLBRIDGE_STATUS_RETURNING_STATUS_STORAGE_H_
#define CALLBRIDGE_STATUS_RETURNING_STATUS_STORAGE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/status_returning/custom_call_status.h"

struct XlaCustomCallStatus_ {
  std::optional<std::string> message;  // present = failure
};

static_assert(sizeof(XlaCustomCallStatus_) == 40, "the string at 0, the engaged flag at 32");
static_assert(alignof(XlaCustomCallStatus_) == 8, "");
static_assert(sizeof(std::string) == 32, "libstdc++'s new string ABI");

namespace callbridge {

// Stands before the message of every failure that a target causes.
inline constexpr absl::string_view kCustomCallFailed = "CustomCall failed: ";

// What XLA makes of a failure that a target set: INTERNAL, "CustomCall failed: <message>".
absl::Status CustomCallFailed(absl::string_view message);

// OK, or what the target reported.
inline absl::Status ToStatus(const XlaCustomCallStatus& status) {
  return status.message.has_value() ? CustomCallFailed(*status.message) : absl::OkStatus();
}

}  // namespace callbridge

#endif  // CALLBRIDGE_STATUS_RETURNING_STATUS_STORAGE_H_
