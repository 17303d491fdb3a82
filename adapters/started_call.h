// StartedCall: a run of a BoundCall that may continue after the function that started it has
// returned.
#ifndef CALLBRIDGE_ADAPTERS_STARTED_CALL_H_
#define CALLBRIDGE_ADAPTERS_STARTED_CALL_H_

#include <memory>

#include "absl/types/optional.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/typed_call.h"
#include "callbridge/typed_ffi/host/handler_instance.h"

namespace callbridge {

// Must live until the run is over. Keeps what the run needs of the BoundCall, which may be
// destroyed before.
class StartedCall {
 public:
  using Done = host::AsyncRun::Done;

  explicit StartedCall(const BoundCall& call);
  StartedCall(const StartedCall&) = delete;
  StartedCall& operator=(const StartedCall&) = delete;

  // Call once, with the same call. Like BoundCall::Execute(), but in XLA's floating-point mode and
  // without waiting for a typed handler's future. Calls `done` once, before it returns or on the
  // thread that completes the future. That is the last action of the run; this object may be
  // destroyed then. Does not throw.
  void Start(const BoundCall& call, const CallBuffers& buffers, const ExecutionContext& context,
             Done* done, void* user);

 private:
  std::shared_ptr<const TypedCall> typed_;
  absl::optional<host::AsyncRun> run_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_STARTED_CALL_H_
