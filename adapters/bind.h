// Bind: makes a BoundCall of a CallSite and a Target. All calls go through it.
#ifndef CALLBRIDGE_ADAPTERS_BIND_H_
#define CALLBRIDGE_ADAPTERS_BIND_H_

#include <memory>
#include <string>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/target.h"

namespace callbridge {

struct TypedCall;

// A target bound to a call site, with the state that a typed handler keeps there. Movable. Keeps
// the target's library loaded; a function of a library that callbridge did not load must outlive
// it.
class BoundCall {
 public:
  // Calls the target. On success, does not allocate for up to kStackPointers pointers and allocates
  // one block for more; takes no lock and looks nothing up. Thread-safe and re-entrant as far as
  // the target is.
  //
  // Returns INVALID_ARGUMENT if the counts of the buffers are not those of the call site's leaves.
  // Returns INTERNAL, "CustomCall failed: <message>", if the target reports a failure or throws; in
  // the latter case the message contains the exception's what(). Returns a typed handler's errors
  // unchanged, and waits for a future that it returns.
  absl::Status Execute(const CallBuffers& buffers, const ExecutionContext& context = {}) const {
    if (ABSL_PREDICT_FALSE(buffers.operands.size() != plan_.operands.leaf_count() ||
                           buffers.results.size() != plan_.result.leaf_count())) {
      return CheckLeafCounts(plan_, buffers);
    }
    return plan_.run(plan_, opaque_, buffers.operands.data(), buffers.results.data(), context);
  }

  // Like Execute(), for lists with one pointer for each leaf of the call site, without a context.
  absl::Status ExecuteUnchecked(void** operands, void** results) const {
    static constexpr ExecutionContext kNoContext;
    return plan_.run(plan_, opaque_, operands, results, kNoContext);
  }

  // Returns the handler of a typed target, null for an untyped one.
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

// Validates the site, finds the target's ABI and plans the pointer lists. Call it once for each
// call site.
//
// Returns NOT_FOUND if the target is for another platform than the site. Returns INVALID_ARGUMENT
// if the target's ABI is known neither from the target nor, as a declaration, from the site; or if
// the site has attributes or a release for an untyped target; or if the site's operator information
// does not allow the call, as CheckOperator() says (operator_check.h). Attributes that the site
// lacks get the defaults of that information. Instantiates typed targets, and returns the errors of
// InstantiateTyped() (typed_call.h). `context` is what the INSTANTIATE stage gets.
absl::StatusOr<BoundCall> Bind(const CallSite& site, const Target& target,
                               const ExecutionContext& context = {});

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_BIND_H_
