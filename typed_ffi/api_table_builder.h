// Builds XLA FFI API tables in the layout of any row of runtime_versions.h, from a function that
// returns the C function for each ApiFunction:
//
//   constexpr ApiSlot FunctionFor(ApiFunction function) {
//     switch (function) {
//       case ApiFunction::kErrorCreate:
//         return &CreateError;
//       ...
//     }
//     return {};
//   }
//   static constexpr ApiTable kTable = MakeApiTable(kNewestVersion, &FunctionFor);
//   frame.api = kTable.get();
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_API_TABLE_BUILDER_H_
#define CALLBRIDGE_TYPED_FFI_API_TABLE_BUILDER_H_

#include <stddef.h>

#include <type_traits>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
namespace typed_ffi {
inline namespace v1 {

// Eight bytes of an API table: its size, null, the two numbers of its version, or a function. A
// union with a member for each type in c_api.h, so that a table can be built while compiling.
union ApiSlot {
  constexpr ApiSlot() : size(0) {}
  constexpr explicit ApiSlot(size_t number) : size(number) {}
  constexpr ApiSlot(int major, int minor) : version{major, minor} {}

  constexpr ApiSlot(XLA_FFI_Error_Create* f) : error_create(f) {}
  constexpr ApiSlot(XLA_FFI_Error_GetDetails* f) : error_get_details(f) {}
  constexpr ApiSlot(XLA_FFI_Error_Destroy* f) : error_destroy(f) {}
  constexpr ApiSlot(XLA_FFI_Handler_Register* f) : handler_register(f) {}
  constexpr ApiSlot(XLA_FFI_Stream_Get* f) : stream_get(f) {}
  constexpr ApiSlot(XLA_FFI_Type_Register* f) : type_register(f) {}
  constexpr ApiSlot(XLA_FFI_InvokeContext_Get* f) : invoke_context_get(f) {}
  constexpr ApiSlot(XLA_FFI_State_Set* f) : state_set(f) {}
  constexpr ApiSlot(XLA_FFI_State_Get* f) : state_get(f) {}
  constexpr ApiSlot(XLA_FFI_DeviceMemory_Allocate* f) : device_memory_allocate(f) {}
  constexpr ApiSlot(XLA_FFI_DeviceMemory_Free* f) : device_memory_free(f) {}
  constexpr ApiSlot(XLA_FFI_ThreadPool_Schedule* f) : thread_pool_schedule(f) {}
  constexpr ApiSlot(XLA_FFI_ThreadPool_NumThreads* f) : thread_pool_num_threads(f) {}
  constexpr ApiSlot(XLA_FFI_Future_Create* f) : future_create(f) {}
  constexpr ApiSlot(XLA_FFI_Future_SetAvailable* f) : future_set_available(f) {}
  constexpr ApiSlot(XLA_FFI_Future_SetError* f) : future_set_error(f) {}
  constexpr ApiSlot(XLA_FFI_RunId_Get* f) : run_id_get(f) {}
  constexpr ApiSlot(XLA_FFI_DeviceOrdinal_Get* f) : device_ordinal_get(f) {}
  constexpr ApiSlot(XLA_FFI_InvokeContext_FindExtension* f) : find_extension(f) {}
  constexpr ApiSlot(XLA_FFI_CustomOptions_Get* f) : custom_options_get(f) {}
  // A function of any other type, such as those of old_layouts.h. Not while compiling.
  template <typename Function, typename = std::enable_if_t<std::is_function_v<Function>>>
  ApiSlot(Function* f) : other(reinterpret_cast<void (*)()>(f)) {}

  size_t size;
  int version[2];  // major, minor
  XLA_FFI_Error_Create* error_create;
  XLA_FFI_Error_GetDetails* error_get_details;
  XLA_FFI_Error_Destroy* error_destroy;
  XLA_FFI_Handler_Register* handler_register;
  XLA_FFI_Stream_Get* stream_get;
  XLA_FFI_Type_Register* type_register;
  XLA_FFI_InvokeContext_Get* invoke_context_get;
  XLA_FFI_State_Set* state_set;
  XLA_FFI_State_Get* state_get;
  XLA_FFI_DeviceMemory_Allocate* device_memory_allocate;
  XLA_FFI_DeviceMemory_Free* device_memory_free;
  XLA_FFI_ThreadPool_Schedule* thread_pool_schedule;
  XLA_FFI_ThreadPool_NumThreads* thread_pool_num_threads;
  XLA_FFI_Future_Create* future_create;
  XLA_FFI_Future_SetAvailable* future_set_available;
  XLA_FFI_Future_SetError* future_set_error;
  XLA_FFI_RunId_Get* run_id_get;
  XLA_FFI_DeviceOrdinal_Get* device_ordinal_get;
  XLA_FFI_InvokeContext_FindExtension* find_extension;
  XLA_FFI_CustomOptions_Get* custom_options_get;
  void (*other)();
};
static_assert(sizeof(ApiSlot) == 8 && sizeof(XLA_FFI_Api) % sizeof(ApiSlot) == 0);

// Returns the slot at a byte offset of a table.
constexpr ApiSlot& SlotAt(ApiSlot* table, size_t offset) { return table[offset / sizeof(ApiSlot)]; }

// Returns the slot of `function` in a table with the layout of `version`, which must have it.
constexpr ApiSlot& SlotOf(ApiSlot* table, const RuntimeVersion& version, ApiFunction function) {
  return SlotAt(table, version.slots[static_cast<int>(function)]);
}

// Writes the API version of a table, which must be of a row that has one.
constexpr void WriteApiVersion(ApiSlot* table, int major, int minor) {
  constexpr size_t kVersion = offsetof(XLA_FFI_Api, api_version);
  SlotAt(table, kVersion) = ApiSlot(size_t{XLA_FFI_Api_Version_STRUCT_SIZE});
  SlotAt(table, kVersion + offsetof(XLA_FFI_Api_Version, extension_start)) = ApiSlot();
  SlotAt(table, kVersion + offsetof(XLA_FFI_Api_Version, major_version)) = ApiSlot(major, minor);
}

// Writes the API table of `version`: the size and API version that it states, and the result of
// `function_for(ApiFunction)` for each function that it has. `table` must have room for
// `version.table_size` bytes; other slots are left as they are.
template <typename FunctionFor>
constexpr void WriteApiTable(ApiSlot* table, const RuntimeVersion& version,
                             FunctionFor function_for) {
  SlotAt(table, offsetof(XLA_FFI_Api, struct_size)) = ApiSlot(size_t{version.stated_size});
  SlotAt(table, offsetof(XLA_FFI_Api, extension_start)) = ApiSlot();
  if (version.table_has_version) WriteApiVersion(table, XLA_FFI_API_MAJOR, version.minor);
  for (int i = 0; i < kApiFunctionCount; ++i) {
    const auto function = static_cast<ApiFunction>(i);
    if (version.slots[i] != 0) SlotOf(table, version, function) = function_for(function);
  }
}

// Writes where the table ends, by which alone VersionOf() tells the row of API version 0.1 without
// futures. Does nothing for other rows. The table must stay where it is.
inline void WriteTableEnd(ApiSlot* table, const RuntimeVersion& version) {
  const bool has_futures = version.slots[static_cast<int>(ApiFunction::kFutureCreate)] != 0;
  if (version.metadata_size == 0 || has_futures) return;
  SlotAt(table, offsetof(XLA_FFI_Api, internal_api)) =
      ApiSlot(reinterpret_cast<size_t>(table) + version.table_size);
}

// A table with room for the layout of any row.
struct ApiTable {
  ApiSlot slots[sizeof(XLA_FFI_Api) / sizeof(ApiSlot)] = {};

  const XLA_FFI_Api* get() const { return reinterpret_cast<const XLA_FFI_Api*>(slots); }
};

// Returns the table that WriteApiTable() writes. Slots that the row does not have are null.
template <typename FunctionFor>
constexpr ApiTable MakeApiTable(const RuntimeVersion& version, FunctionFor function_for) {
  ApiTable table;
  WriteApiTable(table.slots, version, function_for);
  return table;
}

}  // namespace v1
}  // namespace typed_ffi
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_TYPED_FFI_API_TABLE_BUILDER_H_
