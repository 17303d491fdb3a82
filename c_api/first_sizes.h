// How large the structs of callbridge.h, callbridge_ffi.h and callbridge_pjrt.h were in their first
// version, which is what the oldest callers pass and no later version may ask more of.
//
// Frozen. Appending a field to a struct changes nothing here. Where a size follows from a field,
// the field is the last one of the first version, and what stands behind it was appended.
#ifndef CALLBRIDGE_C_API_FIRST_SIZES_H_
#define CALLBRIDGE_C_API_FIRST_SIZES_H_

#include <cstddef>

#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/callbridge_pjrt.h"

namespace callbridge {

// In bytes.
template <typename Struct>
inline constexpr size_t kFirstSize = Struct::has_no_first_version;

// Where a field of type Field at `offset` ends, and with it a struct that it is the last field of.
template <typename Struct, typename Field>
constexpr size_t EndOf(Field Struct::*, size_t offset) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): of a field that is a pointer, that pointer's size
  return (offset + sizeof(Field) + alignof(Struct) - 1) / alignof(Struct) * alignof(Struct);
}

template <>
inline constexpr size_t kFirstSize<callbridge_target> = 48;
static_assert(kFirstSize<callbridge_target> ==
              EndOf(&callbridge_target::evidence, offsetof(callbridge_target, evidence)));

template <>
inline constexpr size_t kFirstSize<callbridge_target_abi> = 40;
static_assert(kFirstSize<callbridge_target_abi> ==
              EndOf(&callbridge_target_abi::enumerator,
                    offsetof(callbridge_target_abi, enumerator)));

template <>
inline constexpr size_t kFirstSize<callbridge_site> = 56;
static_assert(kFirstSize<callbridge_site> ==
              EndOf(&callbridge_site::opaque_size, offsetof(callbridge_site, opaque_size)));

template <>
inline constexpr size_t kFirstSize<callbridge_execution_context> = 16;
static_assert(kFirstSize<callbridge_execution_context> ==
              EndOf(&callbridge_execution_context::stream,
                    offsetof(callbridge_execution_context, stream)));

template <>
inline constexpr size_t kFirstSize<callbridge_entry_points> = 24;
static_assert(kFirstSize<callbridge_entry_points> ==
              EndOf(&callbridge_entry_points::typed, offsetof(callbridge_entry_points, typed)));

template <>
inline constexpr size_t kFirstSize<callbridge_ffi_handlers> = 48;
static_assert(kFirstSize<callbridge_ffi_handlers> ==
              EndOf(&callbridge_ffi_handlers::record, offsetof(callbridge_ffi_handlers, record)));

template <>
inline constexpr size_t kFirstSize<callbridge_ffi_thread_pool> = 32;
static_assert(kFirstSize<callbridge_ffi_thread_pool> ==
              EndOf(&callbridge_ffi_thread_pool::num_threads,
                    offsetof(callbridge_ffi_thread_pool, num_threads)));

template <>
inline constexpr size_t kFirstSize<callbridge_ffi_scratch> = 32;
static_assert(kFirstSize<callbridge_ffi_scratch> ==
              EndOf(&callbridge_ffi_scratch::free, offsetof(callbridge_ffi_scratch, free)));

template <>
inline constexpr size_t kFirstSize<callbridge_runtime_services> = 88;
static_assert(kFirstSize<callbridge_runtime_services> ==
              EndOf(&callbridge_runtime_services::extensions,
                    offsetof(callbridge_runtime_services, extensions)));

template <>
inline constexpr size_t kFirstSize<callbridge_pjrt_options> = 24;
static_assert(kFirstSize<callbridge_pjrt_options> ==
              EndOf(&callbridge_pjrt_options::command_buffer_compatible,
                    offsetof(callbridge_pjrt_options, command_buffer_compatible)));

// Handed out, so that callers check it; destroyed by who made it.
template <>
inline constexpr size_t kFirstSize<callbridge_error> = 32;
static_assert(kFirstSize<callbridge_error> ==
              EndOf(&callbridge_error::message_size, offsetof(callbridge_error, message_size)));

// Has no struct_size, since it is passed in lists: it never grows.
static_assert(sizeof(callbridge_array) == 16 && offsetof(callbridge_array, data) == 0 &&
              offsetof(callbridge_array, size_bytes) == 8);

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_FIRST_SIZES_H_
