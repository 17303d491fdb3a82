#include "callbridge/typed_ffi/host/registration_scope.h"

#include <algorithm>
#include <utility>

namespace callbridge {
namespace host {
namespace {

thread_local RegistrationScope* innermost_scope = nullptr;

}  // namespace

void Registrations::Forget(const typed_ffi::RuntimeVersion& version) const {
  for (const RegisteredHandler& handler : handlers) RegistryOf(version).Forget(handler);
  for (XLA_FFI_TypeId type : types) TypeRegistry::OfProcess().Forget(type);
}

RegistrationScope::RegistrationScope() : outer_(innermost_scope) { innermost_scope = this; }

RegistrationScope::~RegistrationScope() { innermost_scope = outer_; }

RegistrationScope* RegistrationScope::Innermost() { return innermost_scope; }

void RegistrationScope::Add(RegisteredHandler handler) {
  registrations_.handlers.push_back(std::move(handler));
}

bool RegistrationScope::Has(XLA_FFI_Handler* execute) const {
  const auto& handlers = registrations_.handlers;
  return std::any_of(handlers.begin(), handlers.end(), [&](const RegisteredHandler& handler) {
    return handler.handlers.execute == execute;
  });
}

bool RegistrationScope::Has(XLA_FFI_TypeId type) const {
  const auto& types = registrations_.types;
  return std::any_of(types.begin(), types.end(),
                     [&](XLA_FFI_TypeId own) { return own.type_id == type.type_id; });
}

}  // namespace host
}  // namespace callbridge
