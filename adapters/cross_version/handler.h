// Cross-version handlers on any runtime: a handler that was built with XLA's headers of one
// version, called by a runtime of another. A wrapper is registered with the runtime in its place.
// It tells the runtime that it needs the lowest version there is; in each call it shows the handler
// the frame, the API table and the context that its headers take for granted, and makes what comes
// back the runtime's again. What a runtime has not got at all is UNIMPLEMENTED, by name.
//
// Not carried: XLA_FFI_Handler_Register from inside a handler, and internal APIs.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_HANDLER_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_HANDLER_H_

#include <atomic>

#include "absl/status/statusor.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// What to register with a runtime in place of one target's handlers, null where a stage has none:
// they themselves where all of them run on `runtime` as they are, and those that were written by
// hand; else wrappers, which live as long as the process and serve any runtime. Null is a runtime
// of which nothing is known. Asking again gives the same ones.
//
// As for RecognizeHeaders(), they must be typed handlers; they must stay loaded. `platform` is
// where they are registered. Types are registered before (host/type_registry.h): what makes state
// of a type that has its id from callbridge is always wrapped.
//
// INVALID_ARGUMENT where a handler makes state of a type that is not registered; UNIMPLEMENTED
// as RecognizeHeaders(), RESOURCE_EXHAUSTED as MakeTrampolines(). Thread-safe.
absl::StatusOr<XLA_FFI_Handler_Bundle> AdaptHandlers(const XLA_FFI_Handler_Bundle& handlers,
                                                     Platform platform,
                                                     const typed_ffi::RuntimeVersion* runtime);

// The wrapper of one handler, for the stage that it is for. Fails as RecognizeHeaders() too.
absl::StatusOr<XLA_FFI_Handler*> GetCrossVersionWrapper(XLA_FFI_Handler* handler,
                                                        Platform platform);

// ---- For the trampolines

struct CrossVersionHandler {
  XLA_FFI_Handler* const function;
  const XLA_FFI_Api* const api;  // that it is shown
  const typed_ffi::RuntimeVersion& headers;
  const XLA_FFI_ExecutionStage execute;  // in the numbers of its headers
  const Platform platform;
  // The one that called it last, of those in this process; callbridge's own before any has.
  std::atomic<CrossVersionRuntime*> runtime;
};

// On success without state and futures no allocation but in a thread's first calls, and no lock.
XLA_FFI_Error* CallCrossVersion(CrossVersionHandler& handler, XLA_FFI_CallFrame* frame);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_HANDLER_H_
