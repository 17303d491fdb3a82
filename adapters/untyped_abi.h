// UntypedAbi: how targets of one untyped ABI are called on one kind of platform. The code that
// calls them stands in the ABI's folder (target_call.h); untyped_calls.h makes these functions of
// it.
#ifndef CALLBRIDGE_ADAPTERS_UNTYPED_ABI_H_
#define CALLBRIDGE_ADAPTERS_UNTYPED_ABI_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/call_buffers.h"
#include "callbridge/abi/target_abi.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/target.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

struct CallPlan;
struct EntryTarget;

struct UntypedAbi {
  // Calls `function` with the list of pointers that a runtime has made for it. CustomCallFailed()
  // where it reports a failure or throws. No allocation on success.
  using CallOnGpu = absl::Status (*)(void* function, void* stream, void** buffers,
                                     absl::string_view opaque);
  // Runs a planned call whose buffers have been counted. No allocation on success up to
  // kStackPointers pointers, one block above.
  using Run = absl::Status (*)(const CallPlan& plan, const absl::string_view& opaque,
                               const CallBuffers& buffers, const ExecutionContext& context);
  // Serves a runtime's call of version 3 (untyped_to_untyped_entry.h).
  using UntypedEntry = void (*)(void* first, void** pointers, const char* opaque, size_t opaque_len,
                                XlaCustomCallStatus* status, EntryTarget& entry);
  // Serves a runtime's call of a typed handler (typed_to_untyped_entry.h).
  using TypedEntry = XLA_FFI_Error* (*)(XLA_FFI_CallFrame* frame, EntryTarget& entry);

  const TargetAbi& row;
  bool needs_proof;       // for targets alone whose type proves the ABI
  bool takes_leaves;      // and no tuples: it is planned as run_with_tables
  CallOnGpu call_on_gpu;  // null on Host

  Run run_array_result;  // lists lent by the caller as they are, `out` is results[0]
  Run run_list_result;   // the same, `out` is the list of results
  Run run_with_tables;   // lists written by the plan's PointerTables
  UntypedEntry untyped_entry;
  TypedEntry typed_entry;

  bool is_gpu() const { return call_on_gpu != nullptr; }
};

// The ABI by which `target`, which is not typed, is called. What is known of the target decides,
// whatever a call site claims: api_version is only the caller's claim. INVALID_ARGUMENT where it is
// not known and a wrong guess could crash.
absl::StatusOr<const UntypedAbi*> FindUntypedAbi(const Target& target);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_UNTYPED_ABI_H_
