// An AOT operator as a typed FFI handler, which every runtime that calls typed targets can call:
// the embedded runtime, XLA by its FFI, and XLA without one by version 3 (adapters/entry_points/).
//
// clang-format off
//   stage        what happens
//   INSTANTIATE  the attributes of the call site are read; they are its AotSite, the site's state
//   EXECUTE      FInit in the site's first call, where shapes and types are known; then F
// clang-format on
//
// So FInit runs once for each call site of a program that was loaded into a runtime, and again if
// the program is loaded again. Workspaces are one block of the heap on Host, and the runtime's
// scratch memory on GPU.
#ifndef CALLBRIDGE_MINDSPORE_AOT_AOT_HANDLER_H_
#define CALLBRIDGE_MINDSPORE_AOT_AOT_HANDLER_H_

#include "absl/status/statusor.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/target.h"
#include "callbridge/mindspore_aot/aot_operator.h"

namespace callbridge {
namespace mindspore_aot {

// Returns the typed target for an operator. Its handler and the operator's library live as long as
// the process. Returns the same handler for the same function on the same platform. Fails as
// MakeTrampoline(). Thread-safe.
//
// Attributes of a call become AotExtra's as follows; others are INVALID_ARGUMENT when the call site
// is made, by name:
// clang-format off
//   FFI attribute                                  AotExtra::Attr<T>
//   bool                                           bool
//   an integer of up to 64 bits                    int64_t
//   f32, f64                                       float
//   string                                         std::string
//   array of integers                              std::vector<int64_t>
//   array of f32 or f64                            std::vector<float>
//   dictionary of such arrays, "0", "1", ...       std::vector<std::vector<int64_t or float>>
// clang-format on
absl::StatusOr<Target> MakeTypedTarget(const AotOperator& aot, Platform platform);

// Returns the operator whose target has that address; null if there is none. Valid as long as the
// process. Thread-safe.
const AotOperator* FindAotOperator(const void* address);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_AOT_HANDLER_H_
