// Cross-version handlers: a handler that was built with XLA's headers of one version, called by a
// runtime of another. A wrapper is registered with the runtime in its place. It reports the lowest
// API version to the runtime. In each call it passes the handler a frame, an API table and a
// context of the handler's version, and converts what the handler returns to the runtime's version.
// What the runtime does not have is UNIMPLEMENTED, by name; but a CUDA device's ordinal is asked of
// the driver then.
//
// Not supported: XLA_FFI_Handler_Register from inside a handler, and internal APIs.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_HANDLER_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_HANDLER_H_

#include <atomic>
#include <memory>

#include "absl/status/statusor.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Returns what to register with a runtime in place of one target's handlers, null for stages
// without one: the handlers themselves if all of them run natively on `runtime`, and handlers that
// were written by hand; otherwise wrappers, which live as long as the process and serve any
// runtime. `runtime` may be null if nothing is known of it. Returns the same ones each time.
//
// If `traits` is not null, it points to bits of XLA_FFI_HANDLER_TRAITS_* for the runtime, to which
// those that the handlers report are added. XLA:GPU plugins up to jaxlib 0.10 take traits from that
// report alone, and none at registration. So the handler of the execute stage gets a wrapper
// (traits.h) if it lacks one of them.
//
// As for RecognizeHeaders(), the handlers must be typed; they must stay loaded. `platform` is where
// they are registered. Types must be registered before (host/type_registry.h): a handler that makes
// state of a type with an id of callbridge's always gets a wrapper.
//
// Returns INVALID_ARGUMENT if a handler makes state of a type that is not registered, UNIMPLEMENTED
// as RecognizeHeaders(), and RESOURCE_EXHAUSTED as MakeTrampolines(). Thread-safe.
absl::StatusOr<XLA_FFI_Handler_Bundle> AdaptHandlers(const XLA_FFI_Handler_Bundle& handlers,
                                                     Platform platform,
                                                     const typed_ffi::RuntimeVersion* runtime,
                                                     XLA_FFI_Handler_Traits* traits = nullptr);

// Returns the wrapper of one handler. Fails as AdaptHandlers(), and as RecognizeHeaders().
absl::StatusOr<XLA_FFI_Handler*> GetCrossVersionWrapper(XLA_FFI_Handler* handler,
                                                        Platform platform);

// Keeps `library` for as long as the process lives, because something that is never destroyed, or
// that a runtime got, points into it. Ignores null. Thread-safe.
void KeepForGood(std::shared_ptr<const void> library);

// ---- For the trampolines

struct CrossVersionHandler {
  XLA_FFI_Handler* const function;
  const XLA_FFI_Api* const api;  // that it is shown
  const typed_ffi::RuntimeVersion& headers;
  const XLA_FFI_ExecutionStage execute;  // in the numbers of its headers
  const Platform platform;
  // The last runtime that called it, of those in this process; callbridge's own before the first
  // call.
  std::atomic<CrossVersionRuntime*> runtime;
};

// On success without state and futures, allocates only in a thread's first calls, and never locks.
XLA_FFI_Error* CallCrossVersion(CrossVersionHandler& handler, XLA_FFI_CallFrame* frame);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_HANDLER_H_
