// The layout of XlaCustomCallStatus: an optional string, as XLA's headers from TensorFlow 2.12 on
// and jaxlib have it under libstdc++'s new string ABI. Runtimes, and the private copies of the
// status functions in old binaries, write it in place, so the layout is frozen; the asserts below
// check it.
#ifndef CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_INTERNAL_H_
#define CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_INTERNAL_H_

#include <optional>
#include <string>

#include "callbridge/status_returning/custom_call_status.h"

struct XlaCustomCallStatus_ {
  std::optional<std::string> message;  // present = failure
};

// With another standard library nothing but the functions of the same binary reads it.
#ifdef __GLIBCXX__
static_assert(sizeof(XlaCustomCallStatus_) == 40, "the string at 0, the engaged flag at 32");
static_assert(alignof(XlaCustomCallStatus_) == 8, "");
static_assert(sizeof(std::string) == 32, "libstdc++'s new string ABI");
#endif

#endif  // CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_INTERNAL_H_
