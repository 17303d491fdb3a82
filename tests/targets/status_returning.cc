// An old binary of API_VERSION_STATUS_RETURNING and API_VERSION_STATUS_RETURNING_UNIFIED. It
// imports functions that no TensorFlow wheel exports, so today it loads nowhere else.
#include <string.h>

#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

void square_root_floor(void* out, const void** in, XlaCustomCallStatus* status) {
  const int x = *static_cast<const int*>(in[0]);
  if (x < 0) {
    const char message[] = "negative";
    XlaCustomCallStatusSetFailure(status, message, strlen(message));
    return;
  }
  XlaCustomCallStatusSetSuccess(status);
  int root = 0;
  while ((root + 1) * (root + 1) <= x) ++root;
  *static_cast<int*>(out) = root;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(square_root_floor, "Host");

// out = the number of opaque's bytes
static void opaque_size(void* out, const void**, const char* opaque, size_t opaque_len,
                        XlaCustomCallStatus* status) {
  if (opaque == nullptr) XlaCustomCallStatusSetFailure(status, "no opaque", 9);
  *static_cast<int*>(out) = static_cast<int>(opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(opaque_size, "Host");

// The same parameters are another version on each platform.
void either(void*, void**, const char*, size_t, XlaCustomCallStatus*) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(either, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(either, "ROCM");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("any_gpu", either, "gpu");
