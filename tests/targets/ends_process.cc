// An old binary whose constructor ends the process that loads it: WAY says how.
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

void unreachable(void*, const void**) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(unreachable, "Host");

static const bool ended = [] {
  WAY;
  return true;
}();
