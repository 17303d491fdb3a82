// An old binary with 25 targets.
#include <string>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

static void no_op(void*, const void**) {}

static const bool registered = [] {
  for (int i = 10; i < 35; ++i) {
    xla::CustomCallTargetRegistry::Global()->Register("target_" + std::to_string(i),
                                                      reinterpret_cast<void*>(no_op), "Host");
  }
  return true;
}();
