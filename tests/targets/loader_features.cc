// An old binary that asks of ld.so what few libraries do: indirect functions, thread-local
// variables of each model, a unique symbol, exceptions that cross its border.
#include <stdexcept>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

static int One() { return 1; }
static int Two() { return 2; }
extern "C" int (*resolve_exported())() { return One; }
extern "C" int (*resolve_hidden())() { return Two; }
extern "C" int exported_indirect() __attribute__((ifunc("resolve_exported")));
extern "C" __attribute__((visibility("hidden"))) int hidden_indirect()
    __attribute__((ifunc("resolve_hidden")));

// out = 12
void call_indirect(void* out, const void**) {
  int (*volatile pointer)() = exported_indirect;
  *static_cast<int*>(out) = 10 * pointer() + hidden_indirect();
}
XLA_REGISTER_CUSTOM_CALL_TARGET(call_indirect, "Host");

thread_local int global_dynamic = 100;
static thread_local int local_dynamic = 10;
static __attribute__((tls_model("initial-exec"))) thread_local int initial_exec = 1;

// out = 111, then 222 on the same thread
void sum_thread_locals(void* out, const void**) {
  *static_cast<int*>(out) = global_dynamic + local_dynamic + initial_exec;
  global_dynamic += 100;
  local_dynamic += 10;
  initial_exec += 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(sum_thread_locals, "Host");

inline int unique = 5;

// out = 6, then 7
void count_unique(void* out, const void**) { *static_cast<int*>(out) = ++unique; }
XLA_REGISTER_CUSTOM_CALL_TARGET(count_unique, "Host");

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Catches one, and lets another one out.
void throw_twice(void*, const void**) {
  try {
    throw Error("inside");
  } catch (const std::runtime_error& error) {
    throw Error(std::string("across, after ") + error.what());
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(throw_twice, "Host");
