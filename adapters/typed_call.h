// Typed FFI handlers as targets: how a BoundCall calls them, through typed_ffi/host, which is then
// their runtime.
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
  std::unique_ptr<host::HandlerInstance> instance;  // ends before the library
  bool on_gpu;
};

// Calls the handler's INSTANTIATE stage; null lends it nothing. The handler is shown the runtime
// of the release that the site names, or else the runtime that its headers take for granted
// (cross_version/headers.h): the newest where it was built with callbridge's or written by hand.
// Headers of version 0.1 are three, which only a wrapper serves; such a handler's library, and one
// whose stages were built with different headers, stays loaded for good.
//
// INVALID_ARGUMENT where the site has an opaque, or names a release that is not known. Fails as
// RecognizeHeaders(), HandlerInstance::Create() and AdaptHandlers(), and for a named release as
// host::QueryMetadata().
absl::StatusOr<std::shared_ptr<const TypedCall>> InstantiateTyped(
    const CallSite& site, const Target& target, const host::RuntimeServices* services);

// Runs all stages but INSTANTIATE, and waits for a future. Errors are the handler's, as they are.
// `call` must outlive the plan.
CallPlan PlanTypedCall(const TypedCall& call, const CallSite& site);

// What a call of `call` is lent by `context`: a GPU's calls always have a stream.
host::RuntimeServices ServicesOf(const TypedCall& call, const ExecutionContext& context);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TYPED_CALL_H_
