#include "callbridge/status_returning/custom_call_status.h"

#include <cstring>

#include "callbridge/status_returning/custom_call_status_internal.h"

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  if (status != nullptr) status->message.reset();
}

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len) {
  if (status == nullptr) return;
  status->message.emplace();
  if (message != nullptr) status->message->assign(message, strnlen(message, message_len));
}
