// A library that is linked to nothing: its status functions are those that come with the headers.
#include <cstddef>

#include "callbridge/export.h"

// The opaque is the message; "-" in front of it is no part of it, and it is taken back.
extern "C" __attribute__((visibility("default"))) void fail_as_told(void*, const void**,
                                                                    const char* opaque,
                                                                    size_t opaque_len,
                                                                    XlaCustomCallStatus* status) {
  if (opaque_len == 0) return;
  if (opaque[0] == '-') {
    XlaCustomCallStatusSetFailure(status, opaque + 1, opaque_len - 1);
    XlaCustomCallStatusSetSuccess(status);
    return;
  }
  XlaCustomCallStatusSetFailure(status, opaque, opaque_len);
}
CALLBRIDGE_EXPORT(FailAsTold, fail_as_told);
