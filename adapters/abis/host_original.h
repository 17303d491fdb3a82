// API_VERSION_ORIGINAL on Host: void(void* out, const void** in).
#ifndef CALLBRIDGE_ADAPTERS_ABIS_HOST_ORIGINAL_H_
#define CALLBRIDGE_ADAPTERS_ABIS_HOST_ORIGINAL_H_

#include "callbridge/adapters/caught_exception.h"
#include "callbridge/adapters/untyped_abi.h"

namespace callbridge {

// For functions whose type proves that they take no status; all others are called as
// HostStatusReturning.
struct HostOriginal {
  static absl::Status Call(void* function, void* out, void** in, absl::string_view /*opaque*/) {
    try {
      reinterpret_cast<void (*)(void*, void**)>(function)(out, in);
    } catch (...) {
      return CaughtException();
    }
    return absl::OkStatus();
  }
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ABIS_HOST_ORIGINAL_H_
