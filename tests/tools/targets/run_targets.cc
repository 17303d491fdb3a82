// The targets that test_run.py calls through the command.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

// f32[128], f32[2048] -> f32[2048]. The example of XLA's documentation.
void do_custom_call(void* out, const void** in) {
  float* a = static_cast<float*>(out);
  const float* b = static_cast<const float*>(in[0]);
  const float* c = static_cast<const float*>(in[1]);
  for (size_t i = 0; i < 2048; ++i) a[i] = b[i % 128] + c[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");

// Copies its operand, of as many bytes as the opaque says in decimal, to its result.
void copy(void* out, const void** in, const char* opaque, size_t opaque_size,
          XlaCustomCallStatus*) {
  const size_t size = std::stoul(std::string(opaque, opaque_size));
  if (size != 0) std::memcpy(out, in[0], size);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(copy, "Host");

// Any operands -> u8[64], the opaque and then zeros.
void opaque_bytes(void* out, const void**, const char* opaque, size_t opaque_size,
                  XlaCustomCallStatus*) {
  std::memset(out, 0, 64);
  if (opaque_size != 0) std::memcpy(out, opaque, opaque_size);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(opaque_bytes, "Host");

// (f32[4],(bf16[4],f32[4])) -> (f32[],(f32[],f32[])). Each leaf's sum.
void sums(void* out, const void** in) {
  void** result = static_cast<void**>(out);
  void** inner_result = static_cast<void**>(result[1]);
  const void* const* tuple = static_cast<const void* const*>(in[0]);
  const void* const* inner = static_cast<const void* const*>(tuple[1]);
  float sums[3] = {};
  for (size_t i = 0; i < 4; ++i) {
    sums[0] += static_cast<const float*>(tuple[0])[i];
    const uint32_t bits = uint32_t{static_cast<const uint16_t*>(inner[0])[i]} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    sums[1] += value;
    sums[2] += static_cast<const float*>(inner[1])[i];
  }
  std::memcpy(result[0], &sums[0], sizeof(float));
  std::memcpy(inner_result[0], &sums[1], sizeof(float));
  std::memcpy(inner_result[1], &sums[2], sizeof(float));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(sums, "Host");

// (f32[1],(f32[1])) -> f32[2], for a runtime of the flat tuple layout: `in` has two arrays.
void flat_pair(void* out, const void** in) {
  static_cast<float*>(out)[0] = *static_cast<const float*>(in[0]);
  static_cast<float*>(out)[1] = *static_cast<const float*>(in[1]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(flat_pair, "Host");

// u8[...] -> u64[]: where in a block of 64 bytes its operand and result lie.
void misalignment(void* out, const void** in) {
  const uint64_t off = (reinterpret_cast<uintptr_t>(in[0]) | reinterpret_cast<uintptr_t>(out)) % 64;
  std::memcpy(out, &off, sizeof(off));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(misalignment, "Host");

// token[] -> (s32[],token[]). 1 if the token has no buffer.
void pass_token(void* out, const void** in) {
  const int32_t without_buffer = in[0] == nullptr;
  std::memcpy(static_cast<void**>(out)[0], &without_buffer, sizeof(without_buffer));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(pass_token, "Host");

// Fails with its opaque as the message.
void fail(void*, const void**, const char* opaque, size_t opaque_size,
          XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, opaque, opaque_size);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(fail, "Host");

void fail_as_version_2(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "no luck", 7);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(fail_as_version_2, "Host");

void throw_exception(void*, const void**) { throw std::runtime_error("thrown by the target"); }
XLA_REGISTER_CUSTOM_CALL_TARGET(throw_exception, "Host");

// Its name is that of the subcommand.
void run(void* out, const void**) { *static_cast<int32_t*>(out) = 1; }
XLA_REGISTER_CUSTOM_CALL_TARGET(run, "Host");

// A name without types, registered through a `void*`: nothing shows its ABI, which is that of
// version 3.
extern "C" void no_types(void* out, const void** in, const char* opaque, size_t opaque_size,
                         XlaCustomCallStatus* status) {
  copy(out, in, opaque, opaque_size, status);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("no_types", reinterpret_cast<void*>(no_types), "Host");

// s32[] -> s32[]. A crash.
void crashes(void*, const void**) { std::raise(SIGSEGV); }
XLA_REGISTER_CUSTOM_CALL_TARGET(crashes, "Host");

// On another platform; the call gets whatever buffers the caller has.
void on_gpu(void*, void** buffers, const char*, size_t) {
  std::memcpy(buffers[1], buffers[0], sizeof(float));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(on_gpu, "CUDA");

// The same on GPU, of version 1: copies one f32.
extern "C" void no_types_on_gpu(void*, void** buffers, const char*, size_t) {
  std::memcpy(buffers[1], buffers[0], sizeof(float));
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("no_types_on_gpu",
                                         reinterpret_cast<void*>(no_types_on_gpu), "CUDA");

// Copies its operand to a tuple of arrays; the opaque says "<arrays> <bytes of each>".
void split(void* out, const void** in, const char* opaque, size_t opaque_size,
           XlaCustomCallStatus*) {
  const std::string sizes(opaque, opaque_size);
  const size_t arrays = std::stoul(sizes);
  const size_t bytes = std::stoul(sizes.substr(sizes.find(' ')));
  for (size_t i = 0; i < arrays; ++i) {
    std::memcpy(static_cast<void**>(out)[i], static_cast<const char*>(in[0]) + i * bytes, bytes);
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(split, "Host");
