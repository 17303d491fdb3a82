// The targets that are called when calls are measured. In a file of its own, so that nothing is
// inlined.
#include <cstdint>

#include "xla/service/custom_call_target_registry.h"

extern "C" void measured_target(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(measured_target, "Host");

extern "C" int measured_operator(int nparam, void** params, int*, int64_t**, const char**, void*,
                                 void*) {
  *static_cast<float*>(params[nparam - 1]) = *static_cast<const float*>(params[0]);
  return 0;
}
