// How xla::ffi::Error is returned to XLA: as null, or as an error that the runtime made.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_ERROR_ENCODING_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_ERROR_ENCODING_H_

#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

template <ExecutionStage stage>
struct ResultEncoding<stage, Error> {
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static XLA_FFI_Error* Encode(const XLA_FFI_Api* api,
                                                               XLA_FFI_InvokeContext*,
                                                               const Error& error) {
    if (XLA_FFI_PREDICT_TRUE(error.success())) return nullptr;
    return internal::CreateError(api, error);
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_ERROR_ENCODING_H_
