// The status functions, for libraries that are linked to nothing that has them: weak, so that a
// definition elsewhere in the library is taken instead.
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
