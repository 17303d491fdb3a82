// Patterns that buffers are matched with, from 0.11 on.
#include "suite.h"

#if SUITE_HEADERS >= 1102

namespace {

namespace match = ffi::match;

// A vector of 3 and a matrix of 3 columns.
ffi::Error MatchBuffers(ffi::AnyBuffer a, ffi::AnyBuffer b, ffi::Result<S64> out) {
  int64_t rows = -1;
  auto vector = ffi::Match("a", a, match::Buffer<DataType::F32, 1>().WithDims(3));
  if (vector.has_error()) return vector.error();
  ffi::Error fits = ffi::Verify("b", b, match::Buffer<DataType::F32>().WithDims(&rows, 3));
  if (fits.failure()) return fits;
  Write(*out, {static_cast<double>(rows), vector->typed_data()[0]});
  return Ok();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    match_buffers, MatchBuffers,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Arg<ffi::AnyBuffer>().Ret<S64>());

#endif  // SUITE_HEADERS >= 1102
