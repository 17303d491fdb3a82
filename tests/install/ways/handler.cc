// Needs headers alone: a typed handler, and an old function that becomes one.
#include "callbridge/export.h"
#include "xla/ffi/api/ffi.h"

void add_one(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]) + 1;
}
CALLBRIDGE_EXPORT(AddOne, add_one);

static xla::ffi::Error Copy(xla::ffi::Buffer<xla::ffi::F32> from,
                            xla::ffi::Result<xla::ffi::Buffer<xla::ffi::F32>> to) {
  for (size_t i = 0; i < from.element_count(); ++i) to->typed_data()[i] = from.typed_data()[i];
  return xla::ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CopyHandler, Copy,
                              xla::ffi::Ffi::Bind()
                                  .Arg<xla::ffi::Buffer<xla::ffi::F32>>()
                                  .Ret<xla::ffi::Buffer<xla::ffi::F32>>());
