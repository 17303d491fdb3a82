// A typed FFI handler as its author writes it, with XLA's own headers: z = scale * (x + y).
#include "add_handler.h"

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

static ffi::Error AddScaledImpl(F32 x, F32 y, ffi::Result<F32> z, float scale) {
  if (x.element_count() != y.element_count() || x.element_count() != z->element_count()) {
    return ffi::Error::InvalidArgument("x, y and z must be of one size");
  }
  for (size_t i = 0; i < x.element_count(); ++i) {
    z->typed_data()[i] = scale * (x.typed_data()[i] + y.typed_data()[i]);
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    AddScaled, AddScaledImpl,
    ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>().Attr<float>("scale"));
