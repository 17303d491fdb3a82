// What a package of 2020 to 2023 had compiled: C functions, whose addresses its Python part found
// by ctypes. Nothing tells how they are called but that Python part.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/targets/on_each_platform.h"
#include "xla/service/custom_call_status.h"

namespace {

// ((a, (b,)), c) -> a + 10 b + 100 c, each f32[3].
void NestedSum(void* out, const void** in) {
  const void* const* first = static_cast<const void* const*>(in[0]);
  const float* a = static_cast<const float*>(first[0]);
  const float* b = static_cast<const float*>(static_cast<const void* const*>(first[1])[0]);
  const float* c = static_cast<const float*>(in[1]);
  float* sum = static_cast<float*>(out);
  for (int i = 0; i < 3; ++i) sum[i] = a[i] + 10 * b[i] + 100 * c[i];
}

// a -> (a + 1,), f32[3]: the result is a table of one.
void TupleOfOne(void* out, const void** in) {
  float* result = static_cast<float*>(static_cast<void**>(out)[0]);
  const float* a = static_cast<const float*>(in[0]);
  std::transform(a, a + 3, result, [](float x) { return x + 1; });
}

// n, a -> (n a, (a, -a)), of n doubles each. The second result is a tuple.
void NestedResult(void* out, const void** in) {
  const int32_t n = *static_cast<const int32_t*>(in[0]);
  const double* a = static_cast<const double*>(in[1]);
  void** table = static_cast<void**>(out);
  void** inner = static_cast<void**>(table[1]);
  for (int i = 0; i < n; ++i) {
    static_cast<double*>(table[0])[i] = n * a[i];
    static_cast<double*>(inner[0])[i] = a[i];
    static_cast<double*>(inner[1])[i] = -a[i];
  }
}

// The bytes of the operand as they lie in memory, s64[6].
void AsItLies(void* out, const void** in) { std::memcpy(out, in[0], 6 * sizeof(int64_t)); }

// f32[3], f32[3] -> twice the second operand where it shares the result's memory, else 0.
void DoubledInPlace(void* out, const void** in) {
  float* result = static_cast<float*>(out);
  const bool shared = in[1] == out;
  for (int i = 0; i < 3; ++i) result[i] = shared ? 2 * result[i] : 0;
}

// The same behind a tuple of two.
void DoubledBehindPair(void* out, const void** in) { DoubledInPlace(out, in); }

// 7 for true and 3 for false, s32[2] of pred[2].
void NumberOf(void* out, const void** in) {
  const bool* given = static_cast<const bool*>(in[0]);
  for (int i = 0; i < 2; ++i) static_cast<int32_t*>(out)[i] = given[i] ? 7 : 3;
}

// x / 2, f32[]; version 2.
void HalvePositive(void* out, const void** in, XlaCustomCallStatus* status) {
  const float x = *static_cast<const float*>(in[0]);
  if (x < 0) XlaCustomCallStatusSetFailure(status, "it is negative", 14);
  *static_cast<float*>(out) = x / 2;
}

// The opaque, u8[8]; version 3.
void OpaqueOf(void* out, const void**, const char* opaque, size_t size, XlaCustomCallStatus*) {
  std::memset(out, 0, 8);
  std::memcpy(out, opaque, std::min<size_t>(size, 8));
}

// a + b, f32[3].
void Add(void* out, const void** in) {
  const float* a = static_cast<const float*>(in[0]);
  std::transform(a, a + 3, static_cast<const float*>(in[1]), static_cast<float*>(out),
                 [](float x, float y) { return x + y; });
}

}  // namespace

SYMBOL_ON_EACH_PLATFORM(nested_sum, NestedSum, "(a (b)) c -> sum", (void* out, const void** in),
                        (out, in))
SYMBOL_ON_EACH_PLATFORM(tuple_of_one, TupleOfOne, "a -> (sum)", (void* out, const void** in),
                        (out, in))
SYMBOL_ON_EACH_PLATFORM(nested_result, NestedResult, "n a -> (product (same negative))",
                        (void* out, const void** in), (out, in))
SYMBOL_ON_EACH_PLATFORM(as_it_lies, AsItLies, "a -> same", (void* out, const void** in), (out, in))
SYMBOL_ON_EACH_PLATFORM(doubled_in_place, DoubledInPlace, "a b -> doubled",
                        (void* out, const void** in), (out, in))
SYMBOL_ON_EACH_PLATFORM(doubled_behind_pair, DoubledBehindPair, "(a b) c -> doubled",
                        (void* out, const void** in), (out, in))
SYMBOL_ON_EACH_PLATFORM(number_of, NumberOf, "given -> numbers", (void* out, const void** in),
                        (out, in))
SYMBOL_ON_EACH_PLATFORM(halve_positive, HalvePositive, "x -> half",
                        (void* out, const void** in, XlaCustomCallStatus* status),
                        (out, in, status))
SYMBOL_ON_EACH_PLATFORM(opaque_of, OpaqueOf, "-> opaque",
                        (void* out, const void** in, const char* opaque, size_t size,
                         XlaCustomCallStatus* status),
                        (out, in, opaque, size, status))
SYMBOL_ON_EACH_PLATFORM(add, Add, "a b -> sum", (void* out, const void** in), (out, in))
