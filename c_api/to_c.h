// From the C++ results to the C API's structs.
#ifndef CALLBRIDGE_C_API_TO_C_H_
#define CALLBRIDGE_C_API_TO_C_H_

#include <exception>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape.h"
#include "callbridge/adapters/entry_points.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/runtime/target_library.h"

namespace callbridge {

// DestroyError() frees it.
callbridge_error* MakeError(int32_t code, std::string message);
// `status` is not OK. DestroyError() frees it.
callbridge_error* ErrorOf(const absl::Status& status);
// Null for OK. Inline, since every call passes here.
inline callbridge_error* ToC(const absl::Status& status) {
  return status.ok() ? nullptr : ErrorOf(status);
}
// Null is ignored.
void DestroyError(callbridge_error* error);
// "INVALID_ARGUMENT"; "UNKNOWN" for what is no code. Static storage.
const char* CodeName(int32_t code);

// These write `out`, whose struct_size the caller set. INVALID_ARGUMENT where that is too small.
// The texts belong to what they are taken from.
absl::Status ToC(const LibraryTarget& target, callbridge_target* out);
absl::Status ToC(const EntryPoints& entry_points, callbridge_entry_points* out);

// Shows `shape` to `visit`, as callbridge_shape_visit says.
absl::Status VisitShape(const Shape& shape, callbridge_shape_visitor* visit, void* user);

// ToC(function()), an exception (memory that cannot be had) being RESOURCE_EXHAUSTED.
template <typename Function>
callbridge_error* WithoutExceptions(Function function) {
  try {
    return ToC(function());
  } catch (const std::exception& exception) {
    return ToC(absl::ResourceExhaustedError(exception.what()));
  }
}

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_TO_C_H_
