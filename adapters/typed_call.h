// Typed FFI handlers as targets. BoundCall calls them through typed_ffi/host, which is then their
// runtime.
#ifndef CALLBRIDGE_ADAPTERS_TYPED_CALL_H_
#define CALLBRIDGE_ADAPTERS_TYPED_CALL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/target.h"
#include "callbridge/typed_ffi/host/handler_instance.h"
#include "callbridge/typed_ffi/host/runtime_services.h"

namespace callbridge {

// A handler at a call site, and what keeps it loaded.
struct TypedCall {
  std::shared_ptr<const void> library;
  std::unique_ptr<host::HandlerInstance> instance;  // destroyed before the library
  bool on_gpu;
};

// Calls the handler's INSTANTIATE stage; null provides nothing to it. The handler is called in the
// version of the release that the site names. Without one, it is called in the version of its
// headers (cross_version/headers.h), the newest if it was built with callbridge's or written by
// hand. Headers of version 0.1 belong to three versions, which only a wrapper serves together; the
// library of such a handler, and of one whose stages were built with different headers, is never
// unloaded.
//
// Returns INVALID_ARGUMENT if the site has an opaque, or names an unknown release. Returns the
// errors of RecognizeHeaders(), HandlerInstance::Create() and AdaptHandlers(), and for a named
// release those of host::QueryMetadata().
absl::StatusOr<std::shared_ptr<const TypedCall>> InstantiateTyped(
    const CallSite& site, const Target& target, const host::RuntimeServices* services);

// Returns the plan that runs all stages but INSTANTIATE, and waits for a future. Errors are the
// handler's, unchanged. `call` must outlive the plan.
CallPlan PlanTypedCall(const TypedCall& call, const CallSite& site);

// Returns what `context` provides to a call of `call`: a GPU's calls always have a stream.
host::RuntimeServices ServicesOf(const TypedCall& call, const ExecutionContext& context);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TYPED_CALL_H_
