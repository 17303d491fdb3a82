// What a handler asks of the runtime that calls it: the function at the right slot of that
// runtime's API table, and the sentence for the user where the runtime has none. Nothing else in
// binding/ reads a slot, so that no table is read beyond its end.
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
using ::callbridge::typed_ffi::FunctionAt;
using ::callbridge::typed_ffi::kRuntimeVersionCount;
using ::callbridge::typed_ffi::kRuntimeVersions;
using ::callbridge::typed_ffi::RuntimeVersion;
using ::callbridge::typed_ffi::StateLayout;
using ::callbridge::typed_ffi::VersionOf;

constexpr uint8_t SlotIn(int row, ApiFunction function) {
  return kRuntimeVersions[row].slots[static_cast<int>(function)];
}

// The first row after jaxlib 0.4.30's that has `function`, or -1 where its slot moves or vanishes
// later on, so that only VersionOf() can tell.
constexpr int SteadySince(ApiFunction function) {
  int since = -1;
  for (int row = 1; row < kRuntimeVersionCount; ++row) {
    const uint8_t slot = SlotIn(row, function);
    if (since < 0 && slot != 0) since = row;
    if (since >= 0 && slot != SlotIn(since, function)) return -1;
  }
  return since;
}

// Whether `api` is a runtime of `row` or newer; as VersionOf() decides, for the rows after those
// that have no version.
constexpr bool IsSince(const XLA_FFI_Api& api, int row) {
  return row <= 1 || (api.api_version.minor_version >= kRuntimeVersions[row].minor &&
                      api.struct_size >= kRuntimeVersions[row].stated_size);
}

// The runtime's function for `function`, null where it has none. `Function` is its type, which
// c_api.h names: Find<ApiFunction::kStream, XLA_FFI_Stream_Get>(api). Two or three comparisons for
// what has stayed in one place, as almost everything has.
template <ApiFunction kFunction, typename Function>
Function* Find(const XLA_FFI_Api& api) {
  constexpr int since = SteadySince(kFunction);
  if constexpr (since < 0) {
    return FunctionAt<Function>(api, VersionOf(api), kFunction);
  } else {
    const RuntimeVersion* version = &kRuntimeVersions[since];
    if (api.struct_size == kRuntimeVersions[0].stated_size) {
      if constexpr (SlotIn(0, kFunction) == 0) return nullptr;
      version = &kRuntimeVersions[0];
    } else if (!IsSince(api, since)) {
      return nullptr;
    }
    return FunctionAt<Function>(api, *version, kFunction);
  }
}

// An argument struct of the API with its size filled in and all else zero.
template <typename Args>
Args MakeArgs(size_t struct_size) {
  Args args = {};
  args.struct_size = struct_size;
  return args;
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_API_FUNCTIONS_H_
