// Custom calls for what JAX users do with a call: whatever tells how often, in what order, with
// which buffers and in which form a program calls its targets. Sizes are operands, n, so that one
// target serves any length. Those of f32[n] are there as an untyped function and as a typed
// handler.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/targets/on_each_platform.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"

namespace {

using Table = const void* const*;

const float* Floats(const void* array) { return static_cast<const float*>(array); }
int32_t Int(const void* array) { return *static_cast<const int32_t*>(array); }

void FailWith(XlaCustomCallStatus* status, const std::string& message) {
  XlaCustomCallStatusSetFailure(status, message.data(), message.size());
}

// ---- Arithmetic ---------------------------------------------------------------------------------

void SquareEach(const float* x, size_t n, float* squares) {
  std::transform(x, x + n, squares, [](float value) { return value * value; });
}

// n, x -> x * x.
void Square(void* out, const void** in) {
  SquareEach(Floats(in[1]), Int(in[0]), static_cast<float*>(out));
}

// n, x, t -> 2 * x * t.
void SquareDerivative(void* out, const void** in) {
  for (int32_t i = 0; i < Int(in[0]); ++i) {
    static_cast<float*>(out)[i] = 2 * Floats(in[1])[i] * Floats(in[2])[i];
  }
}

void SumAndDifference(const float* a, const float* b, const float* c, size_t n, float* sum,
                      float* difference) {
  for (size_t i = 0; i < n; ++i) {
    sum[i] = a[i] + b[i] * c[i];
    difference[i] = a[i] - c[i];
  }
}

// (a, (b, n)), c -> (a + b * c, (a - c,)).
void Trees(void* out, const void** in) {
  auto outer = static_cast<Table>(in[0]);
  auto inner = static_cast<Table>(outer[1]);
  auto results = static_cast<void**>(out);
  SumAndDifference(Floats(outer[0]), Floats(inner[0]), Floats(in[1]), Int(inner[1]),
                   static_cast<float*>(results[0]),
                   static_cast<float*>(*static_cast<void**>(results[1])));
}

// ((x,),) -> (x + 1,), all f32[].
void OneOfOne(void* out, const void** in) {
  auto inner = static_cast<Table>(static_cast<Table>(in[0])[0]);
  *static_cast<float*>(*static_cast<void**>(out)) = *Floats(inner[0]) + 1;
}

// x -> (x + 1,), all f32[].
void TupleOfOne(void* out, const void** in) {
  *static_cast<float*>(*static_cast<void**>(out)) = *Floats(in[0]) + 1;
}

// ---- Buffers ------------------------------------------------------------------------------------

// n, x -> (x, whether the result is in the operand's own buffer), the first f32[n], the other
// s32[].
void Buffers(void* out, const void** in) {
  auto results = static_cast<void**>(out);
  std::memmove(results[0], in[1], Int(in[0]) * sizeof(float));
  const int32_t is_same = results[0] == in[1];
  std::memcpy(results[1], &is_same, sizeof(is_same));
}

// Copies as many bytes as the opaque says in 8 bytes.
void Copy(void* out, const void** in, const char* opaque, size_t opaque_len,
          XlaCustomCallStatus* status) {
  uint64_t size;
  if (opaque_len != sizeof(size)) return FailWith(status, "the opaque is no size");
  std::memcpy(&size, opaque, sizeof(size));
  std::memcpy(out, in[0], size);
}

// x -> x + the sum of the opaque's bytes, f32[].
void AddOpaque(void* out, const void** in, const char* opaque, size_t opaque_len,
               XlaCustomCallStatus*) {
  float sum = *Floats(in[0]);
  for (size_t i = 0; i < opaque_len; ++i)
    sum += static_cast<float>(static_cast<uint8_t>(opaque[i]));
  *static_cast<float*>(out) = sum;
}

// ---- Effects ------------------------------------------------------------------------------------

std::mutex log_mutex;
std::vector<int32_t> log;  // NOLINT

// x -> x, s32[], and x is in the log.
void Append(void* out, const void** in) {
  const int32_t value = Int(in[0]);
  const std::lock_guard<std::mutex> lock(log_mutex);
  log.push_back(value);
  std::memcpy(out, &value, sizeof(value));
}

// () -> the log's length, then its first 31 entries, s32[32]. The log is empty then.
void TakeLog(void* out, const void**) {
  std::array<int32_t, 32> taken = {};
  const std::lock_guard<std::mutex> lock(log_mutex);
  taken[0] = static_cast<int32_t>(log.size());
  std::copy_n(log.begin(), std::min<size_t>(log.size(), 31), taken.begin() + 1);
  log.clear();
  std::memcpy(out, taken.data(), sizeof(taken));
}

// ms -> ms, s32[], after so many milliseconds.
void Sleep(void* out, const void** in) {
  const int32_t milliseconds = Int(in[0]);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  std::memcpy(out, &milliseconds, sizeof(milliseconds));
}

// ---- Failures -----------------------------------------------------------------------------------

// x -> x, f32[], unless it is negative.
void Nonnegative(void* out, const void** in, XlaCustomCallStatus* status) {
  std::memcpy(out, in[0], sizeof(float));
  if (*Floats(in[0]) < 0) FailWith(status, "negative operand");
}

void Throw(void*, const void**, const char* opaque, size_t opaque_len, XlaCustomCallStatus*) {
  throw std::runtime_error(std::string(opaque, opaque_len));
}

// ---- Typed handlers -----------------------------------------------------------------------------

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;
using S32 = ffi::Buffer<ffi::S32>;

// As Square, of any rank: n is not looked at.
ffi::Error SquareTyped(S32, F32 x, ffi::Result<F32> squares) {
  if (squares->element_count() != x.element_count()) {
    return ffi::Error::InvalidArgument("sizes differ");
  }
  SquareEach(x.typed_data(), x.element_count(), squares->typed_data());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kSquare, SquareTyped, ffi::Ffi::Bind().Arg<S32>().Arg<F32>().Ret<F32>());

ffi::Error TreesTyped(F32 a, F32 b, S32, F32 c, ffi::Result<F32> sum, ffi::Result<F32> difference) {
  SumAndDifference(a.typed_data(), b.typed_data(), c.typed_data(), a.element_count(),
                   sum->typed_data(), difference->typed_data());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kTrees, TreesTyped,
    ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Arg<S32>().Arg<F32>().Ret<F32>().Ret<F32>());

ffi::Error CopyTyped(ffi::AnyBuffer from, ffi::Result<ffi::AnyBuffer> to) {
  if (from.size_bytes() != to->size_bytes()) return ffi::Error::InvalidArgument("sizes differ");
  if (from.size_bytes() != 0)
    std::memcpy(to->untyped_data(), from.untyped_data(), from.size_bytes());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCopy, CopyTyped,
                       ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

ffi::Error NonnegativeTyped(F32 x, ffi::Result<F32> same) {
  if (*x.typed_data() < 0) return ffi::Error::InvalidArgument("negative operand");
  *same->typed_data() = *x.typed_data();
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kNonnegative, NonnegativeTyped, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());

// Their symbols tell their type.
XLA_FFI_Error* SquareHandler(XLA_FFI_CallFrame* frame) { return kSquare(frame); }
XLA_FFI_Error* TreesHandler(XLA_FFI_CallFrame* frame) { return kTrees(frame); }
XLA_FFI_Error* CopyHandler(XLA_FFI_CallFrame* frame) { return kCopy(frame); }
XLA_FFI_Error* NonnegativeHandler(XLA_FFI_CallFrame* frame) { return kNonnegative(frame); }

}  // namespace

// Its symbol does not tell its type.
HANDLER_SYMBOL_ON_EACH_PLATFORM(untold, NonnegativeTyped, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());

UNTOLD_ON_EACH_PLATFORM("square", Square, "n x -> squares");
UNTOLD_ON_EACH_PLATFORM("square_derivative", SquareDerivative, "n x t -> product");
UNTOLD_ON_EACH_PLATFORM("trees", Trees, "(a (b n)) c -> (sum (difference))");
UNTOLD_ON_EACH_PLATFORM("one_of_one", OneOfOne, "((x)) -> (sum)");
UNTOLD_ON_EACH_PLATFORM("tuple_of_one", TupleOfOne, "x -> (sum)");
UNTOLD_ON_EACH_PLATFORM("buffers", Buffers, "n x -> (same is_same)");
UNTOLD_ON_EACH_PLATFORM("copy", Copy, "from -> to");
UNTOLD_ON_EACH_PLATFORM("add_opaque", AddOpaque, "x -> sum");
UNTOLD_ON_EACH_PLATFORM("append", Append, "x -> same");
UNTOLD_ON_EACH_PLATFORM("take_log", TakeLog, "-> entries");
UNTOLD_ON_EACH_PLATFORM("sleep", Sleep, "ms -> same");
UNTOLD_ON_EACH_PLATFORM("nonnegative", Nonnegative, "x -> same");
UNTOLD_ON_EACH_PLATFORM("throw", Throw, "-> nothing");
HANDLER_ON_EACH_PLATFORM("square_typed", SquareHandler);
HANDLER_ON_EACH_PLATFORM("trees_typed", TreesHandler);
HANDLER_ON_EACH_PLATFORM("copy_typed", CopyHandler);
HANDLER_ON_EACH_PLATFORM("nonnegative_typed", NonnegativeHandler);
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("handler_of_unknown_type",
                                         reinterpret_cast<void*>(&untold), PLATFORM);
