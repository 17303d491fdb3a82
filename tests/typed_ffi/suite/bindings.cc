// How a handler is bound: by hand, from the function's type, with traits, and the macros for it.
#include <string_view>

#include "suite.h"

namespace {

constexpr char kFactor[] = "factor";
constexpr char kShift[] = "shift";

ffi::Error Scale(F32 a, ffi::Result<F32> scaled, ffi::Attr<float, kFactor> factor,
                 ffi::Attr<int32_t, kShift> shift) {
  for (int64_t i = 0; i < Count(a); ++i) {
    Data(*scaled)[i] = Data(a)[i] * *factor + static_cast<float>(*shift);
  }
  return Ok();
}

ffi::Error CountAttributes(ffi::AnyBuffer, ffi::BufferR1<DataType::F32> b,
                           ffi::ResultBufferR1<DataType::F32> out, ffi::Dictionary attributes) {
  Write(*out, {Data(b)[0], static_cast<double>(attributes.size())});
  return Ok();
}

ffi::Error Double(F32 a, ffi::Result<F32> out) {
  for (int64_t i = 0; i < Count(a); ++i) Data(*out)[i] = 2 * Data(a)[i];
  return Ok();
}

#if SUITE_HEADERS >= 434
constexpr auto kCompatible = {ffi::Traits::kCmdBufferCompatible};
#endif

}  // namespace

// From the type alone.
XLA_FFI_DEFINE_HANDLER_SYMBOL(bound_to, Scale);
XLA_FFI_DEFINE_HANDLER_SYMBOL(bound_to_dictionary, CountAttributes);
// A lambda.
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    bound_lambda, [](F32 a, ffi::Result<F32> out) { return Double(a, out); },
    ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
// A binding of its own, and a handler as a variable.
static auto binding = [] { return ffi::Ffi::Bind().Arg<F32>().Ret<F32>(); };
XLA_FFI_DEFINE_HANDLER(double_handler, Double, binding());

#if SUITE_HEADERS >= 431
using Frame = XLA_FFI_CallFrame;
#else
using Frame = const XLA_FFI_CallFrame;
#endif
extern "C" XLA_FFI_Error* handler_variable(XLA_FFI_CallFrame* frame) {
  return double_handler(frame);
}
// A function that is bound when it is first called.
extern "C" XLA_FFI_Error* bound_at_run_time(XLA_FFI_CallFrame* frame) {
  const float factor = 3;
  static auto handler = ffi::Ffi::BindTo([factor](F32 a, ffi::Result<F32> out) {
    for (int64_t i = 0; i < Count(a); ++i) Data(*out)[i] = factor * Data(a)[i];
    return Ok();
  });
  return handler->Call(frame);
}
#if SUITE_HEADERS >= 434
XLA_FFI_DEFINE_HANDLER_SYMBOL(with_traits, Double, ffi::Ffi::Bind().Arg<F32>().Ret<F32>(),
                              {ffi::Traits::kCmdBufferCompatible});
#endif
#if SUITE_HEADERS >= 602
XLA_FFI_DEFINE_HANDLER_SYMBOL(wrapped, ffi::Ffi::Wrapper<Double>(),
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
#endif
#ifdef SUITE_OURS
// A comma in the binding, which breaks XLA's macros.
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    comma, Double,
    ffi::Ffi::Bind().Arg<ffi::Buffer<DataType::F32>>().Ret<ffi::Buffer<DataType::F32>>());
#endif
