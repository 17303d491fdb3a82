// Handlers that must not compile, by the number in MISUSE; CMakeLists.txt has what the compiler
// must say of each. Without a misuse the file compiles.
#include <cstdint>
#include <variant>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using ffi::AnyBuffer;
using ffi::Error;
using ffi::Ffi;
using ffi::Result;

struct Unknown {};
enum class Huge : long long { kNone };  // NOLINT(google-runtime-int)
struct Twice {
  int32_t a, b;
};

inline Error Function(AnyBuffer, Result<AnyBuffer>) { return Error::Success(); }
inline void Nothing() {}
inline Unknown Odd() { return {}; }
inline Error TakesUnknown(Unknown) { return Error::Success(); }

#if MISUSE == 1
auto refused = Ffi::Bind().Arg<AnyBuffer>().To(Function);
#elif MISUSE == 2
auto refused = Ffi::Bind().Ret<AnyBuffer>().Arg<AnyBuffer>().To(Function);
#elif MISUSE == 3
auto refused = Ffi::Bind().Arg<Result<AnyBuffer> >();
#elif MISUSE == 4
auto refused = Ffi::Bind().Ret<Result<AnyBuffer> >();
#elif MISUSE == 5
auto refused = Ffi::Bind().RemainingArgs().Arg<AnyBuffer>();
#elif MISUSE == 6
auto refused = Ffi::Bind().OptionalArg<AnyBuffer>().Arg<AnyBuffer>();
#elif MISUSE == 7
auto refused = Ffi::Bind().RemainingRets().RemainingRets();
#elif MISUSE == 8
auto refused = Ffi::Bind().Attrs().Attr<int32_t>("a");
#elif MISUSE == 9
auto refused = Ffi::Bind().Attr<int32_t>("a").Attrs();
#elif MISUSE == 10
auto refused = Ffi::Bind().Arg<Unknown>().To(TakesUnknown);
#elif MISUSE == 11
auto refused = Ffi::Bind().Ret<Unknown>().To([](Result<Unknown>) { return Error::Success(); });
#elif MISUSE == 12
auto refused = Ffi::Bind().Attr<Unknown>("a").To(TakesUnknown);
#elif MISUSE == 13
auto refused = Ffi::Bind().To(Nothing);
#elif MISUSE == 14
auto refused = Ffi::Bind().To(Odd);
#elif MISUSE == 15
auto refused = Ffi::BindTo(TakesUnknown);
#elif MISUSE == 16
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Twice, StructMember<int32_t>("a"),
                                      StructMember<int32_t>("a"));
auto refused = Ffi::Bind().Attrs<Twice>().To([](Twice) { return Error::Success(); });
#elif MISUSE == 17
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Unknown);
#elif MISUSE == 18
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(int, StructMember<int32_t>("a"));
#elif MISUSE == 19
ffi::NativeType<ffi::S4> refused;
#elif MISUSE == 20
auto refused = Ffi::Bind().Attr<ffi::Span<const bool> >("a");
auto used = refused.To([](ffi::Span<const bool>) { return Error::Success(); });
#elif MISUSE == 21
auto refused = Ffi::Bind().Attrs().Attrs();
#elif MISUSE == 22
auto refused = Ffi::BindTo([](auto) { return Error::Success(); });
#elif MISUSE == 23
auto refused = Ffi::Bind().OptionalRet<AnyBuffer>().Ret<AnyBuffer>();
#elif MISUSE == 24
auto refused = Ffi::Bind().RemainingRets().Ret<AnyBuffer>();
#elif MISUSE == 25
auto refused = Ffi::Bind().OptionalArg<Result<AnyBuffer> >();
#elif MISUSE == 26
auto refused = Ffi::Bind().OptionalRet<Result<AnyBuffer> >();
#elif MISUSE == 27
auto refused = Ffi::Bind().RemainingArgs().OptionalArg<AnyBuffer>();
#elif MISUSE == 28
auto refused = Ffi::Bind().RemainingRets().OptionalRet<AnyBuffer>();
#elif MISUSE == 29
auto refused = Ffi::Bind().RemainingArgs().RemainingArgs();
#elif MISUSE == 30
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Huge);
auto refused = Ffi::Bind().Attr<Huge>("a").To([](Huge) { return Error::Success(); });
#elif MISUSE == 31
template <ffi::ExecutionStage stage>
struct xla::ffi::ResultEncoding<stage, Unknown> {
  static int Encode(const XLA_FFI_Api*, XLA_FFI_InvokeContext*, Unknown) { return 0; }
};
inline XLA_FFI_Error* Refused(XLA_FFI_CallFrame* frame) { return Ffi::Bind().To(Odd)->Call(frame); }
#endif
