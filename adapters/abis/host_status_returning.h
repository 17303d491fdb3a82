// API_VERSION_STATUS_RETURNING on Host: void(void* out, const void** in, XlaCustomCallStatus*).
#ifndef CALLBRIDGE_ADAPTERS_ABIS_HOST_STATUS_RETURNING_H_
#define CALLBRIDGE_ADAPTERS_ABIS_HOST_STATUS_RETURNING_H_

#include "callbridge/adapters/caught_exception.h"
#include "callbridge/adapters/untyped_abi.h"
#include "callbridge/status_returning/status_storage.h"

namespace callbridge {

// Serves version 1 too: a function of two arguments ignores a third one in the SysV calling
// convention, and real code calls its two-argument functions with version 2 and the reverse.
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

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ABIS_HOST_STATUS_RETURNING_H_
