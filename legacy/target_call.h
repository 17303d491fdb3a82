// Calls functions of version 1.
#ifndef CALLBRIDGE_LEGACY_TARGET_CALL_H_
#define CALLBRIDGE_LEGACY_TARGET_CALL_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/failure_status.h"

namespace callbridge {

// Both are for functions whose type proves that they take no status. All others are called by
// HostStatusReturning and OpaqueStatusReturning (status_returning/target_call.h).

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

struct GpuOriginal {
  static absl::Status Call(void* function, void* stream, void** buffers, absl::string_view opaque) {
    using Function = void (*)(void*, void**, const char*, size_t);
    try {
      reinterpret_cast<Function>(function)(stream, buffers, opaque.data(), opaque.size());
    } catch (...) {
      return CaughtException();
    }
    return absl::OkStatus();
  }
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LEGACY_TARGET_CALL_H_
