// xla::ffi, XLA's C++ API for writing handlers, implemented by callbridge: one binary of a handler
// runs on every XLA since jaxlib 0.4.30. Includes all of the API; xla/ffi/api/ffi.h includes this
// header.
//
// C++17; standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_FFI_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_FFI_H_

#if defined(XLA_FFI_FFI_H_) || defined(XLA_FFI_API_FFI_H_)
#error "Two different XLA FFI implementations cannot be included together: XLA's own came first"
#endif
// XLA's own headers check it.
#define XLA_FFI_API_FFI_H_

#include "callbridge/typed_ffi/binding/attributes.h"
#include "callbridge/typed_ffi/binding/bind_to.h"
#include "callbridge/typed_ffi/binding/buffer.h"
#include "callbridge/typed_ffi/binding/c_values.h"
#include "callbridge/typed_ffi/binding/context.h"
#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/diagnostics.h"
#include "callbridge/typed_ffi/binding/dictionary.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/extension.h"
#include "callbridge/typed_ffi/binding/future.h"
#include "callbridge/typed_ffi/binding/future_encoding.h"
#include "callbridge/typed_ffi/binding/handler.h"
#include "callbridge/typed_ffi/binding/macros.h"
#include "callbridge/typed_ffi/binding/match.h"
#include "callbridge/typed_ffi/binding/registered_attributes.h"
#include "callbridge/typed_ffi/binding/registration.h"
#include "callbridge/typed_ffi/binding/remaining.h"
#include "callbridge/typed_ffi/binding/scratch_allocator.h"
#include "callbridge/typed_ffi/binding/span.h"
#include "callbridge/typed_ffi/binding/thread_pool.h"
#include "callbridge/typed_ffi/binding/user_types.h"
#include "callbridge/typed_ffi/c_api.h"

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_FFI_H_
