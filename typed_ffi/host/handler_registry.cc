#include "callbridge/typed_ffi/host/handler_registry.h"

#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/abi/platform.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/typed_ffi/host/registration_scope.h"

namespace callbridge {
namespace host {
namespace {

using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;

std::string OneName(absl::string_view platform) {
  const absl::StatusOr<Platform> known = ParsePlatform(platform);
  return known.ok() ? std::string(PlatformName(*known)) : absl::AsciiStrToLower(platform);
}

bool SameAddresses(const XLA_FFI_Handler_Bundle& one, const XLA_FFI_Handler_Bundle& other) {
  return std::memcmp(&one, &other, sizeof(one)) == 0;
}

}  // namespace

absl::Status HandlerRegistry::Register(absl::string_view name, absl::string_view platform,
                                       const XLA_FFI_Handler_Bundle& handlers,
                                       XLA_FFI_Handler_Traits traits) {
  if (handlers.execute == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("FFI handler for ", name, " on a platform ",
                                                   platform,
                                                   " must provide an execute implementation"));
  }
  // Not under the lock, since it calls the handler.
  absl::StatusOr<HandlerMetadata> metadata = QueryMetadata(version_, handlers);
  if (!metadata.ok()) return metadata.status();
  RegisteredHandler handler = {std::string(name), std::string(platform), handlers,
                               traits | metadata->traits, *metadata};
  RegistrationScope* const scope = RegistrationScope::Innermost();
  absl::StatusOr<bool> added = Add(std::move(handler), scope);
  if (!added.ok()) return added.status();
  if (*added && scope == nullptr) KeepLoaded(reinterpret_cast<const void*>(handlers.execute));
  return absl::OkStatus();
}

absl::StatusOr<bool> HandlerRegistry::Add(RegisteredHandler handler, RegistrationScope* scope) {
  const TableLock lock;
  const auto [known, is_new] =
      handlers_.emplace(Key(OneName(handler.platform), handler.name), handler);
  const bool same = SameAddresses(known->second.handlers, handler.handlers);
  if (!is_new && same && version_.accepts_duplicates) return false;
  if (is_new || (scope != nullptr && !scope->Has(known->second.handlers.execute))) {
    known->second = handler;
    if (scope != nullptr) scope->Add(std::move(handler));
    return true;
  }
  return absl::AlreadyExistsError(absl::StrCat(
      "Duplicate FFI handler registration for ", handler.name, " on platform ", handler.platform,
      " (canonical ", known->first.first, ")", same ? "" : " with different bundle addresses"));
}

void HandlerRegistry::Forget(const RegisteredHandler& handler) {
  const TableLock lock;
  const auto found = handlers_.find(Key(OneName(handler.platform), handler.name));
  if (found == handlers_.end()) return;
  if (SameAddresses(found->second.handlers, handler.handlers)) handlers_.erase(found);
}

absl::StatusOr<RegisteredHandler> HandlerRegistry::Find(absl::string_view name,
                                                        absl::string_view platform) const {
  const TableLock lock;
  auto found = handlers_.find(Key(OneName(platform), name));
  if (found != handlers_.end()) return found->second;
  std::string message = absl::StrCat("No FFI handler registered for ", name, " on a platform ",
                                     platform, "; registered:");
  for (const auto& [key, handler] : handlers_) {
    absl::StrAppend(&message, " ", key.second, " (", key.first, ")");
  }
  if (handlers_.empty()) absl::StrAppend(&message, " nothing");
  return absl::NotFoundError(message);
}

std::vector<RegisteredHandler> HandlerRegistry::List() const {
  const TableLock lock;
  std::vector<RegisteredHandler> list;
  list.reserve(handlers_.size());
  for (const auto& [key, handler] : handlers_) list.push_back(handler);
  return list;
}

namespace {

using Registries = std::array<HandlerRegistry, kRuntimeVersionCount>;

template <size_t... kRows>
Registries* MakeRegistries(std::index_sequence<kRows...>) {
  return new Registries{HandlerRegistry(kRuntimeVersions[kRows])...};
}

}  // namespace

HandlerRegistry& RegistryOf(const RuntimeVersion& version) {
  const TableLock lock;
  // Never destroyed, since destructors of libraries may still use it.
  static auto& registries = *MakeRegistries(std::make_index_sequence<kRuntimeVersionCount>());
  return registries[IndexOf(version)];
}

}  // namespace host
}  // namespace callbridge
