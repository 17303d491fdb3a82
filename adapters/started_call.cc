#include "callbridge/adapters/started_call.h"

#include "callbridge/abi/failure_status.h"
#include "callbridge/abi/xla_floating_point.h"

namespace callbridge {
namespace {

absl::Status ExecuteInXlasMode(const BoundCall& call, const CallBuffers& buffers,
                               const ExecutionContext& context) {
  const XlaFloatingPoint floating_point;
  try {
    return call.Execute(buffers, context);
  } catch (...) {
    return CaughtStatus();  // no memory for the pointers
  }
}

}  // namespace

StartedCall::StartedCall(const BoundCall& call) : typed_(call.typed()) {
  if (typed_ != nullptr) run_.emplace(*typed_->instance);
}

void StartedCall::Start(const BoundCall& call, const CallBuffers& buffers,
                        const ExecutionContext& context, Done* done, void* user) {
  if (typed_ == nullptr) return done(user, ExecuteInXlasMode(call, buffers, context));
  run_->Start(buffers, ServicesOf(*typed_, context), done, user);
}

}  // namespace callbridge
