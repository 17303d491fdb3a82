#include "callbridge/typed_ffi/host/type_registry.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/typed_ffi/host/registration_scope.h"

namespace callbridge {
namespace host {
namespace {

constexpr int64_t kLastId = std::numeric_limits<int64_t>::max();

}  // namespace

TypeRegistry& TypeRegistry::OfProcess() {
  const TableLock lock;
  static auto& registry = *new TypeRegistry;  // libraries' destructors may still ask
  return registry;
}

absl::Status TypeRegistry::Register(absl::string_view name, XLA_FFI_TypeId& id,
                                    const XLA_FFI_TypeInfo* info) {
  if (name.empty()) return absl::InvalidArgumentError("a type needs a name to be registered by");
  if (id.type_id < 0) {
    return absl::InvalidArgumentError(absl::StrCat("type name ", name, " comes with type id ",
                                                   id.type_id, "; ids are greater than 0"));
  }
  RegistrationScope* const scope = RegistrationScope::Innermost();
  absl::Status added = Add(name, id, info, scope);
  if (added.ok() && scope == nullptr && info != nullptr && info->deleter != nullptr) {
    KeepLoaded(reinterpret_cast<const void*>(info->deleter));
  }
  return added;
}

absl::Status TypeRegistry::Add(absl::string_view name, XLA_FFI_TypeId& id,
                               const XLA_FFI_TypeInfo* info, RegistrationScope* scope) {
  const TableLock lock;
  auto known = ids_.find(std::string(name));
  if (known != ids_.end() && known->second != id.type_id && scope != nullptr &&
      !scope->Has(XLA_FFI_TypeId{known->second})) {
    ids_.erase(known);
    known = ids_.end();
  }
  if (known != ids_.end() && known->second != id.type_id) {
    return absl::AlreadyExistsError(
        absl::StrCat("Type name ", name, " already registered with type id ", known->second,
                     id.type_id == 0 ? std::string() : absl::StrCat(" vs ", id.type_id)));
  }
  const auto other = types_.find(id.type_id);
  if (other != types_.end() && other->second.name != name) {
    return absl::AlreadyExistsError(absl::StrCat("type name ", name, " comes with type id ",
                                                 id.type_id, ", which is that of type ",
                                                 other->second.name));
  }
  if (id.type_id == 0) id.type_id = next_id_;
  if (id.type_id >= next_id_ && id.type_id < kLastId) next_id_ = id.type_id + 1;
  ids_.emplace(name, id.type_id);
  const auto [entry, is_new] =
      types_.emplace(id.type_id, RegisteredType{std::string(name), nullptr});
  if (is_new && scope != nullptr) scope->Add(id);
  RegisteredType& type = entry->second;
  if (info != nullptr && info->deleter != nullptr) type.deleter = info->deleter;
  return absl::OkStatus();
}

XLA_FFI_TypeId TypeRegistry::FindId(absl::string_view name) const {
  const TableLock lock;
  const auto known = ids_.find(std::string(name));
  return {known != ids_.end() ? known->second : 0};
}

void TypeRegistry::Forget(XLA_FFI_TypeId id) {
  const TableLock lock;
  const auto found = types_.find(id.type_id);
  if (found == types_.end()) return;
  const auto name = ids_.find(found->second.name);
  if (name != ids_.end() && name->second == id.type_id) ids_.erase(name);
  types_.erase(found);
}

absl::optional<RegisteredType> TypeRegistry::Find(XLA_FFI_TypeId id) const {
  const TableLock lock;
  auto found = types_.find(id.type_id);
  if (found == types_.end()) return absl::nullopt;
  return found->second;
}

}  // namespace host
}  // namespace callbridge
