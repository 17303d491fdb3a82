// Turns an exception that a handler's function throws into an error for XLA.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_THROWN_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_THROWN_H_

#ifdef __cpp_exceptions

#include <string>

#include "callbridge/abi/caught_exception.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// Must be called while an exception is handled. A thread's end is no exception: it goes on, or ends
// the process in XLA, through whose frames it must not pass.
CALLBRIDGE_FFI_COLD inline XLA_FFI_Error* ReportThrown(const XLA_FFI_Api* api) {
  using ::callbridge::ThreadEnd;
  const bool is_xla = ::callbridge::typed_ffi::IsXla(*api);
  const std::string text =
      "the handler threw " +
      ::callbridge::DescribeCaughtException(is_xla ? ThreadEnd::kEndsProcess : ThreadEnd::kGoesOn);
  return CreateError(api, ErrorCode::kInternal, text.c_str());
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // __cpp_exceptions

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_THROWN_H_
