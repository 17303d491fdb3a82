// RegistrationScope: what a library registers with callbridge as the runtime while it is opened.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_REGISTRATION_SCOPE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_REGISTRATION_SCOPE_H_

#include <string>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/host/type_registry.h"

namespace callbridge {
namespace host {

// Handlers and types that are to be forgotten together.
struct Registrations {
  std::vector<RegisteredHandler> handlers;  // as HandlerRegistry has them
  std::vector<XLA_FFI_TypeId> types;        // that are new

  // Forgets them, in the registry that ApiTable(version) registers with and in
  // TypeRegistry::OfProcess(), but for names that lead elsewhere by now.
  void Forget(const typed_ffi::RuntimeVersion& version) const;
};

// While it lives, gathers what the thread that made it registers: the constructors of a library run
// on the thread that opens it. Within it a name that another library has is no error, but leads to
// this library's from then on, since each library that is opened has targets of its own. Scopes
// nest, and each gathers what is registered while it is the innermost one.
class RegistrationScope {
 public:
  RegistrationScope();
  ~RegistrationScope();
  RegistrationScope(const RegistrationScope&) = delete;
  RegistrationScope& operator=(const RegistrationScope&) = delete;

  const Registrations& registrations() const { return registrations_; }

  // The calling thread's; null where it has none.
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
