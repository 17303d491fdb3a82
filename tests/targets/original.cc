// An old binary of API_VERSION_ORIGINAL, written as XLA's documentation once said, against
// TensorFlow's headers.
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

// out[0..3] = in[0][0..3] + in[1][0..3]
void do_custom_call(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(out)[i] =
        static_cast<const float*>(in[0])[i] + static_cast<const float*>(in[1])[i];
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");

static void static_function(void* out, void** in) {
  *static_cast<int*>(out) = *static_cast<int*>(in[0]) + 1;
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(static_function);

extern "C" void c_function(void* out, const void** in) {
  *static_cast<int*>(out) = *static_cast<const int*>(in[0]) + 2;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(c_function, "Host");

namespace {

void unnamed_function(void* out, const void** in) {
  *static_cast<int*>(out) = *static_cast<const int*>(in[0]) + 3;
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("unnamed.function", unnamed_function, "cpu");

void first(void* out, const void**) { *static_cast<int*>(out) = 1; }
void second(void* out, const void**) { *static_cast<int*>(out) = 2; }
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("registered_twice", first, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("registered_twice", second, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("registered_twice", first, "TPU");

float not_a_custom_call(float x) { return x; }
XLA_REGISTER_CUSTOM_CALL_TARGET(not_a_custom_call, "Host");

}  // namespace

// A stream is any pointer; the headers of CUDA are not needed for it.
struct CUstream_st;

void gpu_function(CUstream_st*, void** buffers, const char* opaque, size_t) {
  *static_cast<int*>(buffers[1]) = *static_cast<int*>(buffers[0]) + *opaque;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_function, "CUDA");
