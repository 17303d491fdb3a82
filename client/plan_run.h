// RunPlan: one run of a plan.
#ifndef CALLBRIDGE_CLIENT_PLAN_RUN_H_
#define CALLBRIDGE_CLIENT_PLAN_RUN_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/client/plan.h"

namespace callbridge::client {

// The arrays have the sizes that the plan says. With one thread, steps run in the plan's order, on
// the caller's thread, and the first that fails ends the run. With more, whatever is free runs on
// any thread; after a failure nothing is started any more, and the error is that of the first in
// the plan's order of those that failed. A plan that was made to run in order takes one thread.
absl::Status RunPlan(const Plan& plan, absl::Span<const callbridge_array> parameters,
                     absl::Span<const callbridge_array> results, int threads);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_PLAN_RUN_H_
