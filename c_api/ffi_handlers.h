// From callbridge_ffi_handlers to XLA's bundle, and back.
#ifndef CALLBRIDGE_C_API_FFI_HANDLERS_H_
#define CALLBRIDGE_C_API_FFI_HANDLERS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Returns INVALID_ARGUMENT if the struct is smaller than its first version or has no handler for
// the EXECUTE stage.
absl::StatusOr<XLA_FFI_Handler_Bundle> FromC(const callbridge_ffi_handlers& handlers);
// Returns 0 if the struct's version has no traits.
XLA_FFI_Handler_Traits TraitsOf(const callbridge_ffi_handlers& handlers);
// Writes `*out`, whose struct_size the caller set.
absl::Status ToC(const XLA_FFI_Handler_Bundle& handlers, XLA_FFI_Handler_Traits traits,
                 callbridge_ffi_handlers* out);

// Returns OK if all are typed handlers, which may then be called with more queries in this process.
// Returns INVALID_ARGUMENT or FAILED_PRECONDITION as callbridge_ffi_adapt_handlers.
absl::Status CheckTyped(const XLA_FFI_Handler_Bundle& handlers);

// Returns INVALID_ARGUMENT for a number in place of a pointer, which is seldom the address of a
// variable.
absl::Status CheckAligned(const int64_t* type_id);

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_FFI_HANDLERS_H_
