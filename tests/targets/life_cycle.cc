// An old binary whose constructors and destructors leave traces.
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

namespace {

bool initialised = false;
int constructed = 0;
int* destroyed = nullptr;

__attribute__((constructor(101))) void First(int argc, char** argv, char** envp) {
  if (initialised && argc == 1 && argv[0] != nullptr && argv[1] == nullptr && envp != nullptr)
    constructed = 1;
}

__attribute__((constructor(102))) void Second() { constructed = constructed * 10 + 2; }

struct Variable {
  Variable() { constructed = constructed * 10 + 3; }
  ~Variable() {
    if (destroyed != nullptr) *destroyed += 1;
  }
} variable;

}  // namespace

// Linked as DT_INIT.
extern "C" void initialise() { initialised = true; }

// out = 123 if the constructors ran in their order
void read_constructed(void* out, const void**) { *static_cast<int*>(out) = constructed++; }
XLA_REGISTER_CUSTOM_CALL_TARGET(read_constructed, "Host");

// `out` is an int to be incremented when the library is closed
void watch_destruction(void* out, const void**) { destroyed = static_cast<int*>(out); }
XLA_REGISTER_CUSTOM_CALL_TARGET(watch_destruction, "Host");
