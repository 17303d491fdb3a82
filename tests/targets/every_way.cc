// An old binary that is built in every way in which people built theirs. STATUS_FUNCTIONS says
// where it has its status functions from.
#include <string>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

#define IMPORTED 1
#define PRIVATE_COPY 2

// out = in[0] + in[1]
void add(void* out, const void** in) {
  *static_cast<int*>(out) = *static_cast<const int*>(in[0]) + *static_cast<const int*>(in[1]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add, "Host");

// out = 1 if the registry leads from its name to itself, and from no other name to anything
void a_name_that_no_string_holds_without_allocation(void* out, const void**) {
  auto* registry = xla::CustomCallTargetRegistry::Global();
  const bool is_found =
      registry->Lookup("a_name_that_no_string_holds_without_allocation", "Host") ==
      reinterpret_cast<void*>(a_name_that_no_string_holds_without_allocation);
  *static_cast<int*>(out) = is_found && registry->Lookup("nobody", "Host") == nullptr ? 1 : 0;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(a_name_that_no_string_holds_without_allocation, "Host");

#if STATUS_FUNCTIONS == PRIVATE_COPY
#include "tensorflow/compiler/xla/service/custom_call_status_internal.h"

// What XLA's custom_call_status.cc has: people compiled that into their own libraries.
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) { status->message = std::nullopt; }
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len) {
  status->message = std::string(message, strnlen(message, message_len));
}
#endif

#if STATUS_FUNCTIONS == IMPORTED || STATUS_FUNCTIONS == PRIVATE_COPY
#include "tensorflow/compiler/xla/service/custom_call_status.h"

// out = in[0] / in[1]
void divide(void* out, const void** in, XlaCustomCallStatus* status) {
  const int divisor = *static_cast<const int*>(in[1]);
  if (divisor == 0) {
    const std::string message = "division of " + std::to_string(*static_cast<const int*>(in[0]));
    XlaCustomCallStatusSetFailure(status, message.data(), message.size());
    return;
  }
  *static_cast<int*>(out) = *static_cast<const int*>(in[0]) / divisor;
  XlaCustomCallStatusSetSuccess(status);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(divide, "Host");

// Fails, and takes it back.
void fail_then_succeed(void* out, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "taken back", 10);
  XlaCustomCallStatusSetSuccess(status);
  *static_cast<int*>(out) = 7;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(fail_then_succeed, "Host");
#endif
