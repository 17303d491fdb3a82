// An exception that a handler's function throws ends there: XLA gets an error instead.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_THROWN_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_THROWN_H_

#ifdef __cpp_exceptions

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <typeinfo>

#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// For the exception that is being handled. A thread's cancellation is none, and goes on.
CALLBRIDGE_FFI_COLD inline XLA_FFI_Error* ReportThrown(const XLA_FFI_Api* api) {
  std::string text = "the handler threw ";
  if (const std::type_info* type = abi::__cxa_current_exception_type()) {
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr);
    text += name != nullptr ? name : type->name();
    std::free(name);
  } else {
    text += "an exception of another language";
  }
  try {
    throw;
#ifdef __GLIBCXX__
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  } catch (const std::exception& exception) {
    text = text + ": " + exception.what();
  } catch (...) {
  }
  return CreateError(api, ErrorCode::kInternal, text.c_str());
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // __cpp_exceptions

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_THROWN_H_
