// An old binary that throws THROWN while it is loaded.
#include <stdexcept>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

void registered_before(void*, const void**) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(registered_before, "Host");

namespace {

struct Throws {
  Throws() { throw THROWN; }
} throws;

}  // namespace
