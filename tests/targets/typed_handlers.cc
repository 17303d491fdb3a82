// Typed FFI handlers that register themselves with callbridge, by its headers: linked to nothing,
// so that who opens the library serves what it imports.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>

#include "callbridge/legacy/custom_call_target_registry.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;

static ffi::Error Scale(F32 x, ffi::Result<F32> y, float factor) {
  std::transform(x.typed_data(), x.typed_data() + x.element_count(), y->typed_data(),
                 [factor](float value) { return factor * value; });
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kScale, Scale, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<float>("factor"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "scale", "Host", kScale);

static ffi::Error Refuse(std::string_view why) {
  return ffi::Error(ffi::ErrorCode::kOutOfRange, std::string(why));
}
XLA_FFI_DEFINE_HANDLER(kRefuse, Refuse, ffi::Ffi::Bind().Attr<std::string_view>("why"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "refuse", "cpu", kRefuse);

// What each attribute comes to: n, the sum of `array`, inner.x, the size of `text`.
static ffi::Error Attributes(ffi::Result<F32> values, int64_t n, ffi::Span<const int32_t> array,
                             ffi::Dictionary inner, std::string_view text) {
  auto x = inner.get<double>("x");
  if (!x.has_value()) return x.error();
  float* out = values->typed_data();
  out[0] = static_cast<float>(n);
  out[1] = 0;
  for (int32_t value : array) out[1] += static_cast<float>(value);
  out[2] = static_cast<float>(*x);
  out[3] = static_cast<float>(text.size());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kAttributes, Attributes,
                       ffi::Ffi::Bind()
                           .Ret<F32>()
                           .Attr<int64_t>("n")
                           .Attr<ffi::Span<const int32_t>>("array")
                           .Attr<ffi::Dictionary>("inner")
                           .Attr<std::string_view>("text"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "attributes", "Host", kAttributes);

// Counts its calls, from the attribute "start" on, whatever the operands.
struct Counter {
  static ffi::TypeId id;
  std::atomic<int32_t> count;
};
ffi::TypeId Counter::id = {};
static const ffi::TypeInfo kCounterInfo = ffi::MakeTypeInfo<Counter>();
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "typed_handlers.Counter", &Counter::id, &kCounterInfo);

static ffi::ErrorOr<std::unique_ptr<Counter>> Start(int32_t start) {
  auto counter = std::make_unique<Counter>();
  counter->count = start;
  return counter;
}
XLA_FFI_DEFINE_HANDLER(kStart, Start,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int32_t>("start"));

static ffi::Error Count(ffi::RemainingArgs, ffi::Result<ffi::Buffer<ffi::S32>> count, int32_t,
                        Counter* counter) {
  *count->typed_data() = counter->count++;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCount, Count,
                       ffi::Ffi::Bind()
                           .RemainingArgs()
                           .Ret<ffi::Buffer<ffi::S32>>()
                           .Attr<int32_t>("start")
                           .Ctx<ffi::State<Counter>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "count", "Host",
                         (XLA_FFI_Handler_Bundle{kStart, nullptr, nullptr, kCount, nullptr}));

// One name for a function and a handler.
extern "C" void untyped_both(void* out, const void**) { *static_cast<float*>(out) = 1; }
static ffi::Error Both(ffi::Result<F32> result) {
  *result->typed_data() = 2;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kBoth, Both, ffi::Ffi::Bind().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "both", "Host", kBoth);
static const bool registered = [] {
  xla::CustomCallTargetRegistry::Global()->Register("both", reinterpret_cast<void*>(untyped_both),
                                                    "Host");
  return true;
}();
