// The C++17 API over the C API: calls a target of this program's, and shows its error.
#include <cstdint>
#include <iostream>
#include <stdexcept>

#include "callbridge/callbridge.hpp"
#include "callbridge/register.h"

static void Increment(void* out, const void** in) {
  const int32_t number = *static_cast<const int32_t*>(in[0]);
  if (number < 0) throw std::out_of_range("too small");
  *static_cast<int32_t*>(out) = number + 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Increment, "Host");

int main() {
  const callbridge::Library process = callbridge::Library::OfProcess().value();
  callbridge::Site site;
  site.operands = {"s32[]"};
  site.result = "s32[]";
  const callbridge::Target target = process.Find("Increment").value();
  const callbridge::Call call = callbridge::Call::Bind(target, site).value();
  for (int32_t number : {41, -1}) {
    int32_t result = 0;
    void* operands[] = {&number};
    void* results[] = {&result};
    const callbridge::Result<void> done = call.Execute(operands, results);
    std::cout << (done ? std::to_string(result) : done.error().ToString()) << "\n";
  }
  try {
    process.Find("Decrement").value();
  } catch (const callbridge::Exception& exception) {
    std::cout << exception.code_name() << "\n";
  }
}
