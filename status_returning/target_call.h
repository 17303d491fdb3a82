// Calls functions that take a status.
#ifndef CALLBRIDGE_STATUS_RETURNING_TARGET_CALL_H_
#define CALLBRIDGE_STATUS_RETURNING_TARGET_CALL_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/failure_status.h"
#include "callbridge/status_returning/status_storage.h"

namespace callbridge {

// Calls version 2 on Host, and version 1 whose type is not proved: a function of two arguments
// ignores a third one in the SysV calling convention.
struct HostStatusReturning {
  static absl::Status Call(void* function, void* out, void** in, absl::string_view /*opaque*/) {
    StatusStorage status;
    try {
      reinterpret_cast<void (*)(void*, void**, XlaCustomCallStatus*)>(function)(out, in,
                                                                                status.get());
    } catch (...) {
      return CaughtException();
    }
    return status.ToStatus();
  }
};

// Calls the five-argument ABIs: version 3 on Host and every version on GPU, where version 1 whose
// type is not proved ignores the fifth argument. `first` is `out` or the stream, which are passed
// alike.
struct OpaqueStatusReturning {
  static absl::Status Call(void* function, void* first, void** pointers, absl::string_view opaque) {
    using Function = void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*);
    StatusStorage status;
    try {
      reinterpret_cast<Function>(function)(first, pointers, opaque.data(), opaque.size(),
                                           status.get());
    } catch (...) {
      return CaughtException();
    }
    return status.ToStatus();
  }
};

}  // namespace callbridge

#endif  // CALLBRIDGE_STATUS_RETURNING_TARGET_CALL_H_
