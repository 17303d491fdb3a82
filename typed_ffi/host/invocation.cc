#include "callbridge/typed_ffi/host/invocation.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/attributes.h"

namespace callbridge {
namespace host {

Invocation& Invocation::OfNothing() {
  static auto& nothing = *new Invocation({}, {});
  return nothing;
}

absl::Status Invocation::Refuse(const char* what) const {
  refused_.store(what, std::memory_order_relaxed);
  return absl::UnimplementedError(absl::StrCat(what, ": ", services_.no_more->why));
}

absl::Status Invocation::OutcomeOfFailure(absl::Status status) const {
  const char* const refused = refused_.load(std::memory_order_relaxed);
  if (refused == nullptr) return status;
  if (absl::StrContains(status.message(), services_.no_more->why)) {
    return absl::UnimplementedError(status.message());
  }
  return absl::UnimplementedError(
      absl::StrCat(status.message(), " (", refused, ": ", services_.no_more->why, ")"));
}

// The messages start like XLA's.

absl::StatusOr<void*> Invocation::Stream() const {
  if (services_.stream.has_value()) return *services_.stream;
  static constexpr char kWhat[] = "XLA FFI GPU stream is not available";
  if (services_.no_more != nullptr) return Refuse(kWhat);
  return absl::UnimplementedError(absl::StrCat(kWhat, ": the caller provides none"));
}

absl::StatusOr<int32_t> Invocation::DeviceOrdinal() const {
  if (services_.device_ordinal.has_value()) return *services_.device_ordinal;
  static constexpr char kWhat[] = "XLA FFI device ordinal is not available";
  if (services_.no_more != nullptr) return FindDeviceOrdinal(kWhat);
  return absl::FailedPreconditionError(absl::StrCat(kWhat, ": the caller provides none"));
}

absl::StatusOr<int32_t> Invocation::FindDeviceOrdinal(const char* what) const {
  const auto find = services_.no_more->find_device_ordinal;
  if (find == nullptr || !services_.stream.has_value()) return Refuse(what);
  absl::StatusOr<int32_t> found = find(*services_.stream);
  if (found.ok()) return found;
  const absl::Status refused = Refuse(what);
  return absl::Status(
      refused.code(),
      absl::StrCat(refused.message(), "; nor does the driver say it: ", found.status().message()));
}

absl::StatusOr<int64_t> Invocation::RunId() const {
  if (services_.run_id.has_value()) return *services_.run_id;
  static constexpr char kWhat[] = "XLA FFI run id is not available";
  if (services_.no_more != nullptr) return Refuse(kWhat);
  return absl::FailedPreconditionError(absl::StrCat(kWhat, ": the caller provides none"));
}

absl::StatusOr<ThreadPool*> Invocation::Threads() const {
  if (services_.thread_pool != nullptr) return services_.thread_pool;
  static constexpr char kWhat[] = "No intra-op thread pool available on this platform";
  if (services_.no_more != nullptr) return Refuse(kWhat);
  return absl::UnimplementedError(absl::StrCat(kWhat, ": the caller provides none"));
}

absl::StatusOr<void*> Invocation::FindUserData(XLA_FFI_TypeId type) const {
  for (const UserData& user_data : services_.user_data) {
    if (user_data.type.type_id == type.type_id) return user_data.data;
  }
  if (services_.no_more != nullptr) return Refuse("XLA FFI user data is not available");
  return absl::NotFoundError(
      absl::StrCat("User data with type id ", type.type_id, " not found in execution context"));
}

absl::StatusOr<const XLA_FFI_Extension*> Invocation::FindExtension(int64_t type) const {
  const XLA_FFI_Extension* extension = services_.extensions;
  while (extension != nullptr && extension->id.extension_type != type) extension = extension->next;
  if (extension == nullptr && services_.no_more != nullptr) {
    return Refuse("No XLA FFI extension is available");
  }
  return extension;
}

absl::StatusOr<const XLA_FFI_Attrs*> Invocation::CustomOptions() const {
  if (services_.custom_options != nullptr) return services_.custom_options;
  if (services_.no_more != nullptr) return Refuse("XLA FFI custom options are not available");
  return &EncodedAttributes::None();
}

absl::StatusOr<void*> Invocation::AllocateScratch(size_t size, size_t alignment) {
  if (services_.scratch == nullptr && services_.no_more != nullptr) {
    return Refuse("No device memory allocator available on this platform");
  }
  return scratch_.Allocate(size, alignment);
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
