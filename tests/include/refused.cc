// What the genuine macros refuse, callbridge's refuse. EXPRESSION is one such.
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

static void function(void*, const void**) {}
static void overloaded(void*, const void**) {}
static void overloaded(void*, const void**, int) {}
struct Class {
  void member(void*, const void**) {}
};
static const void* constant_code = nullptr;

XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("refused", EXPRESSION);
