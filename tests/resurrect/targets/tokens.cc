// A typed handler that takes a token before its array and returns one before its result.
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// Writes how many calls there were, this one included, and the operand's second number.
static ffi::Error CountCalls(ffi::Token /*before*/, ffi::Buffer<ffi::F32> x,
                             ffi::Result<ffi::Token> /*after*/, ffi::ResultBuffer<ffi::F32> y) {
  static float calls = 0;
  y->typed_data()[0] = ++calls;
  y->typed_data()[1] = x.typed_data()[1];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountCallsHandler, CountCalls,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Token>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Token>()
                                  .Ret<ffi::Buffer<ffi::F32>>());
