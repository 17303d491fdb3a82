// An old binary that needs a library in its own folder, and which has what a careless rewriter of
// segments would break: a large .bss, thread-local variables, exceptions.
#include <stdexcept>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

int beside();

static char large[8 << 20];
static thread_local int calls = 0;
static thread_local int initialised = 100;

static int Throw(int size) {
  if (size > 0) throw std::runtime_error("thrown inside");
  return size;
}

// out = what the other library returns, + 100 + how often this thread has called it
void call_beside(void* out, const void**) {
  try {
    Throw(sizeof(large));
  } catch (const std::runtime_error&) {
    large[sizeof(large) - 1] += 1;
    *static_cast<int*>(out) = beside() + initialised + ++calls;
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(call_beside, "Host");

void throw_outside(void*, const void**) { Throw(1); }
XLA_REGISTER_CUSTOM_CALL_TARGET(throw_outside, "Host");
