// How functions of the ABI in target_abi.h are called.
#ifndef CALLBRIDGE_TESTS_ONE_MORE_ABI_TARGET_CALL_H_
#define CALLBRIDGE_TESTS_ONE_MORE_ABI_TARGET_CALL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/abi/failure_status.h"

namespace callbridge {

struct CountedCalls {
  static absl::Status Call(void* function, absl::Span<void*> buffers,
                           absl::string_view /*opaque*/) {
    int code = 0;
    try {
      code = reinterpret_cast<int (*)(void**, int64_t)>(function)(
          buffers.data(), static_cast<int64_t>(buffers.size()));
    } catch (...) {
      return CaughtException();
    }
    return code == 0 ? absl::OkStatus()
                     : CustomCallFailed(absl::StrCat("the function returned ", code));
  }
};

}  // namespace callbridge

#define CALLBRIDGE_MORE_UNTYPED_ABIS WithCount<CountedCalls>(kCountedAbi)

#endif  // CALLBRIDGE_TESTS_ONE_MORE_ABI_TARGET_CALL_H_
