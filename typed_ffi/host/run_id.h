// Run ids, which XLA:CPU passes to typed handlers.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_RUN_ID_H_
#define CALLBRIDGE_TYPED_FFI_HOST_RUN_ID_H_

#include <cstdint>

namespace callbridge {
namespace host {

// Returns 1, 2 and so on: unique within the process. Thread-safe.
int64_t NewRunId();

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_RUN_ID_H_
