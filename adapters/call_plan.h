// CallPlan: what is called, and what goes where in its pointer lists, computed once.
#ifndef CALLBRIDGE_ADAPTERS_CALL_PLAN_H_
#define CALLBRIDGE_ADAPTERS_CALL_PLAN_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/abi/pointer_tables.h"
#include "callbridge/adapters/untyped_abi.h"

namespace callbridge {

struct CallPlan {
  UntypedAbi::Run run;
  // What `run` calls: the function of an untyped target, the host::HandlerInstance of a typed one.
  void* callee;
  PointerTables operands;
  PointerTables result;
};

CallPlan PlanCall(const UntypedAbi& abi, void* function, absl::Span<const Shape> operands,
                  const Shape& result, TupleLayout tuple_layout);

// INVALID_ARGUMENT where `buffers` has not as many pointers as the plan has leaves. The message
// names both counts.
absl::Status CheckLeafCounts(const CallPlan& plan, const CallBuffers& buffers);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CALL_PLAN_H_
