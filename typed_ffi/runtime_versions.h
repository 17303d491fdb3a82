// The XLA FFI versions that runtimes speak, and all that differs between them, as data: where the
// API table has which function, which number a stage has, which layout state is passed in. Who
// writes handlers (binding/), who calls them (host/) and who translates (adapters/cross_version/)
// read it here and nowhere else.
//
// Facts: measured on jaxlib 0.4.30 to 0.12.0.1 and read off the genuine headers of each, which
// tests/typed_ffi compares with this table. A new version of XLA is one more row.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_RUNTIME_VERSIONS_H_
#define CALLBRIDGE_TYPED_FFI_RUNTIME_VERSIONS_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "callbridge/typed_ffi/c_api.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
namespace typed_ffi {
inline namespace v1 {

// What the API table may offer. `kUserData` is ExecutionContext_Get, later InvokeContext_Get.
enum class ApiFunction : uint8_t {
  kErrorCreate,
  kErrorGetMessage,
  kErrorGetDetails,
  kErrorDestroy,
  kHandlerRegister,
  kStream,
  kTypeIdRegister,
  kTypeRegister,
  kUserData,
  kStateSet,
  kStateGet,
  kScratchAllocate,
  kScratchFree,
  kThreadPoolSchedule,
  kThreadPoolNumThreads,
  kFutureCreate,
  kFutureSetAvailable,
  kFutureSetError,
  kRunId,
  kDeviceOrdinal,
  kExtensions,
  kCustomOptions,
};
inline constexpr int kApiFunctionCount = 22;

// Which struct State_Set and State_Get take; old_layouts.h has those that are gone.
enum class StateLayout : uint8_t {
  kNone,          // there is no state
  kWithDeleter,   // Set {ctx, type_id, state, deleter}, Get {ctx, type_id, state}
  kTypedDeleter,  // Set {ctx, type_id, state}: the deleter comes with the type
  kStaged,        // Set and Get {ctx, stage, type_id, state}
};

inline constexpr int8_t kNoStage = -1;

struct RuntimeVersion {
  // What a runtime of this row says of itself.
  uint8_t minor;         // of API version 0.minor
  uint8_t stated_size;   // Api.struct_size; from jaxlib 0.6.2 on it is the table's true size
  uint8_t table_size;    // the table's true size in bytes
  const char* releases;  // those known to be so
  // Offset in the API table of each function, in the order of ApiFunction; 0: there is none.
  uint8_t slots[kApiFunctionCount];
  // Numbers of the stages.
  int8_t instantiate, prepare, initialize, execute, record;
  StateLayout state;
  uint8_t bundle_size;     // of XLA_FFI_Handler_Bundle
  uint8_t metadata_size;   // of XLA_FFI_Metadata, that the metadata query lends; 0: it never asks
  bool null_api_in_query;  // the metadata query has no API table
  bool frame_has_future;   // a CallFrame ends in `future`
};

// clang-format off
inline constexpr RuntimeVersion kRuntimeVersions[] = {
    // slots: error: create, message, details, destroy; register; stream; type: id, info; user data;
    //        state: set, get; scratch: allocate, free; thread pool: schedule, number;
    //        future: create, available, error; run id, ordinal, extensions, options
    {0, 64, 96, "jaxlib 0.4.30",
     {24, 32, 0, 40, 48, 56, 64, 0, 72,   0,   0,  80,  88,   0,   0,   0,   0,   0,   0,   0,   0,   0},
     kNoStage, 0, 1, 2, kNoStage, StateLayout::kNone, 24, 0, true, false},
    {0, 88, 136, "jaxlib 0.4.31 to 0.4.33",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128,   0,   0,   0,   0,   0,   0,   0,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 0, true, false},
    {1, 88, 168, "jaxlib 0.4.34 to 0.4.37",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128, 136,   0, 144, 152, 160,   0,   0,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 40, true, true},
    {1, 88, 176, "jaxlib 0.4.38 to 0.5",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168,   0,   0,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 40, true, true},
    {1, 192, 192, "jaxlib 0.6 to 0.7",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 40, true, true},
    {2, 192, 192, "jaxlib 0.8 to 0.9",
     {48, 56, 0, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kTypedDeleter, 32, 48, false, true},
    {3, 192, 192, "jaxlib 0.10",
     {48, 56, 0, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kStaged, 32, 48, false, true},
    {4, 200, 200, "jaxlib 0.11",
     {48, 0, 56, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192,   0},
     0, 1, 2, 3, 4, StateLayout::kStaged, 40, 48, false, true},
    {5, 208, 208, "jaxlib 0.12",
     {48, 0, 56, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200},
     0, 1, 2, 3, 4, StateLayout::kStaged, 40, 48, false, true},
};
// clang-format on

// The two rows that say the same of themselves, see HasFutureCreateAt144().
inline constexpr int kFutureCreateAt144 = 2;
inline constexpr int kNumThreadsAt144 = 3;

inline constexpr int kRuntimeVersionCount = sizeof(kRuntimeVersions) / sizeof(RuntimeVersion);
inline constexpr const RuntimeVersion& kNewestVersion = kRuntimeVersions[kRuntimeVersionCount - 1];

// What `slots` may hold is a byte; a table that outgrows it needs a wider one.
static_assert(kNewestVersion.table_size == sizeof(XLA_FFI_Api), "the newest row is c_api.h's");

// The function at the slot of `which`, whose type the caller knows. Null where the row has none.
template <typename Function>
Function* FunctionAt(const XLA_FFI_Api& api, const RuntimeVersion& version, ApiFunction which) {
  const uint8_t offset = version.slots[static_cast<int>(which)];
  if (offset == 0) return nullptr;
  Function* function;
  memcpy(&function, reinterpret_cast<const char*>(&api) + offset, sizeof(function));
  return function;
}

// jaxlib 0.4.34 and 0.4.38 say the same of themselves, but 0.4.38 put NumThreads where
// Future_Create was. Both check the size of what they are given before anything else, and the
// error names the struct that they wanted. Costs an error object: ask only where it matters.
inline bool HasFutureCreateAt144(const XLA_FFI_Api& api, const RuntimeVersion& row_of_0_4_34) {
  XLA_FFI_Future_Create_Args too_small = {};
  auto* at_144 = FunctionAt<XLA_FFI_Error*(XLA_FFI_Future_Create_Args*)>(
      api, row_of_0_4_34, ApiFunction::kFutureCreate);
  XLA_FFI_Error* error = at_144(&too_small);
  if (error == nullptr) return false;
  struct GetMessageArgs {
    size_t struct_size;
    void* extension_start;
    XLA_FFI_Error* error;
    const char* message;
  } text = {sizeof(GetMessageArgs), nullptr, error, nullptr};
  FunctionAt<void(GetMessageArgs*)>(api, row_of_0_4_34, ApiFunction::kErrorGetMessage)(&text);
  const bool future_create =
      text.message != nullptr && strstr(text.message, "Future_Create") != nullptr;
  XLA_FFI_Error_Destroy_Args destroy = {sizeof(destroy), nullptr, error};
  FunctionAt<void(XLA_FFI_Error_Destroy_Args*)>(api, row_of_0_4_34,
                                                ApiFunction::kErrorDestroy)(&destroy);
  return future_create;
}

// The row of a runtime. Of the two that cannot be told apart by looking it gives jaxlib 0.4.38's,
// which differs from 0.4.34's only in slots from 144 on; VersionFor() tells them apart. A runtime
// newer than the table is taken for the newest of it, which is what its own promise of
// compatibility within a major version says.
inline const RuntimeVersion& VersionOf(const XLA_FFI_Api& api) {
  if (api.struct_size == kRuntimeVersions[0].stated_size) return kRuntimeVersions[0];
  const int minor = api.api_version.minor_version;
  for (int i = kRuntimeVersionCount - 1; i > 1; --i) {
    const RuntimeVersion& row = kRuntimeVersions[i];
    if (minor >= row.minor && api.struct_size >= row.stated_size) return row;
  }
  return kRuntimeVersions[1];
}

// Whether a frame is of the execute stage, for the hot path. No runtime has two stages of these
// numbers.
inline bool IsExecuteStage(const XLA_FFI_CallFrame& frame) {
  const int stage = static_cast<int>(frame.stage);
  return stage == kNewestVersion.execute ||
         (stage == kRuntimeVersions[0].execute &&
          frame.api->struct_size == kRuntimeVersions[0].stated_size);
}

// The row by which to use one function of a runtime.
inline const RuntimeVersion& VersionFor(const XLA_FFI_Api& api, ApiFunction function) {
  const RuntimeVersion& version = VersionOf(api);
  const RuntimeVersion& twin = kRuntimeVersions[kFutureCreateAt144];
  const int slot = static_cast<int>(function);
  if (&version != &kRuntimeVersions[kNumThreadsAt144] || version.slots[slot] == twin.slots[slot]) {
    return version;
  }
  return HasFutureCreateAt144(api, twin) ? twin : version;
}

// The oldest row that has a function, for the sentence that tells a user what is missing.
constexpr const RuntimeVersion& FirstWith(ApiFunction function) {
  for (const RuntimeVersion& row : kRuntimeVersions) {
    if (row.slots[static_cast<int>(function)] != 0) return row;
  }
  return kNewestVersion;
}

}  // namespace v1
}  // namespace typed_ffi
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_TYPED_FFI_RUNTIME_VERSIONS_H_
