// Custom calls as they have been written since 2020, one for each thing that the Python tests ask.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/targets/on_each_platform.h"
#include "xla/service/custom_call_status.h"

struct CUstream_st;

namespace {

using Table = const void* const*;

const float* Floats(const void* array) { return static_cast<const float*>(array); }

// ---- Original -----------------------------------------------------------------------------------

// a[i] = b[i % 128] + c[i], of 2048 elements.
void Example(void* out, const void** in) {
  float* a = static_cast<float*>(out);
  for (size_t i = 0; i < 2048; ++i) a[i] = Floats(in[0])[i % 128] + Floats(in[1])[i];
}

// (a,(b,c)), d -> (a - b, c - d), all f32[4].
void Nested(void* out, const void** in) {
  auto outer = static_cast<Table>(in[0]);
  auto inner = static_cast<Table>(outer[1]);
  float* const* results = static_cast<float* const*>(out);
  for (size_t i = 0; i < 4; ++i) {
    results[0][i] = Floats(outer[0])[i] - Floats(inner[0])[i];
    results[1][i] = Floats(inner[1])[i] - Floats(in[1])[i];
  }
}

// The same computation, as written against jaxlib >= 0.4.38.
void NestedFlat(void* out, const void** in) {
  float* const* results = static_cast<float* const*>(out);
  for (size_t i = 0; i < 4; ++i) {
    results[0][i] = Floats(in[0])[i] - Floats(in[1])[i];
    results[1][i] = Floats(in[2])[i] - Floats(in[3])[i];
  }
}

// (), (x) -> x, all f32[].
void EmptyAndSingle(void* out, const void** in) {
  std::memcpy(out, static_cast<Table>(in[1])[0], sizeof(float));
}

// x -> (x), all f32[].
void SingleResult(void* out, const void** in) {
  std::memcpy(*static_cast<void**>(out), in[0], sizeof(float));
}

// x -> ((x), (), (x, (x))), all f32[].
void NestedResult(void* out, const void** in) {
  void** top = static_cast<void**>(out);
  void** third = static_cast<void**>(top[2]);
  std::memcpy(*static_cast<void**>(top[0]), in[0], sizeof(float));
  std::memcpy(third[0], in[0], sizeof(float));
  std::memcpy(*static_cast<void**>(third[1]), in[0], sizeof(float));
}

int calls_without_result = 0;
void WithoutResult(void*, const void**) { ++calls_without_result; }
void CallsWithoutResult(void* out, const void**) {
  std::memcpy(out, &calls_without_result, sizeof(calls_without_result));
}

// How far both buffers are from XLA:CPU's alignment, in bytes.
void Misalignment(void* out, const void** in) {
  static_cast<uint64_t*>(out)[0] = reinterpret_cast<uintptr_t>(out) % 64;
  static_cast<uint64_t*>(out)[1] = reinterpret_cast<uintptr_t>(in[0]) % 64;
}

// Two ends of pipes, s32[2] -> u8[]: writes a byte to the second, and waits for one of the first.
void ExchangeBytes(void* out, const void** in) {
  const int* ends = static_cast<const int*>(in[0]);
  if (write(ends[1], "!", 1) != 1 || read(ends[0], out, 1) != 1) *static_cast<char*>(out) = 0;
}

// Old code may write to its operands: (f32[] x) -> f32[].
void WritesToOperand(void* out, void** in) {
  std::memcpy(out, in[0], sizeof(float));
  std::memset(in[0], 0xFF, sizeof(float));
}

// ---- Status returning ---------------------------------------------------------------------------

// x -> sqrt-like failure: x where it is not negative, all f32[].
void RefuseNegative(void* out, const void** in, XlaCustomCallStatus* status) {
  std::memcpy(out, in[0], sizeof(float));
  if (*Floats(in[0]) < 0) {
    const char message[] = "negative operand";
    XlaCustomCallStatusSetFailure(status, message, std::strlen(message));
  }
}

// ---- Unified ------------------------------------------------------------------------------------

// As many bytes as the opaque says in 8 bytes.
void CopyBytes(void* out, const void** in, const char* opaque, size_t opaque_len,
               XlaCustomCallStatus* status) {
  uint64_t size;
  if (opaque_len != sizeof(size)) {
    const std::string message = "opaque has " + std::to_string(opaque_len) + " bytes, not 8";
    return XlaCustomCallStatusSetFailure(status, message.data(), message.size());
  }
  std::memcpy(&size, opaque, sizeof(size));
  std::memcpy(out, in[0], size);
}

// Size and FNV-1a hash of the opaque, u64[2].
void DigestOpaque(void* out, const void**, const char* opaque, size_t opaque_len,
                  XlaCustomCallStatus*) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < opaque_len; ++i) {
    hash = (hash ^ static_cast<uint8_t>(opaque[i])) * 0x100000001b3;
  }
  static_cast<uint64_t*>(out)[0] = opaque_len;
  static_cast<uint64_t*>(out)[1] = hash;
}

// (x, (y)) -> their sum, then the size of the opaque, all f32[]: (f32[],(f32[])).
void TuplesAndOpaque(void* out, const void** in, const char*, size_t opaque_len,
                     XlaCustomCallStatus*) {
  auto operand = static_cast<Table>(in[0]);
  void** results = static_cast<void**>(out);
  *static_cast<float*>(results[0]) = *Floats(operand[0]) + *Floats(*static_cast<Table>(operand[1]));
  *static_cast<float*>(*static_cast<void**>(results[1])) = static_cast<float>(opaque_len);
}

// Fails with the opaque as its message.
void Fail(void*, const void**, const char* opaque, size_t opaque_len, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, opaque, opaque_len);
}

void ThrowException(void*, const void**, const char* opaque, size_t opaque_len,
                    XlaCustomCallStatus*) {
  throw std::runtime_error(std::string(opaque, opaque_len));
}

void ThrowInt(void*, const void**) { throw 42; }

// ---- GPU ----------------------------------------------------------------------------------------

// Adds the opaque's bytes to f32[]: buffers are {operand, result}.
void GpuAddOpaque(CUstream_st*, void** buffers, const char* opaque, size_t opaque_len) {
  float sum = *static_cast<float*>(buffers[0]);
  for (size_t i = 0; i < opaque_len; ++i) sum += static_cast<float>(opaque[i]);
  *static_cast<float*>(buffers[1]) = sum;
}

}  // namespace

// ---- Functions whose names tell no ABI ----------------------------------------------------------

static void UntoldDouble(void* out, const void** in) {
  *static_cast<float*>(out) = 2 * *Floats(in[0]);
}
SYMBOL_ON_EACH_PLATFORM(untold_double, UntoldDouble, "x -> twice", (void* out, const void** in),
                        (out, in))

static void UntoldOpaqueSize(void* out, const void**, const char*, size_t opaque_len,
                             XlaCustomCallStatus*) {
  *static_cast<float*>(out) = static_cast<float>(opaque_len);
}
SYMBOL_ON_EACH_PLATFORM(untold_opaque_size, UntoldOpaqueSize, "-> size",
                        (void* out, const void** in, const char* opaque, size_t opaque_len,
                         XlaCustomCallStatus* status),
                        (out, in, opaque, opaque_len, status))

ON_EACH_PLATFORM("example", Example, "b c -> a");
ON_EACH_PLATFORM("nested", Nested, "(a (b c)) d -> (first second)");
ON_EACH_PLATFORM("nested_flat", NestedFlat, "a b c d -> (first second)");
ON_EACH_PLATFORM("empty_and_single", EmptyAndSingle, "() (x) -> same");
ON_EACH_PLATFORM("single_result", SingleResult, "x -> (same)");
ON_EACH_PLATFORM("nested_result", NestedResult, "x -> ((a) () (b (c)))");
ON_EACH_PLATFORM("without_result", WithoutResult, "-> ()");
ON_EACH_PLATFORM("calls_without_result", CallsWithoutResult, "-> calls");
ON_EACH_PLATFORM("misalignment", Misalignment, "x -> bytes");
ON_EACH_PLATFORM("exchange_bytes", ExchangeBytes, "ends -> byte");
ON_EACH_PLATFORM("writes_to_operand", WritesToOperand, "x -> same");
ON_EACH_PLATFORM("refuse_negative", RefuseNegative, "x -> same");
ON_EACH_PLATFORM("copy_bytes", CopyBytes, "from -> to");
ON_EACH_PLATFORM("digest_opaque", DigestOpaque, "-> digest");
ON_EACH_PLATFORM("tuples_and_opaque", TuplesAndOpaque, "(x (y)) -> (sum (size))");
ON_EACH_PLATFORM("fail", Fail, "-> nothing");
ON_EACH_PLATFORM("throw_exception", ThrowException, "-> nothing");
ON_EACH_PLATFORM("throw_int", ThrowInt, "-> nothing !");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("gpu_add_opaque", GpuAddOpaque, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("untold_double", reinterpret_cast<void*>(untold_double),
                                         PLATFORM);
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("untold_opaque_size",
                                         reinterpret_cast<void*>(untold_opaque_size), PLATFORM);
