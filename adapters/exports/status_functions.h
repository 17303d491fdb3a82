// Defines the status functions for libraries that link to nothing that has them. Weak, so that
// another definition in the library takes precedence.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_STATUS_FUNCTIONS_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_STATUS_FUNCTIONS_H_

#include <string.h>

#include "callbridge/status_returning/custom_call_status_internal.h"

extern "C" __attribute__((weak)) void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  status->message.reset();
}

extern "C" __attribute__((weak)) void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status,
                                                                    const char* message,
                                                                    size_t message_len) {
  status->message.emplace(message, strnlen(message, message_len));
}

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_STATUS_FUNCTIONS_H_
