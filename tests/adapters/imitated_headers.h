// Handlers made by hand that answer as those of XLA's headers of each version do before they decode
// anything, so that every version is there whatever headers this build has. What they do then is
// the test's.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_IMITATED_HEADERS_H_
#define CALLBRIDGE_TESTS_ADAPTERS_IMITATED_HEADERS_H_

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge::imitated {

using typed_ffi::ApiFunction;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;

// What they say to the metadata query, but for the version.
struct Says {
  XLA_FFI_Handler_Traits traits = 0;
  XLA_FFI_TypeId state_type_id = {0};
  bool type_is_missing = false;
};
inline Says says;

// What they do in a call.
inline std::function<XLA_FFI_Error*(XLA_FFI_CallFrame*)> in_the_call;

inline XLA_FFI_Error* MakeError(const XLA_FFI_Api& api, const RuntimeVersion& headers,
                                const char* text,
                                XLA_FFI_Error_Code code = XLA_FFI_Error_Code_INVALID_ARGUMENT) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, text, code};
  return typed_ffi::FunctionAt<XLA_FFI_Error_Create>(api, headers,
                                                     ApiFunction::kErrorCreate)(&args);
}

// Of headers with the layouts of `headers` that say that they are of version `major`.`minor`.
inline XLA_FFI_Error* Call(const RuntimeVersion& headers, int major, int minor,
                           XLA_FFI_CallFrame* frame) {
  constexpr size_t kSmallestFrame = 168;
  if (frame->struct_size < kSmallestFrame) {
    return MakeError(*frame->api, headers, "Unexpected XLA_FFI_CallFrame size");
  }
  const bool checks_version = &headers == &kRuntimeVersions[1];
  if (checks_version && frame->api->api_version.minor_version != minor) {
    return MakeError(*frame->api, headers, "API minor version mismatch");
  }
  for (auto* e = frame->extension_start; e != nullptr && headers.metadata_size != 0; e = e->next) {
    if (e->type != XLA_FFI_Extension_Metadata) continue;
    XLA_FFI_Metadata& metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension*>(e)->metadata;
    metadata.api_version.major_version = major;
    metadata.api_version.minor_version = minor;
    metadata.traits = says.traits;
    if (headers.metadata_size < sizeof(XLA_FFI_Metadata)) return nullptr;
    if (says.type_is_missing) return MakeError(*frame->api, headers, "the type has no id");
    metadata.state_type_id = says.state_type_id;
    return nullptr;
  }
  if (frame->args.size < 0 || frame->rets.size < 0) {
    return MakeError(*frame->api, headers, "Wrong number of arguments");
  }
  return in_the_call ? in_the_call(frame) : nullptr;
}

// `number` makes several of one version.
template <int row, int number = 0>
XLA_FFI_Error* Handler(XLA_FFI_CallFrame* frame) {
  return Call(kRuntimeVersions[row], 0, kRuntimeVersions[row].minor, frame);
}

template <int... rows>
constexpr std::array<XLA_FFI_Handler*, sizeof...(rows)> AllHandlers(
    std::integer_sequence<int, rows...>) {
  return {&Handler<rows>...};
}
// By rows of kRuntimeVersions.
inline constexpr auto kHandlers =
    AllHandlers(std::make_integer_sequence<int, kRuntimeVersionCount>());

// Of the rows of version 0.1 nobody can tell which it is; they are taken for the last.
constexpr int RowTakenFor(int row) {
  while (row + 1 < kRuntimeVersionCount && kRuntimeVersions[row].minor == 1 &&
         kRuntimeVersions[row + 1].minor == 1) {
    ++row;
  }
  return row;
}

}  // namespace callbridge::imitated

#endif  // CALLBRIDGE_TESTS_ADAPTERS_IMITATED_HEADERS_H_
