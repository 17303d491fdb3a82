// GPU targets that do nothing on the device, so that a call of one is what is counted, one that
// does as little as a CUDA graph can hold, and one that switches callgrind's counting on and off,
// to be called before and behind what is counted; and the function that dumps what was counted
// since the dump before.
#include <dlfcn.h>
#include <valgrind/callgrind.h>

#include <cstddef>

#include "xla/service/custom_call_target_registry.h"

typedef struct CUstream_st* CUstream;

static void gpu_measured_target(CUstream, void**, const char*, size_t) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_measured_target, "CUDA");

// x, y -> 0
static void gpu_recorded_target(CUstream stream, void** buffers, const char*, size_t) {
  using Fill = int(void* to, unsigned value, size_t count, CUstream stream);
  static auto* const fill =
      reinterpret_cast<Fill*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemsetD32Async"));
  fill(buffers[2], 0, 1, stream);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_recorded_target, "CUDA");

static void gpu_toggle_counting(CUstream, void**, const char*, size_t) { CALLGRIND_TOGGLE_COLLECT; }
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_toggle_counting, "CUDA");

// Called by the program itself, which finds it here.
static void gpu_dump_counts(CUstream, void**, const char* name, size_t) {
  CALLGRIND_DUMP_STATS_AT(name);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_dump_counts, "CUDA");
