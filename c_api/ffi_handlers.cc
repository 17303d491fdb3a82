#include "callbridge/c_api/ffi_handlers.h"

#include "absl/strings/str_cat.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/host/type_registry.h"

namespace callbridge {
namespace {

using host::RegisteredHandler;
using typed_ffi::kNewestVersion;

XLA_FFI_Handler* FromC(callbridge_ffi_handler* handler) {
  return reinterpret_cast<XLA_FFI_Handler*>(handler);
}
callbridge_ffi_handler* ToC(XLA_FFI_Handler* handler) {
  return reinterpret_cast<callbridge_ffi_handler*>(handler);
}

}  // namespace

absl::StatusOr<XLA_FFI_Handler_Bundle> FromC(const callbridge_ffi_handlers& handlers) {
  absl::Status size = CheckStructSize("callbridge_ffi_handlers", handlers);
  if (!size.ok()) return size;
  if (handlers.execute == nullptr) {
    return absl::InvalidArgumentError("callbridge_ffi_handlers.execute is null");
  }
  return XLA_FFI_Handler_Bundle{FromC(handlers.instantiate), FromC(handlers.prepare),
                                FromC(handlers.initialize), FromC(handlers.execute),
                                FromC(handlers.record)};
}

XLA_FFI_Handler_Traits TraitsOf(const callbridge_ffi_handlers& handlers) {
  return KnowsField(handlers, handlers.traits) ? handlers.traits : 0;
}

absl::Status ToC(const XLA_FFI_Handler_Bundle& handlers, XLA_FFI_Handler_Traits traits,
                 callbridge_ffi_handlers* out) {
  absl::Status size = CheckStructSize("callbridge_ffi_handlers", *out);
  if (!size.ok()) return size;
  out->instantiate = ToC(handlers.instantiate);
  out->prepare = ToC(handlers.prepare);
  out->initialize = ToC(handlers.initialize);
  out->execute = ToC(handlers.execute);
  out->record = ToC(handlers.record);
  if (KnowsField(*out, out->traits)) out->traits = traits;
  return absl::OkStatus();
}

absl::Status CheckAligned(const int64_t* type_id) {
  const auto address = reinterpret_cast<uintptr_t>(type_id);
  if (address % alignof(int64_t) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("type_id is ", address,
                                                 ", but must be the address of an int64_t, which "
                                                 "is a multiple of ",
                                                 alignof(int64_t)));
}

}  // namespace callbridge

using callbridge::WithoutExceptions;
using callbridge::host::RegisteredHandler;
using callbridge::host::RegistryOf;
using callbridge::typed_ffi::kNewestVersion;

callbridge_error* callbridge_ffi_visit_handlers(callbridge_ffi_handler_visitor* visit, void* user) {
  return WithoutExceptions({{"visit", visit}}, [&] {
    for (const RegisteredHandler& handler : RegistryOf(kNewestVersion).List()) {
      callbridge_ffi_handlers handlers = {};
      handlers.struct_size = sizeof(handlers);
      absl::Status written = callbridge::ToC(handler.handlers, handler.traits, &handlers);
      if (!written.ok()) return written;
      visit(user, handler.name.c_str(), handler.platform.c_str(), &handlers, handler.traits);
    }
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_find_handlers(const char* name, const char* platform,
                                               callbridge_ffi_handlers* handlers) {
  return WithoutExceptions({{"name", name}, {"platform", platform}, {"handlers", handlers}}, [&] {
    absl::StatusOr<RegisteredHandler> found = RegistryOf(kNewestVersion).Find(name, platform);
    return found.ok() ? callbridge::ToC(found->handlers, found->traits, handlers) : found.status();
  });
}

callbridge_error* callbridge_ffi_register_type(const char* name, int64_t* type_id,
                                               void (*deleter)(void*)) {
  return WithoutExceptions({{"name", name}, {"type_id", type_id}}, [&] {
    absl::Status checked = callbridge::CheckAligned(type_id);
    if (!checked.ok()) return checked;
    const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, deleter};
    return callbridge::host::TypeRegistry::OfProcess().Register(
        name, *reinterpret_cast<XLA_FFI_TypeId*>(type_id), &info);
  });
}
