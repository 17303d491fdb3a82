// Calls functions of version 1 on Host.
#ifndef CALLBRIDGE_LEGACY_TARGET_CALL_H_
#define CALLBRIDGE_LEGACY_TARGET_CALL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/target_failure.h"

namespace callbridge {

// For functions whose type proves that they take no status. All others are called by
// HostStatusReturning (status_returning/target_call.h).
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

#endif  // CALLBRIDGE_LEGACY_TARGET_CALL_H_
