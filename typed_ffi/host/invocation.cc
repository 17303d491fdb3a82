#include "callbridge/typed_ffi/host/invocation.h"

#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/attributes.h"

namespace callbridge {
namespace host {

Invocation& Invocation::OfNothing() {
  static auto& nothing = *new Invocation({}, {});
  return nothing;
}

// The texts begin as XLA's do.

absl::StatusOr<void*> Invocation::Stream() const {
  if (lent_.stream.has_value()) return *lent_.stream;
  return absl::UnimplementedError("XLA FFI GPU stream is not available: the call was lent none");
}

absl::StatusOr<int32_t> Invocation::DeviceOrdinal() const {
  if (lent_.device_ordinal.has_value()) return *lent_.device_ordinal;
  return absl::FailedPreconditionError(
      "XLA FFI device ordinal is not available: the call was given none");
}

absl::StatusOr<int64_t> Invocation::RunId() const {
  if (lent_.run_id.has_value()) return *lent_.run_id;
  return absl::FailedPreconditionError("XLA FFI run id is not available: the call was given none");
}

absl::StatusOr<ThreadPool*> Invocation::Threads() const {
  if (lent_.thread_pool != nullptr) return lent_.thread_pool;
  return absl::UnimplementedError(
      "No intra-op thread pool available on this platform: the call was lent none");
}

absl::StatusOr<void*> Invocation::FindUserData(XLA_FFI_TypeId type) const {
  for (const UserData& user_data : lent_.user_data) {
    if (user_data.type.type_id == type.type_id) return user_data.data;
  }
  return absl::NotFoundError(
      absl::StrCat("User data with type id ", type.type_id, " not found in execution context"));
}

const XLA_FFI_Extension* Invocation::FindExtension(int64_t type) const {
  const XLA_FFI_Extension* extension = lent_.extensions;
  while (extension != nullptr && extension->id.extension_type != type) extension = extension->next;
  return extension;
}

const XLA_FFI_Attrs& Invocation::CustomOptions() const {
  return lent_.custom_options != nullptr ? *lent_.custom_options : EncodedAttributes::None();
}

HandlerState* Invocation::StateOf(XLA_FFI_ExecutionStage stage) const {
  switch (stage) {
    case XLA_FFI_ExecutionStage_INSTANTIATE:
      return states_.instantiate;
    case XLA_FFI_ExecutionStage_PREPARE:
      return states_.prepare;
    case XLA_FFI_ExecutionStage_INITIALIZE:
      return states_.initialize;
    default:
      return nullptr;
  }
}

absl::Status Invocation::SetState(XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type, void* state,
                                  void (*deleter)(void*)) {
  HandlerState* const kept = StateOf(stage);
  if (stage != stage_ || kept == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("State of stage ", stage, " cannot be set at stage ", stage_,
                     ": a stage sets its own state, and EXECUTE and RECORD have none"));
  }
  return kept->Set(type, state, deleter);
}

absl::StatusOr<void*> Invocation::GetState(XLA_FFI_ExecutionStage stage,
                                           XLA_FFI_TypeId type) const {
  const HandlerState* const kept = StateOf(stage);
  if (kept == nullptr) return absl::NotFoundError("State is not set");
  return kept->Get(type);
}

}  // namespace host
}  // namespace callbridge
