// What is compiled when compiling is measured: the headers and HANDLERS handlers, 1 or 20. No
// two have the same binding, as it is in libraries of handlers.
#include <cstdint>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

using Any = ffi::AnyBuffer;
using F32 = ffi::BufferR1<ffi::F32>;
using F64 = ffi::BufferR2<ffi::F64>;
using S32 = ffi::Buffer<ffi::S32>;
using Text = std::string_view;
using Numbers = ffi::Span<const int64_t>;

template <typename... Ts>
ffi::Error Function(Ts...) {
  return ffi::Error::Success();
}

// XLA's macro takes no commas in a function.
#define HANDLER_OF(name, binding, ...)             \
  constexpr auto name##Of = Function<__VA_ARGS__>; \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(name, name##Of, ffi::Ffi::Bind() binding)

template <typename T>
using R = ffi::Result<T>;

HANDLER_OF(Handler01, .Arg<F32>().Arg<F32>().Ret<F32>(), F32, F32, R<F32>);
#if HANDLERS > 1
HANDLER_OF(Handler02, .Arg<Any>().Ret<Any>(), Any, R<Any>);
HANDLER_OF(Handler03, .Arg<Any>().Arg<Any>().Ret<Any>(), Any, Any, R<Any>);
HANDLER_OF(Handler04, .Arg<F64>().Ret<F64>().Attr<int64_t>("axis"), F64, R<F64>, int64_t);
HANDLER_OF(Handler05, .Arg<F64>().Arg<S32>().Ret<F64>(), F64, S32, R<F64>);
HANDLER_OF(Handler06, .Arg<F32>().Ret<F32>().Ret<S32>(), F32, R<F32>, R<S32>);
HANDLER_OF(Handler07, .Arg<F32>().Ret<F32>().Attr<float>("scale").Attr<float>("shift"), F32, R<F32>,
           float, float);
HANDLER_OF(Handler08, .Arg<S32>().Ret<S32>().Attr<Text>("mode"), S32, R<S32>, Text);
HANDLER_OF(Handler09, .RemainingArgs().Ret<Any>(), ffi::RemainingArgs, R<Any>);
HANDLER_OF(Handler10, .RemainingArgs().RemainingRets(), ffi::RemainingArgs, ffi::RemainingRets);
HANDLER_OF(Handler11, .Arg<F32>().Ret<F32>().Attrs(), F32, R<F32>, ffi::Dictionary);
HANDLER_OF(Handler12, .Arg<F64>().Arg<F64>().Arg<F64>().Ret<F64>(), F64, F64, F64, R<F64>);
HANDLER_OF(Handler13, .Arg<F64>().Ret<F64>().Ret<S32>().Ret<S32>(), F64, R<F64>, R<S32>, R<S32>);
HANDLER_OF(Handler14, .Arg<S32>().Ret<F32>().Attr<bool>("exact"), S32, R<F32>, bool);
HANDLER_OF(Handler15, .Arg<Any>().Ret<Any>().Attr<Numbers>("dimensions"), Any, R<Any>, Numbers);
HANDLER_OF(Handler16, .Ret<F32>().Attr<uint64_t>("seed"), R<F32>, uint64_t);
HANDLER_OF(Handler17, .Arg<F32>().Arg<S32>().Arg<S32>().Ret<F32>().Ret<F32>(), F32, S32, S32,
           R<F32>, R<F32>);
HANDLER_OF(Handler18, .Arg<F64>().Arg<F64>().Ret<F64>().Attr<double>("tolerance"), F64, F64, R<F64>,
           double);
HANDLER_OF(Handler19, .Arg<F32>().Ret<F32>().Attr<Text>("side").Attr<bool>("lower"), F32, R<F32>,
           Text, bool);
HANDLER_OF(Handler20, .Arg<S32>().Arg<S32>().Ret<S32>().Attr<int32_t>("low").Attr<int32_t>("high"),
           S32, S32, R<S32>, int32_t, int32_t);
#endif
