// An old binary that stays in memory when it is closed: ld.so keeps libraries with STB_GNU_UNIQUE
// symbols, which inline variables are.
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

inline int unique_variable = 0;

void returns_unique_variable(void* out, const void**) {
  *static_cast<int*>(out) = ++unique_variable;
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(TARGET_NAME, returns_unique_variable, "Host");
