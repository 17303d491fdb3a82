// The handlers that are registered with callbridge as the runtime.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_HANDLER_REGISTRY_H_
#define CALLBRIDGE_TYPED_FFI_HOST_HANDLER_REGISTRY_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace host {

struct RegisteredHandler {
  std::string name;
  std::string platform;             // as it was registered
  XLA_FFI_Handler_Bundle handlers;  // in today's order, whatever the runtime's
  XLA_FFI_Handler_Traits traits;    // as registered, and as the handlers say themselves
  HandlerMetadata metadata;
};

class RegistrationScope;

// Registers as a runtime of one row does. Thread-safe.
class HandlerRegistry {
 public:
  explicit HandlerRegistry(const typed_ffi::RuntimeVersion& version) : version_(version) {}
  HandlerRegistry(const HandlerRegistry&) = delete;
  HandlerRegistry& operator=(const HandlerRegistry&) = delete;

  // Queries the handlers' metadata, whose errors it returns. INVALID_ARGUMENT without an execute
  // handler. ALREADY_EXISTS where other handlers have that name on that platform, and before jaxlib
  // 0.4.38 where the same ones have it; later the same ones may come again. "Host" and "cpu" are
  // one platform, and case does not matter. Within a RegistrationScope the handlers of other
  // libraries give way; outside of one, whose owner says when what it gathered is unloaded, the
  // library that holds `handlers.execute` stays loaded for good.
  absl::Status Register(absl::string_view name, absl::string_view platform,
                        const XLA_FFI_Handler_Bundle& handlers, XLA_FFI_Handler_Traits traits);

  // Forgets handlers that are about to be unloaded; does nothing if the name leads elsewhere by
  // now.
  void Forget(const RegisteredHandler& handler);

  // NOT_FOUND names what is registered.
  absl::StatusOr<RegisteredHandler> Find(absl::string_view name, absl::string_view platform) const;
  // All of them, by platform, then name.
  std::vector<RegisteredHandler> List() const;

 private:
  using Key = std::pair<std::string, std::string>;  // the platform's one name, the handler's

  // Whether it was not there before. `scope` is the calling thread's, or null.
  absl::StatusOr<bool> Add(RegisteredHandler handler, RegistrationScope* scope);

  const typed_ffi::RuntimeVersion& version_;
  std::map<Key, RegisteredHandler> handlers_;  // under the TableLock
};

// The one that ApiTable(version) registers with. Lives as long as the process.
HandlerRegistry& RegistryOf(const typed_ffi::RuntimeVersion& version);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_HANDLER_REGISTRY_H_
