// What a callbridge_execution_context provides, as a BoundCall takes it.
#ifndef CALLBRIDGE_C_API_CALL_CONTEXT_H_
#define CALLBRIDGE_C_API_CALL_CONTEXT_H_

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/ffi_context.h"

namespace callbridge {

// A copy, which must outlive the run that uses it. Not movable.
class CallContext {
 public:
  // Call at most once. Null is the default context. Returns INVALID_ARGUMENT if a struct is smaller
  // than its first version.
  absl::Status Copy(const callbridge_execution_context* context);

  const ExecutionContext& get() const { return context_; }
  bool as_xla_cpu() const { return as_xla_cpu_; }

 private:
  ExecutionContext context_;
  bool as_xla_cpu_ = false;
  absl::optional<FfiContext> services_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_CALL_CONTEXT_H_
