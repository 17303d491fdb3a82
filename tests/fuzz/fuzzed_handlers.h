// The handlers that are called with hostile frames, and the call that each expects.
#ifndef CALLBRIDGE_TESTS_FUZZ_FUZZED_HANDLERS_H_
#define CALLBRIDGE_TESTS_FUZZ_FUZZED_HANDLERS_H_

#include <vector>

#include "hostile_frame.h"

namespace callbridge {

struct FuzzedHandler {
  XLA_FFI_Handler* handler;
  WantedCall wanted;
};

// Of typed_ffi/binding.
std::vector<FuzzedHandler> BoundHandlers();
// Of CALLBRIDGE_EXPORT.
std::vector<FuzzedHandler> ExportedHandlers();
// Of MindSpore's AOT operators.
std::vector<FuzzedHandler> AotHandlers();

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_FUZZ_FUZZED_HANDLERS_H_
