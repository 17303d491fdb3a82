// Targets of which some may be recorded into command buffers, by what their authors or their users
// say. Those on CUDA are registered and never called.
#include <cstddef>

#include "callbridge/callbridge_ffi.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_target_registry.h"

// Tests write other numbers into copies of the library, which no compiler may rule out.
// NOLINTBEGIN(bugprone-macro-parentheses): names that are declared
#define NAME(name)                        \
  CALLBRIDGE_EXPORTED extern char name[]; \
  char name[] = #name "_000"
// NOLINTEND(bugprone-macro-parentheses)
NAME(add_one);
NAME(submit);
NAME(submit_on_rocm);
NAME(wait_for_stream);
NAME(typed_without);
NAME(typed_on_host);
NAME(typed_with);
NAME(typed_registered_with);

namespace {

namespace ffi = xla::ffi;

struct CUstream_st;

// ---- Untyped ------------------------------------------------------------------------------------

void AddOne(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]) + 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(add_one, AddOne, "Host");

void Submit(CUstream_st*, void**, const char*, size_t) {}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(submit, Submit, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(submit_on_rocm, Submit, "ROCM");

void WaitForStream(CUstream_st*, void**, const char*, size_t) {}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(wait_for_stream, WaitForStream, "CUDA");

// ---- Typed --------------------------------------------------------------------------------------

ffi::Error AddTwo(ffi::Buffer<ffi::F32, 0> x, ffi::Result<ffi::Buffer<ffi::F32, 0>> y) {
  *y->typed_data() = *x.typed_data() + 2;
  return ffi::Error::Success();
}

constexpr auto kBinding =
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32, 0>>().Ret<ffi::Buffer<ffi::F32, 0>>();
constexpr XLA_FFI_Handler_Traits kCompatible = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;

XLA_FFI_DEFINE_HANDLER(kWithout, AddTwo, kBinding);
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), typed_without, "CUDA", kWithout);
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), typed_on_host, "Host", kWithout);

// Says so itself.
XLA_FFI_DEFINE_HANDLER(kWith, AddTwo, kBinding, {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), typed_with, "CUDA", kWith);

// Does not, but was registered so.
XLA_FFI_DEFINE_HANDLER(kRegistered, AddTwo, kBinding);
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), typed_registered_with, "CUDA", kRegistered,
                         kCompatible);

}  // namespace
