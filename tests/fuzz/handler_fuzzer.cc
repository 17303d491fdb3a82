// Whatever call frame a handler is given, by whatever runtime, it must return: with success or an
// error of that runtime's. It must not crash, read beyond what the frame declares, leak, or leave a
// future that nobody completes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "fuzzed_handlers.h"
#include "hostile_frame.h"
#include "hostile_memory.h"
#include "hostile_runtime.h"

namespace callbridge {
namespace {

using typed_ffi::testing::live_errors;
using typed_ffi::testing::TakeText;

std::vector<FuzzedHandler> AllHandlers() {
  std::vector<FuzzedHandler> handlers = BoundHandlers();
  for (FuzzedHandler& each : ExportedHandlers()) handlers.push_back(std::move(each));
  for (FuzzedHandler& each : AotHandlers()) handlers.push_back(std::move(each));
  return handlers;
}

void CallOnce(Bytes& bytes) {
  static const std::vector<FuzzedHandler>& handlers = *new auto(AllHandlers());
  Memory memory;
  HostileRuntime runtime(bytes, memory);
  const FuzzedHandler& each =
      handlers[bytes.ConsumeIntegralInRange<size_t>(0, handlers.size() - 1)];
  // Mostly it gets the call that it expects, but for the lies.
  const FuzzedHandler& expecting =
      bytes.Lies() ? handlers[bytes.ConsumeIntegralInRange<size_t>(0, handlers.size() - 1)] : each;
  const HostileFrame frame(bytes, memory, runtime.api(), runtime.ctx(), runtime.version(),
                           expecting.wanted);
  TakeText(each.handler(frame.get()));
  runtime.FinishCall();
  if (XLA_FFI_Future* future = frame.future()) {
    if (!future->done) std::abort();
    TakeText(future->error);
    delete future;
  }
  if (live_errors != 0) std::abort();
}

}  // namespace
}  // namespace callbridge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  callbridge::Bytes bytes(data, size);
  callbridge::CallOnce(bytes);
  return 0;
}
