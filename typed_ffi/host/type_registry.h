// The types of state and user data that handlers register: an id for each name, and from XLA FFI
// 0.2 on how to end an object of it.
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
  void (*deleter)(void* object);  // null where nobody has said
};

class RegistrationScope;

// Thread-safe.
class TypeRegistry {
 public:
  // The one that every API table of this process serves: a library keeps a type's id in one
  // variable, whichever table it is registered with.
  static TypeRegistry& OfProcess();

  // Whether an id was given out here: above all that XLA gives out, so that a type's variable tells
  // whose it is.
  static bool GaveOut(XLA_FFI_TypeId id) { return id.type_id >= kFirstId; }

  // Gives `name` a new id, written to `id`, where that is XLA_FFI_UNKNOWN_TYPE_ID. Where it is not,
  // `name` gets that very id, which is how a type that has one is registered once more. `info` may
  // be null.
  //
  // ALREADY_EXISTS where `name` has another id, or the id another name. INVALID_ARGUMENT for an
  // empty name or an id below 0. Within a RegistrationScope the types of other libraries give up
  // their names; outside of one, whose owner says when what it gathered is unloaded, the library
  // that holds the deleter stays loaded for good.
  absl::Status Register(absl::string_view name, XLA_FFI_TypeId& id, const XLA_FFI_TypeInfo* info);

  // Forgets a type whose library is about to be unloaded.
  void Forget(XLA_FFI_TypeId id);

  // Nothing where no type has that id.
  absl::optional<RegisteredType> Find(XLA_FFI_TypeId id) const;

 private:
  static constexpr int64_t kFirstId = int64_t{1} << 40;

  absl::Status Add(absl::string_view name, XLA_FFI_TypeId& id, const XLA_FFI_TypeInfo* info,
                   RegistrationScope* scope);

  // All under the TableLock.
  int64_t next_id_ = kFirstId;
  std::map<std::string, int64_t> ids_;
  std::map<int64_t, RegisteredType> types_;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_TYPE_REGISTRY_H_
