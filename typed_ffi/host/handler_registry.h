// The registries of handlers of callbridge's own runtime.
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

// Registers handlers as a runtime of one row does. Thread-safe.
class HandlerRegistry {
 public:
  explicit HandlerRegistry(const typed_ffi::RuntimeVersion& version) : version_(version) {}
  HandlerRegistry(const HandlerRegistry&) = delete;
  HandlerRegistry& operator=(const HandlerRegistry&) = delete;

  // Queries the handlers' metadata and returns its errors. Returns INVALID_ARGUMENT without an
  // execute handler, and ALREADY_EXISTS if other handlers have that name on that platform, or if
  // the same ones do and the row does not accept duplicates. "Host" and "cpu" are one platform;
  // case does not matter. Within a RegistrationScope the handlers of other libraries give way;
  // outside of one, the library that holds `handlers.execute` stays loaded for good.
  absl::Status Register(absl::string_view name, absl::string_view platform,
                        const XLA_FFI_Handler_Bundle& handlers, XLA_FFI_Handler_Traits traits);

  // Removes handlers before their library is unloaded. Does nothing if other handlers have the name
  // by now.
  void Forget(const RegisteredHandler& handler);

  // Returns NOT_FOUND, which lists what is registered, if there is none.
  absl::StatusOr<RegisteredHandler> Find(absl::string_view name, absl::string_view platform) const;
  // Returns all handlers, sorted by platform, then name.
  std::vector<RegisteredHandler> List() const;

 private:
  using Key = std::pair<std::string, std::string>;  // the platform's one name, the handler's

  // Returns whether the handler was added. `scope` is the calling thread's, or null.
  absl::StatusOr<bool> Add(RegisteredHandler handler, RegistrationScope* scope);

  const typed_ffi::RuntimeVersion& version_;
  std::map<Key, RegisteredHandler> handlers_;  // under the TableLock
};

// Returns the registry that ApiTable(version) registers with. Lives as long as the process.
HandlerRegistry& RegistryOf(const typed_ffi::RuntimeVersion& version);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_HANDLER_REGISTRY_H_
