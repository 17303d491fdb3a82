// A library that registers a name of targets.cc once more.
#include "xla/service/custom_call_target_registry.h"

namespace {

void Example(void* out, const void**) { *static_cast<float*>(out) = 0; }

}  // namespace

XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("only_in_other_example", Example);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("example", Example);
