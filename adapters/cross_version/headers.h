// Finds out with which of XLA's headers a typed handler was built, without running the handler's
// own code.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_HEADERS_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_HEADERS_H_

#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

// What a typed handler expects of the runtime that calls it.
struct HandlerHeaders {
  // The row whose layouts it has; the newest if it adapts, and the newest of the ambiguous rows for
  // their headers (cross_version/api_table.h).
  const typed_ffi::RuntimeVersion* version;
  // Adapts to the runtime's version at call time, as handlers built with callbridge's headers do,
  // and so runs natively on every runtime.
  bool adapts = false;
};

// Calls `handler` a few times with frames that every handler of XLA's headers answers before it
// decodes anything: one of a size that no version has, and the metadata query. It must be known to
// be a typed handler (loader/typed_probe.h): a function of another type may crash.
//
// Returns FAILED_PRECONDITION if it answers neither, as handlers do that were written by hand on
// XLA_FFI_CallFrame, and UNIMPLEMENTED if its API version is newer than the table. Thread-safe.
absl::StatusOr<HandlerHeaders> RecognizeHeaders(XLA_FFI_Handler* handler);

// Whether a handler of these headers runs on a runtime of that row without a wrapper, whatever it
// asks the runtime for, if it makes state or not.
bool RunsNatively(const HandlerHeaders& headers, const typed_ffi::RuntimeVersion& runtime,
                  bool makes_state);

// Whether a handler that adapts takes the device ordinal as a parameter. Handlers built before
// callbridge's headers reported that are false. Thread-safe.
bool TakesDeviceOrdinal(XLA_FFI_Handler* handler);

// A handler's answer to the metadata query, at the time of asking.
struct ReportedMetadata {
  XLA_FFI_Handler_Traits traits = 0;
  // The type of the state that it makes; 0 if it makes none, or its headers do not report it.
  XLA_FFI_TypeId state_type_id = {0};
  // It makes state of a type that is not registered, and so refuses to be registered.
  bool type_is_missing = false;
};

// `headers` must be from RecognizeHeaders(). Thread-safe.
ReportedMetadata ReadReportedMetadata(XLA_FFI_Handler* handler,
                                      const typed_ffi::RuntimeVersion& headers);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_HEADERS_H_
