// From the C++ results to the C API's structs.
#ifndef CALLBRIDGE_C_API_TO_C_H_
#define CALLBRIDGE_C_API_TO_C_H_

#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/platform.h"
#include "callbridge/abi/shape.h"
#include "callbridge/abi/target_abi.h"
#include "callbridge/adapters/entry_points.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/loader/target_library.h"

namespace callbridge {

// DestroyError() frees it. Where there is no memory for it, an error in static storage that says
// so.
callbridge_error* MakeError(int32_t code, absl::string_view message) noexcept;
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
absl::Status ToC(const TargetAbi& abi, Platform platform, callbridge_target_abi* out);
absl::Status ToC(const EntryPoints& entry_points, callbridge_entry_points* out);

// Shows `shape` to `visit`, as callbridge_shape_visit says.
absl::Status VisitShape(const Shape& shape, callbridge_shape_visitor* visit, void* user);

// The error of the exception that is being handled: see CaughtStatus(). Throws nothing itself.
callbridge_error* CaughtError();

// ToC(function()), or the error of what it throws.
template <typename Function>
callbridge_error* WithoutExceptions(Function function) {
  try {
    return ToC(function());
  } catch (...) {
    return CaughtError();
  }
}
// The same, after CheckPointers(required).
template <typename Function>
callbridge_error* WithoutExceptions(std::initializer_list<Pointer> required, Function function) {
  return WithoutExceptions([&]() -> absl::Status {
    absl::Status checked = CheckPointers(required);
    return checked.ok() ? function() : checked;
  });
}

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_TO_C_H_
