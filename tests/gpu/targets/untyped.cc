// Custom calls of the two GPU ABIs, `(CUstream, void** buffers, const char* opaque, size_t
// opaque_len[, XlaCustomCallStatus*])`. The sizes that they need are in the opaque, since operands
// are on the device.
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "tests/gpu/targets/driver_calls.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

namespace {

// The opaque is a u64, how many elements each operand has.
size_t Count(const char* opaque, size_t size) {
  uint64_t count = 0;
  if (size != sizeof(count)) throw std::invalid_argument("expected an opaque of 8 bytes");
  std::memcpy(&count, opaque, sizeof(count));
  return count;
}

void FailWith(XlaCustomCallStatus* status, const std::string& message) {
  XlaCustomCallStatusSetFailure(status, message.data(), message.size());
}

// ---- ORIGINAL -----------------------------------------------------------------------------------

// x -> x * x, f32[n], by a kernel.
void Square(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  gpu::Square(stream, buffers[0], buffers[1], Count(opaque, opaque_len));
}

// (a, (b, s)), c -> (a + b * c, (a - c, s)), f32[n], s f32[]; the tuples are flattened in preorder.
void Trees(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  const size_t n = Count(opaque, opaque_len);
  gpu::HostWork work(stream);
  const auto* a = work.Read<float>(buffers[0], n);
  const auto* b = work.Read<float>(buffers[1], n);
  const auto* s = work.Read<float>(buffers[2], 1);
  const auto* c = work.Read<float>(buffers[3], n);
  auto* sum = work.Write<float>(buffers[4], n);
  auto* difference = work.Write<float>(buffers[5], n);
  auto* same = work.Write<float>(buffers[6], 1);
  work.Run([=] {
    for (size_t i = 0; i < n; ++i) {
      const float product = b[i] * c[i];
      sum[i] = a[i] + product;
      difference[i] = a[i] - c[i];
    }
    *same = *s;
  });
}

// Two operands, f32[0] and f32[n], to two results of these shapes.
void CopyBehindNothing(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  gpu::Driver::Get().copy(gpu::ToAddress(buffers[3]), gpu::ToAddress(buffers[1]),
                          Count(opaque, opaque_len) * sizeof(float), stream);
}

// x -> (x, whether the first result is in the operand's buffer), f32[n] and s32[].
void Buffers(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  const gpu::Driver& driver = gpu::Driver::Get();
  if (buffers[0] != buffers[1]) {
    driver.copy(gpu::ToAddress(buffers[1]), gpu::ToAddress(buffers[0]),
                Count(opaque, opaque_len) * sizeof(float), stream);
  }
  driver.fill(gpu::ToAddress(buffers[2]), buffers[0] == buffers[1] ? 1 : 0, 1, stream);
}

// x -> the device that the stream belongs to, s32[].
void Ordinal(CUstream stream, void** buffers, const char*, size_t) {
  gpu::Driver::Get().fill(gpu::ToAddress(buffers[1]), static_cast<unsigned>(gpu::DeviceOf(stream)),
                          1, stream);
}

// What must not be done: the host reads device memory.
void Dereferences(CUstream, void** buffers, const char*, size_t) {
  std::memcpy(buffers[1], buffers[0], sizeof(float));
}

// x -> x, f32[n], in a stream of its own that nobody waits for.
void Late(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  const gpu::InContextOf context(stream);
  CUstream own = nullptr;
  gpu::Driver::Get().create_stream(&own, 1);  // CU_STREAM_NON_BLOCKING
  gpu::Driver::Get().fill(gpu::ToAddress(buffers[1]), 0, Count(opaque, opaque_len), stream);
  gpu::Driver::Get().copy(gpu::ToAddress(buffers[1]), gpu::ToAddress(buffers[0]),
                          Count(opaque, opaque_len) * sizeof(float), own);
}

void Throws(CUstream, void**, const char*, size_t) { throw std::runtime_error("thrown on a GPU"); }

// ---- STATUS_RETURNING ---------------------------------------------------------------------------

// x -> x + the sum of the opaque's bytes, f32[].
void AddOpaque(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
               XlaCustomCallStatus*) {
  float sum = 0;
  for (size_t i = 0; i < opaque_len; ++i)
    sum += static_cast<float>(static_cast<uint8_t>(opaque[i]));
  gpu::HostWork work(stream);
  const auto* x = work.Read<float>(buffers[0], 1);
  auto* y = work.Write<float>(buffers[1], 1);
  work.Run([=] { *y = *x + sum; });
}

// x -> x, f32[], unless it is negative. Waits for the stream, as only a call that nothing captures
// may.
void Nonnegative(CUstream stream, void** buffers, const char*, size_t,
                 XlaCustomCallStatus* status) {
  const gpu::Driver& driver = gpu::Driver::Get();
  float x = 0;
  driver.copy_to_host(&x, gpu::ToAddress(buffers[0]), sizeof(x), stream);
  driver.synchronize(stream);
  if (x < 0) return FailWith(status, "negative operand");
  driver.copy(gpu::ToAddress(buffers[1]), gpu::ToAddress(buffers[0]), sizeof(x), stream);
}

// Fails with the opaque as its message, if it has one.
void FailsWithOpaque(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                     XlaCustomCallStatus* status) {
  if (opaque_len > 0) return FailWith(status, std::string(opaque, opaque_len));
  gpu::Driver::Get().copy(gpu::ToAddress(buffers[1]), gpu::ToAddress(buffers[0]), sizeof(float),
                          stream);
}

// token, x -> x, f32[]: a token takes one slot, which is null.
void BehindToken(CUstream stream, void** buffers, const char*, size_t,
                 XlaCustomCallStatus* status) {
  if (buffers[0] != nullptr) return FailWith(status, "the token has a buffer");
  gpu::Driver::Get().copy(gpu::ToAddress(buffers[2]), gpu::ToAddress(buffers[1]), sizeof(float),
                          stream);
}

}  // namespace

#define GPU_TARGETS(each)                                                                         \
  each("gpu_square", Square) each("gpu_trees", Trees)                                             \
      each("gpu_copy_behind_nothing", CopyBehindNothing) each("gpu_buffers", Buffers)             \
          each("gpu_ordinal", Ordinal) each("gpu_dereferences", Dereferences)                     \
              each("gpu_late", Late) each("gpu_throws", Throws) each("gpu_add_opaque", AddOpaque) \
                  each("gpu_nonnegative", Nonnegative)                                            \
                      each("gpu_fails_with_opaque", FailsWithOpaque)                              \
                          each("gpu_behind_token", BehindToken)

#define REGISTER(name, function) XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(name, function, "CUDA");
GPU_TARGETS(REGISTER)

// The names and the functions, for those who register them without callbridge. Returns how many
// there are.
extern "C" __attribute__((visibility("default"))) int gpu_targets(const char** names,
                                                                  void** functions) {
  int count = 0;
#define TELL(name, function) \
  names[count] = name;       \
  functions[count++] = reinterpret_cast<void*>(&(function));
  GPU_TARGETS(TELL)
  return count;
}
