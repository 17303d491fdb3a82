// Bind: the one narrow place that every call passes. A CallSite and a Target become a BoundCall.
#ifndef CALLBRIDGE_ADAPTERS_BIND_H_
#define CALLBRIDGE_ADAPTERS_BIND_H_

#include <memory>
#include <string>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/call_buffers.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/target.h"

namespace callbridge {

struct TypedCall;

// A target bound to a call site, with the state that a typed handler keeps there. Movable. It keeps
// the target's library loaded; a function of no library that callbridge opened must outlive it.
class BoundCall {
 public:
  // Calls the target. On success no allocation (up to kStackPointers pointers; one block above), no
  // lock, no lookup. Thread-safe and re-entrant as far as the target is.
  //
  // INVALID_ARGUMENT where the buffers' counts are not those of the call site's leaves. INTERNAL
  // "CustomCall failed: <message>" where the target reports a failure, or throws: then the message
  // says so and has the exception's what(). A typed handler's errors are as it made them, and where
  // it returns a future this waits for it.
  absl::Status Execute(const CallBuffers& buffers, const ExecutionContext& context = {}) const {
    if (ABSL_PREDICT_FALSE(buffers.operands.size() != plan_.operands.leaf_count() ||
                           buffers.results.size() != plan_.result.leaf_count())) {
      return CheckLeafCounts(plan_, buffers);
    }
    return plan_.run(plan_, opaque_, buffers, context);
  }

  // The handler of a typed target; null for an untyped one.
  const std::shared_ptr<const TypedCall>& typed() const { return typed_; }

 private:
  friend absl::StatusOr<BoundCall> Bind(const CallSite& site, const Target& target,
                                        const ExecutionContext& context);

  BoundCall(CallPlan plan, absl::string_view opaque, std::shared_ptr<const void> library);
  BoundCall(CallPlan plan, std::shared_ptr<const TypedCall> typed);

  CallPlan plan_;
  std::unique_ptr<char[]> opaque_bytes_;
  absl::string_view opaque_;  // of opaque_bytes_
  std::shared_ptr<const void> library_;
  std::shared_ptr<const TypedCall> typed_;
};

// Validates, decides the target's ABI and plans the pointer lists; once per call site.
//
// NOT_FOUND where the target is for another platform than the site. INVALID_ARGUMENT where nobody
// knows the target's ABI: neither the target nor, as a declaration, the site; and where the site
// has attributes or a release for an untyped target. Typed targets are instantiated here, and fail
// as InstantiateTyped() does (typed_call.h); `context` is what their INSTANTIATE stage is lent.
absl::StatusOr<BoundCall> Bind(const CallSite& site, const Target& target,
                               const ExecutionContext& context = {});

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_BIND_H_
