// Cross-version handlers: typed handlers that were built with XLA's own headers, of whatever
// version. Which version that was is found out here, without running any of the handler's own code.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_HEADERS_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_HEADERS_H_

#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

// What a typed handler takes for granted of the runtime that calls it.
struct HandlerHeaders {
  // Its layouts; the newest where it adapts. The three rows of API version 0.1 cannot be told
  // apart; for them it is the newest, see cross_version/api_table.h for what that means.
  const typed_ffi::RuntimeVersion* version;
  // It goes by the runtime's version, as handlers do that were built with callbridge's headers, and
  // so runs on every runtime as it is.
  bool adapts = false;
};

// `handler` is called a few times, with frames that every handler of XLA's headers answers before
// it decodes anything: one of a size that no version has, and the metadata query. It must be known
// to be a typed handler (loader/typed_probe.h): a function of another type may crash.
//
// FAILED_PRECONDITION where it answers neither, as handlers do that were written by hand on
// XLA_FFI_CallFrame; UNIMPLEMENTED where its API version is newer than the table. Thread-safe.
absl::StatusOr<HandlerHeaders> RecognizeHeaders(XLA_FFI_Handler* handler);

// Whether a handler of these headers runs on a runtime of that row without any help, in all that it
// may ask for.
bool RunsAsItIs(const HandlerHeaders& headers, const typed_ffi::RuntimeVersion& runtime);

// What a handler says of itself, at the time of asking.
struct ReportedMetadata {
  XLA_FFI_Handler_Traits traits = 0;
  // Of the state that it makes: 0 where it makes none, or was built with headers that do not say.
  XLA_FFI_TypeId state_type_id = {0};
  // It makes state of a type that nobody has registered, so it refuses to be registered.
  bool type_is_missing = false;
};

// `headers` as RecognizeHeaders() found them. Thread-safe.
ReportedMetadata ReadReportedMetadata(XLA_FFI_Handler* handler,
                                      const typed_ffi::RuntimeVersion& headers);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_HEADERS_H_
