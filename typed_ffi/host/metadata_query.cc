#include "callbridge/typed_ffi/host/metadata_query.h"

#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/call_handler.h"
#include "callbridge/typed_ffi/old_layouts.h"

namespace callbridge {
namespace host {
namespace {

using typed_ffi::RuntimeVersion;

// Detects writes to the state type id of a version that has none.
constexpr int64_t kUntouched = 0x5ca1ab1e;

absl::Status CheckVersion(const RuntimeVersion& version, const HandlerMetadata& metadata) {
  const int minor = metadata.minor_version;
  if (AcceptsHandlers(version, metadata.major_version, minor)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "FFI handler's API version (", metadata.major_version, ".", minor,
      ") does not match the framework's: ", version.releases, " takes ", XLA_FFI_API_MAJOR, ".",
      int{version.oldest_handler}, " to ", XLA_FFI_API_MAJOR, ".", int{version.minor}));
}

}  // namespace

absl::StatusOr<HandlerMetadata> QueryMetadata(const RuntimeVersion& version,
                                              XLA_FFI_Handler* handler) {
  if (version.metadata_size == 0) {
    return HandlerMetadata{XLA_FFI_API_MAJOR, version.minor, 0, XLA_FFI_UNKNOWN_TYPE_ID};
  }
  const bool has_state_type = version.metadata_size == sizeof(XLA_FFI_Metadata);
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  metadata.state_type_id.type_id = has_state_type ? 0 : kUntouched;
  XLA_FFI_Metadata_Extension extension = {};
  extension.extension_base = {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata,
                              nullptr};
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = version.null_api_in_query ? nullptr : &ApiTable(version);
  frame.stage = static_cast<XLA_FFI_ExecutionStage>(version.execute);

  absl::Status asked = CallHandler(handler, frame);
  if (!asked.ok()) {
    return absl::Status(asked.code(),
                        absl::StrCat("Fetching XLA FFI metadata failed: ", asked.message()));
  }
  const HandlerMetadata answer = {metadata.api_version.major_version,
                                  metadata.api_version.minor_version, metadata.traits,
                                  has_state_type ? metadata.state_type_id : XLA_FFI_TypeId{0}};
  absl::Status checked = CheckVersion(version, answer);
  if (!checked.ok()) return checked;
  if (!has_state_type && metadata.state_type_id.type_id != kUntouched) {
    return absl::InternalError(
        absl::StrCat("the handler wrote XLA_FFI_Metadata.state_type_id, which XLA FFI 0.",
                     int{version.minor}, " does not have: it would overrun the runtime's object"));
  }
  return answer;
}

absl::StatusOr<HandlerMetadata> QueryMetadata(const RuntimeVersion& version,
                                              const XLA_FFI_Handler_Bundle& handlers) {
  absl::StatusOr<HandlerMetadata> execute = QueryMetadata(version, handlers.execute);
  if (!execute.ok() || version.null_api_in_query || handlers.instantiate == nullptr) return execute;
  absl::StatusOr<HandlerMetadata> instantiate = QueryMetadata(version, handlers.instantiate);
  if (!instantiate.ok()) return instantiate.status();
  execute->traits |= instantiate->traits;
  execute->state_type = instantiate->state_type;
  return execute;
}

}  // namespace host
}  // namespace callbridge
