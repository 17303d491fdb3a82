#include "callbridge/adapters/probe_api.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

using MadeThrough = ProbeApi::MadeThrough;
using typed_ffi::ApiFunction;
using typed_ffi::kRuntimeVersions;

thread_local MadeThrough made_through = MadeThrough::kNothing;
char the_error;  // what an XLA_FFI_Error* leads to; nobody looks inside

template <MadeThrough kSlot>
XLA_FFI_Error* MakeError(XLA_FFI_Error_Create_Args*) {
  made_through = kSlot;
  return reinterpret_cast<XLA_FFI_Error*>(&the_error);
}

// Every other slot: registers a type, for example.
XLA_FFI_Error* DoNothing(void*) { return nullptr; }

}  // namespace

template <typename T>
void ProbeApi::Put(size_t offset, T value) {
  std::memcpy(reinterpret_cast<char*>(slots_.data()) + offset, &value, sizeof(value));
}

ProbeApi::ProbeApi(int minor) {
  slots_.fill(reinterpret_cast<void*>(&DoNothing));
  Put(0, sizeof(slots_));
  Put(offsetof(XLA_FFI_Api, extension_start), nullptr);
  Put(offsetof(XLA_FFI_Api, api_version),
      XLA_FFI_Api_Version{XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, 0, minor});
  // Its version's own extension_start, which is null in the later tables, is in 0.4.30's the slot
  // that errors are made through.
  constexpr auto kErrorCreate = static_cast<int>(ApiFunction::kErrorCreate);
  Put(kRuntimeVersions[0].slots[kErrorCreate], &MakeError<MadeThrough::kSlotOf0430>);
  Put(kRuntimeVersions[1].slots[kErrorCreate], &MakeError<MadeThrough::kLaterSlot>);
}

MadeThrough ProbeApi::TakeMadeThrough() {
  return std::exchange(made_through, MadeThrough::kNothing);
}

}  // namespace callbridge
