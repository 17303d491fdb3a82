#include "callbridge/status_returning/custom_call_status.h"

#include <cstring>

#include "callbridge/status_returning/custom_call_status_internal.h"

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) { status->message.reset(); }

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len) {
  status->message.emplace(message, strnlen(message, message_len));
}
