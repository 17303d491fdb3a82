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
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/loader/target_library.h"

namespace callbridge {

// Returns a new error; free it with DestroyError(). If memory runs out, returns the error that says
// so, in static storage.
callbridge_error* MakeError(int32_t code, absl::string_view message) noexcept;
// Returns a new error; free it with DestroyError(). `status` must not be OK.
callbridge_error* ErrorOf(const absl::Status& status);
// Same, but returns null for OK. Inline, since every call passes here.
inline callbridge_error* ToC(const absl::Status& status) {
  return status.ok() ? nullptr : ErrorOf(status);
}
// Frees `error`; null is ignored.
void DestroyError(callbridge_error* error);
// Returns "INVALID_ARGUMENT" and so on; "UNKNOWN" for a number that is no code. Static storage.
const char* CodeName(int32_t code);

// Write `*out`, whose struct_size the caller set; return INVALID_ARGUMENT if that is too small. The
// texts in `*out` are those of the first argument.
absl::Status ToC(const LibraryTarget& target, callbridge_target* out);
absl::Status ToC(const TargetAbi& abi, Platform platform, callbridge_target_abi* out);
absl::Status ToC(const EntryPoints& entry_points, callbridge_entry_points* out);

// Calls `visit` with each node of `shape`, as callbridge_shape_visit does.
absl::Status VisitShape(const Shape& shape, callbridge_shape_visitor* visit, void* user);

// Returns the error of the exception that is being handled (CaughtStatus()). Throws nothing. A
// thread that ends goes on to end, or ends the process if it runs Python.
callbridge_error* CaughtError();

// Returns ToC(function()), or the error of what it throws.
template <typename Function>
callbridge_error* WithoutExceptions(Function function) {
  try {
    return ToC(function());
  } catch (...) {
    return CaughtError();
  }
}
// Same, after CheckPointers(required).
template <typename Function>
callbridge_error* WithoutExceptions(std::initializer_list<Pointer> required, Function function) {
  return WithoutExceptions([&]() -> absl::Status {
    absl::Status checked = CheckPointers(required);
    return checked.ok() ? function() : checked;
  });
}

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_TO_C_H_
