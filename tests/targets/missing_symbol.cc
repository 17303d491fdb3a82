// An old binary that needs a function which is nowhere.
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

extern "C" void function_of_a_lost_library(void* out);

void calls_lost_library(void* out, const void**) { function_of_a_lost_library(out); }
XLA_REGISTER_CUSTOM_CALL_TARGET(calls_lost_library, "Host");
