// An old binary that needs three things which are nowhere, and one that need not be anywhere.
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

extern "C" void function_of_a_lost_library(void* out);
extern "C" __attribute__((weak)) void optional_function(void* out);

namespace lost {
struct Model {
  void Run(const float* weights, int count);
};
extern int version;
}  // namespace lost

void calls_lost_library(void* out, const void** in) {
  function_of_a_lost_library(out);
  if (optional_function != nullptr) optional_function(out);
  lost::Model().Run(static_cast<const float*>(in[0]), lost::version);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(calls_lost_library, "Host");
