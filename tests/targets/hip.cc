// Custom calls for AMD GPUs, as HIP's headers declare a stream, built against the genuine headers
// (hip) and recompiled against callbridge's (hip_recompiled). Buffers are host memory: a test's
// stream is a counter of the work that was submitted to it.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef RECOMPILED
#include "callbridge/export.h"
#include "callbridge/register.h"
#include "xla/ffi/api/ffi.h"
#else
#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"
#endif

struct ihipStream_t;
typedef struct ihipStream_t* hipStream_t;

// s32[2] -> s32[2]: adds the number of the opaque's bytes to each.
static void Submit(hipStream_t stream, const void* from, void* to, size_t opaque_len) {
  if (stream != nullptr) ++*reinterpret_cast<int32_t*>(stream);
  for (int i = 0; i < 2; ++i) {
    static_cast<int32_t*>(to)[i] =
        static_cast<const int32_t*>(from)[i] + static_cast<int32_t>(opaque_len);
  }
}

void hip_original(hipStream_t stream, void** buffers, const char* opaque, size_t opaque_len) {
  (void)opaque;
  Submit(stream, buffers[0], buffers[1], opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(hip_original, "ROCM");

void hip_status(hipStream_t stream, void** buffers, const char* opaque, size_t opaque_len,
                XlaCustomCallStatus* status) {
  if (opaque_len == 0) {
    const char message[] = "hipErrorInvalidValue";
    return XlaCustomCallStatusSetFailure(status, message, strlen(message));
  }
  hip_original(stream, buffers, opaque, opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(hip_status, "ROCM");

// (s32[2], (s32[2])) -> (s32[2], (s32[2])), as one list of the leaves in preorder.
void hip_leaves(hipStream_t stream, void** buffers, const char* opaque, size_t opaque_len) {
  (void)opaque;
  Submit(stream, buffers[0], buffers[2], opaque_len);
  Submit(stream, buffers[1], buffers[3], opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(hip_leaves, "ROCM");

// Of portable code, which names no toolkit's type.
void hip_void_stream(void* stream, void** buffers, const char* opaque, size_t opaque_len,
                     XlaCustomCallStatus* status) {
  hip_status(static_cast<hipStream_t>(stream), buffers, opaque, opaque_len, status);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(hip_void_stream, "ROCM");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("on any gpu", hip_void_stream, "gpu");

#ifdef RECOMPILED
namespace ffi = xla::ffi;

ffi::Error Typed(hipStream_t stream, ffi::Buffer<ffi::S32, 1> x,
                 ffi::Result<ffi::Buffer<ffi::S32, 1>> y) {
  Submit(stream, x.typed_data(), y->typed_data(), 40);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(hip_typed, Typed,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<hipStream_t>>()
                                  .Arg<ffi::Buffer<ffi::S32, 1>>()
                                  .Ret<ffi::Buffer<ffi::S32, 1>>(),
                              {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "hip_typed", "ROCM", hip_typed);

CALLBRIDGE_EXPORT(hip_exported, hip_status, callbridge::ExportOptions().CommandBufferCompatible());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "hip_exported", "ROCM", hip_exported);
#endif
