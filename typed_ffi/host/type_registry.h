// The types of state and user data that handlers register: an id for each name and, since XLA FFI
// 0.2, a deleter.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_TYPE_REGISTRY_H_
#define CALLBRIDGE_TYPED_FFI_HOST_TYPE_REGISTRY_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

struct RegisteredType {
  std::string name;
  void (*deleter)(void* object);  // null if not registered
};

class RegistrationScope;

// Thread-safe.
class TypeRegistry {
 public:
  // Returns the registry that every API table of this process shares: a library keeps a type's id
  // in one variable, whichever table it registers it with.
  static TypeRegistry& OfProcess();

  // Whether callbridge gave out an id: its ids are above all that XLA gives out.
  static bool Issued(XLA_FFI_TypeId id) { return id.type_id >= kFirstId; }

  // Writes a new id for `name` to `id` if that is XLA_FFI_UNKNOWN_TYPE_ID. Otherwise gives `name`
  // that id, to register a type once more that has one. `info` may be null.
  //
  // Returns ALREADY_EXISTS if `name` has another id, or the id another name, and INVALID_ARGUMENT
  // for an empty name or an id below 0. Within a RegistrationScope the types of other libraries
  // give up their names; outside of one, the library that holds the deleter stays loaded for good.
  absl::Status Register(absl::string_view name, XLA_FFI_TypeId& id, const XLA_FFI_TypeInfo* info);

  // Returns the id of the type that is registered under `name`; 0 if none is.
  XLA_FFI_TypeId FindId(absl::string_view name) const;

  // Removes a type before its library is unloaded.
  void Forget(XLA_FFI_TypeId id);

  // Returns nullopt if no type has that id.
  absl::optional<RegisteredType> Find(XLA_FFI_TypeId id) const;

 private:
  static constexpr int64_t kFirstId = int64_t{1} << 40;

  absl::Status Add(absl::string_view name, XLA_FFI_TypeId& id, const XLA_FFI_TypeInfo* info,
                   RegistrationScope* scope);

  // Guarded by the TableLock.
  int64_t next_id_ = kFirstId;
  std::map<std::string, int64_t> ids_;
  std::map<int64_t, RegisteredType> types_;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_TYPE_REGISTRY_H_
