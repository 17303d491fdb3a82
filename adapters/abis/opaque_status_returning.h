// The five-argument ABIs: a list of pointers, the opaque's bytes and a status.
#ifndef CALLBRIDGE_ADAPTERS_ABIS_OPAQUE_STATUS_RETURNING_H_
#define CALLBRIDGE_ADAPTERS_ABIS_OPAQUE_STATUS_RETURNING_H_

#include <cstddef>

#include "callbridge/adapters/caught_exception.h"
#include "callbridge/adapters/untyped_abi.h"
#include "callbridge/status_returning/status_storage.h"

namespace callbridge {

// API_VERSION_STATUS_RETURNING_UNIFIED on Host:
//   void(void* out, const void** in, const char* opaque, size_t opaque_len, XlaCustomCallStatus*)
// and every version on GPU, ORIGINAL being the same without the status, which it ignores:
//   void(CUstream, void** buffers, const char* opaque, size_t opaque_len, XlaCustomCallStatus*)
// To the machine the two are one.
struct OpaqueStatusReturning {
  static absl::Status Call(void* function, void* out_or_stream, void** in_or_buffers,
                           absl::string_view opaque) {
    using Function = void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*);
    StatusStorage status;
    try {
      reinterpret_cast<Function>(function)(out_or_stream, in_or_buffers, opaque.data(),
                                           opaque.size(), status.get());
    } catch (...) {
      return CaughtException();
    }
    return status.ToStatus();
  }
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ABIS_OPAQUE_STATUS_RETURNING_H_
