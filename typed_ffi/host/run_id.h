// The numbers of the runs of this process, which XLA:CPU lends to typed handlers.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_RUN_ID_H_
#define CALLBRIDGE_TYPED_FFI_HOST_RUN_ID_H_

#include <cstdint>

namespace callbridge {
namespace host {

// A number that no other run in this process has: 1, 2 and so on. Thread-safe.
int64_t NewRunId();

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_RUN_ID_H_
