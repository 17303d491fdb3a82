// An old binary that imports two functions, FIRST and SECOND, by their mangled names: as code
// compiled with some other protobuf's headers does.
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

extern "C" {
void first() __asm__(FIRST);
void second() __asm__(SECOND);
}

void calls_both(void*, const void**) {
  first();
  second();
}
XLA_REGISTER_CUSTOM_CALL_TARGET(calls_both, "Host");
