// Typed FFI handlers, for the Python tests: what they are given comes out of them again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/targets/on_each_platform.h"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;

ffi::Error Scale(F32 a, ffi::Result<F32> scaled, float factor) {
  std::transform(a.typed_data(), a.typed_data() + a.element_count(), scaled->typed_data(),
                 [factor](float x) { return x * factor; });
  return ffi::Error::Success();
}

// (a, (b, c)) -> (a - b, (c - b,)), as typed FFI passes it.
ffi::Error Tuples(F32 a, F32 b, F32 c, ffi::Result<F32> first, ffi::Result<F32> second) {
  const size_t count = a.element_count();
  std::transform(a.typed_data(), a.typed_data() + count, b.typed_data(), first->typed_data(),
                 std::minus<>());
  std::transform(c.typed_data(), c.typed_data() + count, b.typed_data(), second->typed_data(),
                 std::minus<>());
  return ffi::Error::Success();
}

ffi::Error Scalars(ffi::Result<F32> values, bool flag, int8_t small, int32_t middle, int64_t big,
                   uint64_t natural, float single, double real) {
  const double given[] = {flag ? 1. : 0.,
                          static_cast<double>(small),
                          static_cast<double>(middle),
                          static_cast<double>(big),
                          static_cast<double>(natural),
                          static_cast<double>(single),
                          real};
  std::copy(std::begin(given), std::end(given), values->typed_data());
  return ffi::Error::Success();
}

ffi::Error Text(ffi::Result<ffi::Buffer<ffi::U8>> bytes, std::string_view text) {
  if (text.size() != bytes->element_count()) return ffi::Error::InvalidArgument("another size");
  std::copy(text.begin(), text.end(), bytes->typed_data());
  return ffi::Error::Success();
}

// The attributes {"array": [...], "outer": {"scale": s, "inner": {"array": [...]}}}.
ffi::Error Nested(ffi::Result<F32> sums, ffi::Span<const float> array, ffi::Dictionary outer) {
  auto scale = outer.get<int64_t>("scale");
  auto inner = outer.get<ffi::Dictionary>("inner");
  if (!scale.has_value() || !inner.has_value()) return ffi::Error::InvalidArgument("incomplete");
  auto numbers = inner->get<ffi::Span<const int32_t>>("array");
  if (!numbers.has_value()) return ffi::Error::InvalidArgument("no inner array");
  float* out = sums->typed_data();
  std::fill_n(out, 2, 0.0F);
  for (float value : array) *out += value;
  for (int32_t value : *numbers) out[1] += static_cast<float>(value * *scale);
  return ffi::Error::Success();
}

// x -> x, through so many blocks of scratch memory of the operand's size.
ffi::Error CopyThrough(F32 x, ffi::RemainingRets results, ffi::ScratchAllocator scratch,
                       int64_t blocks) {
  const float* from = x.typed_data();
  for (int64_t i = 0; i < blocks; ++i) {
    const auto memory = scratch.Allocate(x.size_bytes(), alignof(float));
    if (!memory.has_value()) return ffi::Error(ffi::ErrorCode::kDataLoss, "no scratch memory");
    std::copy_n(from, x.element_count(), static_cast<float*>(*memory));
    from = static_cast<const float*>(*memory);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    auto y = results.get<F32>(i);
    if (!y.has_value()) return ffi::Error::InvalidArgument("not an f32");
    std::copy_n(from, x.element_count(), (*y)->typed_data());
  }
  return ffi::Error::Success();
}

// The bytes of a scalar's type: 1 bool, 4 int32, 8 int64, 104 float, 108 double.
ffi::Error Kind(ffi::Result<ffi::Buffer<ffi::S32>> kind, ffi::Dictionary attributes) {
  int32_t& out = *kind->typed_data();
  out = attributes.get<bool>("x").has_value()      ? 1
        : attributes.get<int32_t>("x").has_value() ? 4
        : attributes.get<int64_t>("x").has_value() ? 8
        : attributes.get<float>("x").has_value()   ? 104
        : attributes.get<double>("x").has_value()  ? 108
                                                   : -1;
  return ffi::Error::Success();
}

int32_t calls = 0;
ffi::Error Count(ffi::Result<ffi::Buffer<ffi::S32>> count) {
  *count->typed_data() = ++calls;
  return ffi::Error::Success();
}

ffi::Error Fail(F32, ffi::Result<F32>, std::string_view message) {
  return ffi::Error(ffi::ErrorCode::kFailedPrecondition, std::string(message));
}

}  // namespace

HANDLER_SYMBOL_ON_EACH_PLATFORM(
    typed_copy_through, CopyThrough,
    ffi::Ffi::Bind().Arg<F32>().RemainingRets().Ctx<ffi::ScratchAllocator>().Attr<int64_t>(
        "blocks"));
HANDLER_SYMBOL_ON_EACH_PLATFORM(typed_scale, Scale,
                                ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<float>("factor"));
HANDLER_SYMBOL_ON_EACH_PLATFORM(
    typed_tuples, Tuples, ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Arg<F32>().Ret<F32>().Ret<F32>());
HANDLER_SYMBOL_ON_EACH_PLATFORM(typed_scalars, Scalars,
                                ffi::Ffi::Bind()
                                    .Ret<F32>()
                                    .Attr<bool>("flag")
                                    .Attr<int8_t>("small")
                                    .Attr<int32_t>("middle")
                                    .Attr<int64_t>("big")
                                    .Attr<uint64_t>("natural")
                                    .Attr<float>("single")
                                    .Attr<double>("real"));
HANDLER_SYMBOL_ON_EACH_PLATFORM(
    typed_text, Text, ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::U8>>().Attr<std::string_view>("text"));
HANDLER_SYMBOL_ON_EACH_PLATFORM(
    typed_nested, Nested,
    ffi::Ffi::Bind().Ret<F32>().Attr<ffi::Span<const float>>("array").Attr<ffi::Dictionary>(
        "outer"));
HANDLER_SYMBOL_ON_EACH_PLATFORM(typed_kind, Kind,
                                ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::S32>>().Attrs());
HANDLER_SYMBOL_ON_EACH_PLATFORM(typed_count, Count, ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::S32>>());
HANDLER_SYMBOL_ON_EACH_PLATFORM(
    typed_fail, Fail, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<std::string_view>("message"));

// Its symbol tells its type.
XLA_FFI_Error* ScaleOfKnownType(XLA_FFI_CallFrame* frame) { return typed_scale(frame); }
// No handler, though its type says so.
XLA_FFI_Error* Abort(XLA_FFI_CallFrame*) { std::abort(); }

XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("typed_that_aborts", reinterpret_cast<void*>(&Abort),
                                         PLATFORM);
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("typed_of_known_type",
                                         reinterpret_cast<void*>(&ScaleOfKnownType), PLATFORM);
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("typed_of_unknown_type",
                                         reinterpret_cast<void*>(&typed_kind), PLATFORM);
