// Links to the library: binds a function of this program, and calls it.
#include <cstdint>
#include <cstdio>

#include "callbridge/callbridge.hpp"
#include "callbridge/register.h"

static void Increment(void* out, const void** in) {
  *static_cast<int32_t*>(out) = *static_cast<const int32_t*>(in[0]) + 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Increment, "Host");

int main() {
  const callbridge::Library process = callbridge::Library::OfProcess().value();
  callbridge::Site site;
  site.operands = {"s32[]"};
  site.result = "s32[]";
  const auto call = callbridge::Call::Bind(process.Find("Increment").value(), site).value();
  int32_t number = 41, result = 0;
  void* operands[] = {&number};
  void* results[] = {&result};
  call.Execute(operands, results).value();
  std::printf("%d\n", result);
}
