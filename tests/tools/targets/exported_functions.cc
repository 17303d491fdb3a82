// A library that registers nothing: test_run_functions.py calls its functions by their symbols.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"

namespace ffi = xla::ffi;

extern "C" {

// f32[4] -> f32[4]
void add_one(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(out)[i] = static_cast<const float*>(in[0])[i] + 1;
  }
}

// Any operands.
void fails(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "no luck", 7);
}

// s32[], s32[] -> s32[]. Crashes without the second operand.
void adds_two(void* out, const void** in) {
  *static_cast<int32_t*>(out) =
      *static_cast<const int32_t*>(in[0]) + *static_cast<const int32_t*>(in[1]);
}

// s32[] -> s32[]. Ends the process by a signal.
void raises(void*, const void** in) { std::raise(*static_cast<const int32_t*>(in[0])); }

// s32[] -> s32[]. Ends the process with an exit status.
void exits(void*, const void** in) { std::exit(*static_cast<const int32_t*>(in[0])); }

// () -> s32[]. Crashes when the process ends.
void crashes_at_the_end(void* out, const void**) {
  *static_cast<int32_t*>(out) = 7;
  std::atexit([] { std::raise(SIGSEGV); });
}

// () -> s32[2]. The process and its parent.
void processes(void* out, const void**) {
  static_cast<int32_t*>(out)[0] = getpid();
  static_cast<int32_t*>(out)[1] = getppid();
}

// () -> s32[]. Waits for a signal.
void waits(void*, const void**) {
  constexpr char kWaiting[] = "waiting\n";
  if (write(STDOUT_FILENO, kWaiting, sizeof(kWaiting) - 1) < 0) std::abort();
  while (true) pause();
}

int32_t a_variable[4] = {};

}  // extern "C"

// f32[4] -> f32[4]
void twice(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(out)[i] = 2 * static_cast<const float*>(in[0])[i];
  }
}

static ffi::Error Negate(ffi::BufferR1<ffi::F32> x, ffi::Result<ffi::BufferR1<ffi::F32>> y) {
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = -x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(negate, Negate);
