// RunPlan: runs a plan once.
#ifndef CALLBRIDGE_CLIENT_PLAN_RUN_H_
#define CALLBRIDGE_CLIENT_PLAN_RUN_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/client/plan.h"

namespace callbridge::client {

// The arrays must have the sizes of the plan. With one thread, steps run in the plan's order on the
// caller's thread, and the first failure ends the run. With more, a step runs on any thread as soon
// as it can; after a failure no further step starts, and of all errors the first in the plan's
// order is returned. A plan that was made with `in_order` needs one thread.
absl::Status RunPlan(const Plan& plan, absl::Span<const callbridge_array> parameters,
                     absl::Span<const callbridge_array> results, int threads);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_PLAN_RUN_H_
