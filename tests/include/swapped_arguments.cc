// One sentence of the documentation has `in` and `out` swapped. Must not compile, and must say why.
#include "xla/service/custom_call_target_registry.h"

static void swapped(const void** in, void* out) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(swapped, "Host");
