// Errors that handlers make, and the classes that carry them.
#include <stdexcept>
#include <string>

#include "suite.h"

namespace {

ffi::Error FailWith(F32, ffi::Result<F32>, int32_t code) {
  return ffi::Error(static_cast<ffi::ErrorCode>(code), "told to fail with " + std::to_string(code));
}

ffi::Error FailWithC(F32, ffi::Result<F32>) {
  return ffi::Error(XLA_FFI_Error_Code_DATA_LOSS, "told to fail with a C code");
}

ffi::Error LongMessage(F32, ffi::Result<F32>) {
  return ffi::Error(ffi::ErrorCode::kAborted, std::string(5000, 'x') + " the end");
}

ffi::Error ErrorObject(ffi::Result<S32> out) {
  const ffi::Error success = ffi::Error::Success();
  const ffi::Error failure(ffi::ErrorCode::kNotFound, "message");
  Write(*out,
        {success.success() ? 1.0 : 0.0, success.failure() ? 1.0 : 0.0,
         failure.failure() ? 1.0 : 0.0, failure.errc() == ffi::ErrorCode::kNotFound ? 1.0 : 0.0,
         failure.message() == "message" ? 1.0 : 0.0, ffi::Error().success() ? 1.0 : 0.0});
  return Ok();
}

ffi::Expected<int, std::string> Half(int number) {
  if (number % 2 != 0) return ffi::Unexpected("odd");
  return number / 2;
}

ffi::Error ExpectedObject(ffi::Result<S32> out) {
  auto half = Half(6);
  auto none = Half(7);
  ffi::Expected<std::string, int> text(std::string("four"));
  Write(*out, {half ? 1.0 : 0.0, static_cast<double>(*half), none.has_value() ? 1.0 : 0.0,
               none.error() == "odd" ? 1.0 : 0.0, static_cast<double>(text->size()),
               static_cast<double>(text.value().size())});
  return Ok();
}

#if SUITE_HEADERS >= 431
ffi::ErrorOr<int> Third(int number) {
  if (number % 3 != 0) {
    return ffi::Unexpected<ffi::Error>(ffi::Error(ffi::ErrorCode::kOutOfRange, "not a third"));
  }
  return number / 3;
}

ffi::Error ErrorOrObject(ffi::Result<S32> out) {
  auto third = Third(9);
  auto none = Third(10);
  Write(*out, {third.has_value() ? 1.0 : 0.0, static_cast<double>(third.value()),
               none.has_value() ? 1.0 : 0.0,
               none.error().errc() == ffi::ErrorCode::kOutOfRange ? 1.0 : 0.0,
               none.error().message() == "not a third" ? 1.0 : 0.0});
  return Ok();
}
#endif

#if SUITE_HEADERS >= 434
ffi::Error InternalByName(ffi::Result<S32>) { return ffi::Error::Internal("an internal one"); }
ffi::Error InvalidByName(ffi::Result<S32>) { return ffi::Error::InvalidArgument("an invalid one"); }
#endif

#if SUITE_HEADERS >= 1102
ffi::ErrorOr<int> FromError(bool fail) {
  if (fail) return ffi::Error(ffi::ErrorCode::kDataLoss, "made of an error");
  return 4;
}
ffi::Error ErrorOrFromError(ffi::Result<S32>) {
  if (!FromError(false).has_value()) return Invalid("no value");
  return FromError(true).error();
}
#endif

ffi::Error Throws(F32, ffi::Result<F32>) { throw std::runtime_error("thrown on purpose"); }

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(fail_with, FailWith,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<int32_t>("code"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(fail_with_c, FailWithC, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(long_message, LongMessage, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(error_object, ErrorObject, ffi::Ffi::Bind().Ret<S32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(expected_object, ExpectedObject, ffi::Ffi::Bind().Ret<S32>());
#if SUITE_HEADERS >= 431
XLA_FFI_DEFINE_HANDLER_SYMBOL(error_or_object, ErrorOrObject, ffi::Ffi::Bind().Ret<S32>());
#endif
#if SUITE_HEADERS >= 434
XLA_FFI_DEFINE_HANDLER_SYMBOL(error_internal, InternalByName, ffi::Ffi::Bind().Ret<S32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(error_invalid, InvalidByName, ffi::Ffi::Bind().Ret<S32>());
#endif
#if SUITE_HEADERS >= 1102
XLA_FFI_DEFINE_HANDLER_SYMBOL(error_or_from_error, ErrorOrFromError, ffi::Ffi::Bind().Ret<S32>());
#endif
XLA_FFI_DEFINE_HANDLER_SYMBOL(throws, Throws, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
