#include "callbridge/status_returning/status_storage.h"

#include <cstring>

#include "absl/strings/str_cat.h"

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) { status->message.reset(); }

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len) {
  status->message.emplace(message, strnlen(message, message_len));
}

namespace callbridge {

absl::Status CustomCallFailed(absl::string_view message) {
  return absl::InternalError(absl::StrCat(kCustomCallFailed, message));
}

}  // namespace callbridge
