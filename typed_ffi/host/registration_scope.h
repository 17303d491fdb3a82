// RegistrationScope: gathers what a library registers with callbridge's own runtime while it is
// loaded.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_REGISTRATION_SCOPE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_REGISTRATION_SCOPE_H_

#include <string>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/host/type_registry.h"

namespace callbridge {
namespace host {

// Handlers and types to remove together.
struct Registrations {
  std::vector<RegisteredHandler> handlers;  // as HandlerRegistry has them
  std::vector<XLA_FFI_TypeId> types;        // that are new

  // Removes them from the registry of ApiTable(version) and from TypeRegistry::OfProcess(), except
  // names that others have by now.
  void Forget(const typed_ffi::RuntimeVersion& version) const;
};

// Gathers what the thread that made it registers: the constructors of a library run on the thread
// that loads it. Within a scope, a name that another library has is no error and leads to this
// library from then on, since each loaded library has targets of its own. Scopes nest; each gathers
// what is registered while it is the innermost.
class RegistrationScope {
 public:
  RegistrationScope();
  ~RegistrationScope();
  RegistrationScope(const RegistrationScope&) = delete;
  RegistrationScope& operator=(const RegistrationScope&) = delete;

  const Registrations& registrations() const { return registrations_; }

  // Returns the calling thread's innermost scope, or null.
  static RegistrationScope* Innermost();

  // ---- For the registries

  void Add(RegisteredHandler handler);
  void Add(XLA_FFI_TypeId type) { registrations_.types.push_back(type); }
  bool Has(XLA_FFI_Handler* execute) const;
  bool Has(XLA_FFI_TypeId type) const;

 private:
  RegistrationScope* const outer_;
  Registrations registrations_;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_REGISTRATION_SCOPE_H_
