// Old code that was recompiled against callbridge's headers: it imports callbridge's C functions
// and shows its functions' types when it registers them.
#include "callbridge/legacy/custom_call_target_registry.h"

extern "C" void recompiled_function(void* out, const void**, const char*, size_t, void*) {
  *static_cast<int*>(out) = 7;
}

static const bool registered = [] {
  xla::CustomCallTargetRegistry::Global()->RegisterWithVersion(
      "recompiled", reinterpret_cast<void*>(recompiled_function), "Host", 3);
  return true;
}();
