#include "callbridge/adapters/probe_api.h"

#include <cstddef>
#include <utility>

#include "callbridge/typed_ffi/api_table_builder.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

using MadeThrough = ProbeApi::MadeThrough;
using typed_ffi::ApiFunction;
using typed_ffi::ApiSlot;
using typed_ffi::kNewestVersion;
using typed_ffi::kOldestVersion;

thread_local MadeThrough made_through = MadeThrough::kNothing;
char the_error;  // the object of every XLA_FFI_Error*, which handlers never read

template <MadeThrough kSlot>
XLA_FFI_Error* NoteError(XLA_FFI_Error_Create_Args*) {
  made_through = kSlot;
  return reinterpret_cast<XLA_FFI_Error*>(&the_error);
}

// In all other slots, such as Type_Register's.
XLA_FFI_Error* DoNothing(void*) { return nullptr; }

}  // namespace

ProbeApi::ProbeApi(int minor) {
  slots_.fill(&DoNothing);
  WriteApiTable(slots_.data(), kNewestVersion, [](ApiFunction function) -> ApiSlot {
    if (function != ApiFunction::kErrorCreate) return &DoNothing;
    return &NoteError<MadeThrough::kTableWithVersion>;
  });
  SlotAt(slots_.data(), offsetof(XLA_FFI_Api, struct_size)) = ApiSlot(sizeof(slots_));
  WriteApiVersion(slots_.data(), XLA_FFI_API_MAJOR, minor);
  // In a table with a version this slot is the version's extension_start.
  SlotOf(slots_.data(), kOldestVersion, ApiFunction::kErrorCreate) =
      &NoteError<MadeThrough::kTableWithoutVersion>;
}

MadeThrough ProbeApi::TakeMadeThrough() {
  return std::exchange(made_through, MadeThrough::kNothing);
}

}  // namespace callbridge
