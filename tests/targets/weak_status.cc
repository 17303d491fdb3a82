// An old binary that reports a failure where the runtime has a way to, and otherwise runs without.
#include <stddef.h>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

extern "C" __attribute__((weak)) void XlaCustomCallStatusSetFailure(void*, const char*, size_t);
extern "C" __attribute__((weak)) void weak_function_that_is_nowhere();

// out = 1 if there is a way, + 2 if there is the other function, too
void has_status(void* out, const void**) {
  *static_cast<int*>(out) = (XlaCustomCallStatusSetFailure != nullptr ? 1 : 0) +
                            (weak_function_that_is_nowhere != nullptr ? 2 : 0);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(has_status, "Host");
