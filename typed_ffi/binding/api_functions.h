// The names of runtime_versions.h and runtime_texts.h that binding/ uses to call a runtime's
// functions. binding/ reads slots through Find() and FunctionAt() alone, so that it reads no API
// table beyond its end.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_API_FUNCTIONS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_API_FUNCTIONS_H_

#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "callbridge/typed_ffi/runtime_texts.h"
#include "callbridge/typed_ffi/runtime_versions.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

namespace old = ::callbridge::typed_ffi::old;
using ::callbridge::typed_ffi::ApiFunction;
using ::callbridge::typed_ffi::DescribeMissing;
using ::callbridge::typed_ffi::Find;
using ::callbridge::typed_ffi::FunctionAt;
using ::callbridge::typed_ffi::RuntimeVersion;
using ::callbridge::typed_ffi::StateLayout;
using ::callbridge::typed_ffi::VersionOf;

// Returns an argument struct with `struct_size` set and all other fields zero.
template <typename Args>
Args MakeArgs(size_t struct_size) {
  Args args = {};
  args.struct_size = struct_size;
  return args;
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_API_FUNCTIONS_H_
