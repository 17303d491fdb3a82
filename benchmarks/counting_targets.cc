// Targets that switch callgrind's counting on and off, to be called before and behind what is
// counted.
#include <valgrind/callgrind.h>

#include "xla/service/custom_call_target_registry.h"

static void toggle_counting(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]);
  CALLGRIND_TOGGLE_COLLECT;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(toggle_counting, "Host");
