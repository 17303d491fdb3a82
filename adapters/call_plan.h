// CallPlan: which function a bound call calls, and which pointer goes into which slot of its lists.
#ifndef CALLBRIDGE_ADAPTERS_CALL_PLAN_H_
#define CALLBRIDGE_ADAPTERS_CALL_PLAN_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/abi/pointer_tables.h"
#include "callbridge/adapters/untyped_abi.h"

namespace callbridge {

struct CallPlan {
  UntypedAbi::Run run;
  // The argument of `run`: the function of an untyped target, the host::HandlerInstance of a typed
  // one.
  void* callee;
  PointerTables operands;
  PointerTables result;
};

CallPlan PlanCall(const UntypedAbi& abi, void* function, absl::Span<const Shape> operands,
                  const Shape& result, TupleLayout tuple_layout);

// Returns INVALID_ARGUMENT, which names both counts, if `buffers` does not have one pointer for
// each leaf of the plan.
absl::Status CheckLeafCounts(const CallPlan& plan, const CallBuffers& buffers);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CALL_PLAN_H_
