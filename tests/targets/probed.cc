// Functions for the probe to ask, typed handlers and others. Their names have no types.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "callbridge/typed_ffi/c_api.h"

namespace {

XLA_FFI_Error* MakeError(const XLA_FFI_CallFrame* frame) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr,
                                    "XLA_FFI_CallFrame: unexpected size",
                                    XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return frame->api->XLA_FFI_Error_Create(&args);
}

}  // namespace

extern "C" {

// As written by hand, without a look at the frame's size.
XLA_FFI_Error* answers_query(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) return nullptr;
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = 0;
  extension->metadata->api_version.minor_version = 7;
  return nullptr;
}

XLA_FFI_Error* refuses_everything(XLA_FFI_CallFrame* frame) { return MakeError(frame); }

// What is known after the first question stays known.
XLA_FFI_Error* crashes_when_asked_twice(XLA_FFI_CallFrame* frame) {
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE) return MakeError(frame);
  std::raise(SIGSEGV);
  return nullptr;
}

XLA_FFI_Error* hangs_when_asked_twice(XLA_FFI_CallFrame* frame) {
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE) return MakeError(frame);
  for (;;) pause();
}

void returns(void*, const void**) {}
void returns_something(void* out, const void**) { *static_cast<int64_t*>(out) = 1; }
// Writes all over the frame, but cannot reach the metadata.
void fills_result(void* out, const void**) { std::memset(out, 0, 100000); }
void reads_operand(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]);
}
void runs_over(void* out, const void**) { std::memset(out, 0, size_t{1} << 40); }
void aborts(void*, const void**) { std::abort(); }
void throws_exception(void*, const void**) { throw std::runtime_error("no\nlicence"); }
void throws_int(void*, const void**) { throw 42; }
void exits(void*, const void**) { std::exit(0); }
void exits_with_status(void*, const void**) { std::_Exit(3); }
void never_returns(void*, const void**) {
  for (;;) pause();
}

// A typed handler only where the process has said which function it leads to.
static XLA_FFI_Handler* follows;
void set_what_follows(XLA_FFI_Handler* handler) { follows = handler; }
XLA_FFI_Error* leads_on(XLA_FFI_CallFrame* frame) { return follows(frame); }

}  // extern "C"
