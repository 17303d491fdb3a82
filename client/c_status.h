// Converts errors of the C API into absl::Status.
#ifndef CALLBRIDGE_CLIENT_C_STATUS_H_
#define CALLBRIDGE_CLIENT_C_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/c_api/callbridge.h"

namespace callbridge::client {

// Frees `error`. Null is OK.
inline absl::Status TakeStatus(callbridge_error* error) {
  if (error == nullptr) return absl::OkStatus();
  absl::Status status(static_cast<absl::StatusCode>(error->code),
                      absl::string_view(error->message, error->message_size));
  callbridge_error_destroy(error);
  return status;
}

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_C_STATUS_H_
