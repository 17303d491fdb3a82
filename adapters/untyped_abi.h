// UntypedAbi: how targets of one untyped ABI are called on one platform. The calling code is in the
// ABI's folder (target_call.h); untyped_calls.h instantiates these functions for it.
#ifndef CALLBRIDGE_ADAPTERS_UNTYPED_ABI_H_
#define CALLBRIDGE_ADAPTERS_UNTYPED_ABI_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/target_abi.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/target.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

struct CallPlan;
struct EntryTarget;

struct UntypedAbi {
  // Calls `function` with the list of pointers that a runtime made for it. Returns
  // CustomCallFailed() if it reports a failure or throws. Does not allocate on success.
  using CallOnGpu = absl::Status (*)(void* function, void* stream, void** buffers,
                                     absl::string_view opaque);
  // Runs a planned call on lists that have one pointer for each leaf of the plan. On success, does
  // not allocate for up to kStackPointers pointers, and allocates one block for more. (As many
  // arguments as registers.)
  using Run = absl::Status (*)(const CallPlan& plan, const absl::string_view& opaque,
                               void** operands, void** results, const ExecutionContext& context);
  // Serves a call of version 3 by a runtime (entry_points/untyped_to_untyped.h).
  using UntypedEntry = void (*)(void* first, void** pointers, const char* opaque, size_t opaque_len,
                                XlaCustomCallStatus* status, EntryTarget& entry);
  // Serves a call of a typed handler by a runtime (entry_points/typed_to_untyped.h).
  using TypedEntry = XLA_FFI_Error* (*)(XLA_FFI_CallFrame* frame, EntryTarget& entry);

  const TargetAbi& row;
  bool needs_proof;       // serves only targets whose type proves the ABI
  bool takes_leaves;      // takes no tuples: always runs run_with_tables
  CallOnGpu call_on_gpu;  // null on Host

  Run run_array_result;  // with the caller's lists as they are; `out` is results[0]
  Run run_list_result;   // likewise; `out` is the list of results
  Run run_with_tables;   // with lists that the plan's PointerTables write
  UntypedEntry untyped_entry;
  TypedEntry typed_entry;

  bool is_gpu() const { return call_on_gpu != nullptr; }
};

// Returns the ABI by which `target`, an untyped one, is called. What is known about the target
// decides, not a call site's api_version, which is only the caller's claim. Returns
// INVALID_ARGUMENT if the ABI is not known and a wrong guess could crash.
absl::StatusOr<const UntypedAbi*> FindUntypedAbi(const Target& target);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_UNTYPED_ABI_H_
