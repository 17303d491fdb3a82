// The handlers of mypackage, by XLA's FFI API. With callbridge's headers one binary runs on jaxlib
// 0.4.30 and later.
#include <cstddef>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

// result = scale * x + y, of arrays of one shape.
static ffi::Error ScaledAddImpl(float scale, F32 x, F32 y, ffi::Result<F32> result) {
  if (x.dimensions() != y.dimensions() || x.dimensions() != result->dimensions()) {
    return ffi::Error::InvalidArgument("expected x, y and the result to have one shape");
  }
  const float* of_x = x.typed_data();
  const float* of_y = y.typed_data();
  float* out = result->typed_data();
  for (std::size_t i = 0; i < x.element_count(); ++i) out[i] = scale * of_x[i] + of_y[i];
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    ScaledAdd, ScaledAddImpl,
    ffi::Ffi::Bind().Attr<float>("scale").Arg<F32>().Arg<F32>().Ret<F32>());
