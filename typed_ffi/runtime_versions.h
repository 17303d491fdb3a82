// The XLA FFI versions and all that differs between them, as a table: a row for each XLA whose API
// table, stages, structs or behavior differ from the one before. binding/, host/ and adapters/ read
// the fields of a row or call the functions below; no other file compares API versions or names a
// row by its index (tests/house/test_runtime_versions.py).
//
// Source: measured on jaxlib 0.4.30 to 0.12.0.1 and read off the genuine headers of each, which
// tests/typed_ffi compares with this table. To support a new XLA, add a row: a function that copies
// the row before and sets what differs, and its call in kRuntimeVersions.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_RUNTIME_VERSIONS_H_
#define CALLBRIDGE_TYPED_FFI_RUNTIME_VERSIONS_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <initializer_list>

#include "callbridge/typed_ffi/c_api.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
namespace typed_ffi {
inline namespace v1 {

// The functions of API tables. `kUserData` is ExecutionContext_Get, later InvokeContext_Get;
// `kExtensions` is InvokeContext_FindExtension.
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

// The structs that State_Set and State_Get take. old_layouts.h declares those of older runtimes.
enum class StateLayout : uint8_t {
  kNone,          // the runtime keeps no state
  kWithDeleter,   // Set {ctx, type_id, state, deleter}, Get {ctx, type_id, state}
  kTypedDeleter,  // Set {ctx, type_id, state}: the deleter comes with the type
  kStaged,        // Set and Get {ctx, stage, type_id, state}
};

inline constexpr int8_t kNoStage = -1;

struct RuntimeVersion {
  // What a runtime of this row says of itself.
  uint8_t minor;         // API version 0.`minor`
  uint8_t stated_size;   // XLA_FFI_Api.struct_size; the table's true size since jaxlib 0.6.2
  uint8_t table_size;    // the table's true size in bytes
  const char* releases;  // "jaxlib FIRST" or "jaxlib FIRST to LAST"
  // Offset of each function in the API table, in the order of ApiFunction; 0: not in the table.
  uint8_t slots[kApiFunctionCount];
  // Numbers of the stages, or kNoStage.
  int8_t instantiate, prepare, initialize, execute, record;
  StateLayout state;
  uint8_t bundle_size;     // sizeof(XLA_FFI_Handler_Bundle)
  uint8_t metadata_size;   // sizeof(XLA_FFI_Metadata); 0: the runtime has no metadata query
  uint8_t oldest_handler;  // accepts handlers of API versions 0.`oldest_handler` to 0.`minor`
  // What a runtime of this row has or does.
  bool table_has_version;   // the API table holds an XLA_FFI_Api_Version
  bool null_api_in_query;   // the metadata query's frame has no API table
  bool frame_has_future;    // XLA_FFI_CallFrame ends in `future`
  bool has_invoke_context;  // errors name XLA_FFI_InvokeContext; XLA_FFI_ExecutionContext before
  bool accepts_duplicates;  // registering the same handlers under the same name again succeeds
  // False: XLA:CPU passes no context and crashes in the functions for scratch memory, user data and
  // state.
  bool cpu_has_context;
  // The API table's size and version are those of the row before; see HasFutureCreateAt144().
  bool looks_like_previous;
  // What is true of handlers built with the headers of this row.
  bool headers_are_ambiguous;  // they answer all queries like those of other rows so marked
  // They run natively on this row and all later ones, and on no other; but see RunsNatively().
  bool headers_run_on_later;
};

// ---- Each row, by difference from the one before ------------------------------------------------

namespace rows {

// Adds a function at the end of the row's API table.
constexpr void Append(RuntimeVersion& row, ApiFunction function) {
  row.slots[static_cast<int>(function)] = row.table_size;
  row.table_size = static_cast<uint8_t>(row.table_size + sizeof(void*));
}

// Moves the table from byte `offset` on, up to its end, by `size` bytes.
constexpr void MakeRoom(RuntimeVersion& row, uint8_t offset, size_t size) {
  for (uint8_t& slot : row.slots) {
    if (slot != 0 && slot >= offset) slot = static_cast<uint8_t>(slot + size);
  }
  row.table_size = static_cast<uint8_t>(row.table_size + size);
}

// Adds a function in the slot of another one, which moves up with all after it.
constexpr void InsertBefore(RuntimeVersion& row, ApiFunction next, ApiFunction function) {
  const uint8_t offset = row.slots[static_cast<int>(next)];
  MakeRoom(row, offset, sizeof(void*));
  row.slots[static_cast<int>(function)] = offset;
}

// Puts a function in the slot of another one, which is gone.
constexpr void Replace(RuntimeVersion& row, ApiFunction gone, ApiFunction function) {
  row.slots[static_cast<int>(function)] = row.slots[static_cast<int>(gone)];
  row.slots[static_cast<int>(gone)] = 0;
}

// The row after `before`: all that is not set is as before.
constexpr RuntimeVersion RowAfter(RuntimeVersion before, const char* releases) {
  before.releases = releases;
  before.looks_like_previous = false;
  return before;
}

constexpr RuntimeVersion Jaxlib0430() {
  RuntimeVersion row = {};
  row.releases = "jaxlib 0.4.30";
  row.minor = 0;
  row.stated_size = 64;
  row.table_size = 24;  // of what comes before the functions
  for (ApiFunction function :
       {ApiFunction::kErrorCreate, ApiFunction::kErrorGetMessage, ApiFunction::kErrorDestroy,
        ApiFunction::kHandlerRegister, ApiFunction::kStream, ApiFunction::kTypeIdRegister,
        ApiFunction::kUserData, ApiFunction::kScratchAllocate, ApiFunction::kScratchFree}) {
    Append(row, function);
  }
  row.instantiate = kNoStage;
  row.prepare = 0;
  row.initialize = 1;
  row.execute = 2;
  row.record = kNoStage;
  row.state = StateLayout::kNone;
  row.bundle_size = 24;
  row.null_api_in_query = true;
  return row;
}

constexpr RuntimeVersion Jaxlib0431() {
  RuntimeVersion row = RowAfter(Jaxlib0430(), "jaxlib 0.4.31");
  row.stated_size = 88;
  row.table_has_version = true;
  MakeRoom(row, 0, sizeof(XLA_FFI_Api_Version));
  InsertBefore(row, ApiFunction::kScratchAllocate, ApiFunction::kStateSet);
  InsertBefore(row, ApiFunction::kScratchAllocate, ApiFunction::kStateGet);
  row.instantiate = 0;
  row.prepare = 1;
  row.initialize = 2;
  row.execute = 3;
  row.state = StateLayout::kWithDeleter;
  row.bundle_size = 32;
  return row;
}

constexpr RuntimeVersion Jaxlib0432() {
  RuntimeVersion row = RowAfter(Jaxlib0431(), "jaxlib 0.4.32 to 0.4.33");
  row.minor = 1;
  row.metadata_size = 40;
  row.oldest_handler = 1;
  row.cpu_has_context = true;
  row.headers_are_ambiguous = true;
  Append(row, ApiFunction::kThreadPoolSchedule);
  return row;
}

constexpr RuntimeVersion Jaxlib0434() {
  RuntimeVersion row = RowAfter(Jaxlib0432(), "jaxlib 0.4.34 to 0.4.37");
  row.frame_has_future = true;
  Append(row, ApiFunction::kFutureCreate);
  Append(row, ApiFunction::kFutureSetAvailable);
  Append(row, ApiFunction::kFutureSetError);
  return row;
}

constexpr RuntimeVersion Jaxlib0438() {
  RuntimeVersion row = RowAfter(Jaxlib0434(), "jaxlib 0.4.38 to 0.5");
  row.looks_like_previous = true;
  row.accepts_duplicates = true;
  InsertBefore(row, ApiFunction::kFutureCreate, ApiFunction::kThreadPoolNumThreads);
  return row;
}

constexpr RuntimeVersion Jaxlib06() {
  RuntimeVersion row = RowAfter(Jaxlib0438(), "jaxlib 0.6 to 0.8.0");
  Append(row, ApiFunction::kRunId);
  Append(row, ApiFunction::kDeviceOrdinal);
  row.stated_size = row.table_size;
  return row;
}

constexpr RuntimeVersion Jaxlib081() {
  RuntimeVersion row = RowAfter(Jaxlib06(), "jaxlib 0.8.1 to 0.9.0");
  row.minor = 2;
  Replace(row, ApiFunction::kTypeIdRegister, ApiFunction::kTypeRegister);
  row.state = StateLayout::kTypedDeleter;
  row.metadata_size = 48;
  row.null_api_in_query = false;
  row.headers_are_ambiguous = false;
  row.headers_run_on_later = true;
  return row;
}

constexpr RuntimeVersion Jaxlib091() {
  RuntimeVersion row = RowAfter(Jaxlib081(), "jaxlib 0.9.1 to 0.11.0");
  row.minor = 3;
  row.state = StateLayout::kStaged;
  return row;
}

constexpr RuntimeVersion Jaxlib0111() {
  RuntimeVersion row = RowAfter(Jaxlib091(), "jaxlib 0.11.1 to 0.11.2");
  row.minor = 4;
  Replace(row, ApiFunction::kErrorGetMessage, ApiFunction::kErrorGetDetails);
  Append(row, ApiFunction::kExtensions);
  row.stated_size = row.table_size;
  row.record = 4;
  row.bundle_size = 40;
  row.has_invoke_context = true;
  return row;
}

constexpr RuntimeVersion Jaxlib012() {
  RuntimeVersion row = RowAfter(Jaxlib0111(), "jaxlib 0.12");
  row.minor = 5;
  Append(row, ApiFunction::kCustomOptions);
  row.stated_size = row.table_size;
  return row;
}

}  // namespace rows

// tests/typed_ffi/runtime_versions_frozen_test.cc has all values of each row.
inline constexpr RuntimeVersion kRuntimeVersions[] = {
    rows::Jaxlib0430(), rows::Jaxlib0431(), rows::Jaxlib0432(), rows::Jaxlib0434(),
    rows::Jaxlib0438(), rows::Jaxlib06(),   rows::Jaxlib081(),  rows::Jaxlib091(),
    rows::Jaxlib0111(), rows::Jaxlib012(),
};

inline constexpr int kRuntimeVersionCount = sizeof(kRuntimeVersions) / sizeof(RuntimeVersion);
inline constexpr const RuntimeVersion& kOldestVersion = kRuntimeVersions[0];
inline constexpr const RuntimeVersion& kNewestVersion = kRuntimeVersions[kRuntimeVersionCount - 1];

// A slot's offset is a byte: a table that outgrows that needs a wider field.
static_assert(kNewestVersion.table_size == sizeof(XLA_FFI_Api), "the newest row is c_api.h's");

// ---- Rows ---------------------------------------------------------------------------------------

// The row's index in kRuntimeVersions.
constexpr int IndexOf(const RuntimeVersion& version) {
  return static_cast<int>(&version - kRuntimeVersions);
}

// Whether `version` is `first` or a later row.
constexpr bool IsSince(const RuntimeVersion& version, const RuntimeVersion& first) {
  return &version >= &first;
}

// Whether handlers built with the headers of one row run on another without an adapter, whatever
// they ask the runtime for, if they make state or not.
constexpr bool RunsNatively(const RuntimeVersion& headers, const RuntimeVersion& runtime,
                            bool makes_state) {
  // jaxlib 0.9.2 takes no structs of the row before its own: a handler gets a null state and ends
  // the process. 0.10.2 takes both, and says the same of itself.
  if (makes_state && headers.state != runtime.state) return false;
  return headers.headers_run_on_later && IsSince(runtime, headers);
}

// The row before, if runtimes of both say the same of themselves; otherwise null.
constexpr const RuntimeVersion* LookalikeOf(const RuntimeVersion& version) {
  return version.looks_like_previous ? &version - 1 : nullptr;
}

// The oldest row for which `has(row)` is true, the newest row if there is none.
template <typename Has>
constexpr const RuntimeVersion& FirstThat(Has has) {
  for (const RuntimeVersion& row : kRuntimeVersions) {
    if (has(row)) return row;
  }
  return kNewestVersion;
}

// The oldest row whose API table has `function`.
constexpr const RuntimeVersion& FirstWith(ApiFunction function) {
  return FirstThat(
      [function](const RuntimeVersion& row) { return row.slots[static_cast<int>(function)] != 0; });
}

// The oldest row that has a stage: FirstWithStage(&RuntimeVersion::record).
constexpr const RuntimeVersion& FirstWithStage(int8_t RuntimeVersion::*stage) {
  return FirstThat([stage](const RuntimeVersion& row) { return row.*stage != kNoStage; });
}

// The oldest row with a metadata query.
constexpr const RuntimeVersion& FirstWithMetadata() {
  return FirstThat([](const RuntimeVersion& row) { return row.metadata_size != 0; });
}

// The newest row before the metadata query.
constexpr const RuntimeVersion& NewestWithoutMetadata() { return *(&FirstWithMetadata() - 1); }

// The oldest row whose XLA:CPU passes handlers a context.
constexpr const RuntimeVersion& FirstWithCpuContext() {
  return FirstThat([](const RuntimeVersion& row) { return row.cpu_has_context; });
}

// The oldest row whose headers cannot be told from those of the rows after it.
constexpr const RuntimeVersion& FirstWithAmbiguousHeaders() {
  return FirstThat([](const RuntimeVersion& row) { return row.headers_are_ambiguous; });
}

// ---- API versions -------------------------------------------------------------------------------

// Whether `version` is the row's API version.
constexpr bool HasApiVersion(const RuntimeVersion& row, const XLA_FFI_Api_Version& version) {
  return version.major_version == XLA_FFI_API_MAJOR && version.minor_version == row.minor;
}

// The newest row of that API version that has a metadata query; null if there is none.
constexpr const RuntimeVersion* NewestWithApiVersion(const XLA_FFI_Api_Version& version) {
  const RuntimeVersion* found = nullptr;
  for (const RuntimeVersion& row : kRuntimeVersions) {
    if (row.metadata_size != 0 && HasApiVersion(row, version)) found = &row;
  }
  return found;
}

// Whether a row's first release is also the first of its API version.
constexpr bool IsFirstOfApiVersion(const RuntimeVersion& row) {
  return &row == &kOldestVersion || (&row - 1)->minor != row.minor;
}

// Whether a runtime registers handlers that report API version `major`.`minor`.
constexpr bool AcceptsHandlers(const RuntimeVersion& runtime, int major, int minor) {
  return major == XLA_FFI_API_MAJOR && minor >= runtime.oldest_handler && minor <= runtime.minor;
}

// The newest of some minor versions.
constexpr int NewestMinor(std::initializer_list<int> minors) {
  int newest = 0;
  for (int minor : minors) newest = newest < minor ? minor : newest;
  return newest;
}

// Writes the lowest API version that a handler can report, that of the first metadata query. All
// runtimes with a metadata query accept it.
inline void ReportLowestVersion(XLA_FFI_Api_Version& version) {
  version.major_version = XLA_FFI_API_MAJOR;
  constexpr int kLowest = FirstWithMetadata().minor;
  version.minor_version = kLowest;
}

// ---- Runtimes -----------------------------------------------------------------------------------

// The function of `which` in a runtime's table, null if the row has none. `Function` must be its
// type.
template <typename Function>
Function* FunctionAt(const XLA_FFI_Api& api, const RuntimeVersion& version, ApiFunction which) {
  const uint8_t offset = version.slots[static_cast<int>(which)];
  if (offset == 0) return nullptr;
  Function* function;
  memcpy(&function, reinterpret_cast<const char*>(&api) + offset, sizeof(function));
  return function;
}

// Whether a runtime's table is too short for `row`, whose size runtimes do not state. In jaxlib
// 0.4.32 to 0.5, on x86-64, aarch64 and in the CUDA plugins, the internal API's table comes right
// after it: what would be slots of a longer table are functions of other types.
inline bool EndsBefore(const XLA_FFI_Api& api, const RuntimeVersion& row) {
  const auto after = reinterpret_cast<uintptr_t>(api.internal_api);
  return row.stated_size != row.table_size &&
         after - reinterpret_cast<uintptr_t>(&api) < row.table_size;
}

// jaxlib 0.4.34 and 0.4.38 state the same size and version, but 0.4.38 moved Future_Create and put
// ThreadPool_NumThreads into its slot. Both check the size of their argument first and name the
// expected struct in the error. Costs an error object: call it only where the difference matters.
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

// The row of a runtime. Returns jaxlib 0.4.38's row for 0.4.34 too if nothing tells where its table
// ends; they differ only in slots from 144 on, and VersionFor() tells them apart. Returns the
// newest row for a newer runtime: XLA promises compatibility within a major version.
inline const RuntimeVersion& VersionOf(const XLA_FFI_Api& api) {
  if (api.struct_size == kOldestVersion.stated_size) return kOldestVersion;
  const int minor = api.api_version.minor_version;
  for (int i = kRuntimeVersionCount - 1; i > 1; --i) {
    const RuntimeVersion& row = kRuntimeVersions[i];
    if (minor >= row.minor && api.struct_size >= row.stated_size && !EndsBefore(api, row)) {
      return row;
    }
  }
  return kRuntimeVersions[1];
}

// Whether a runtime is XLA itself, and not callbridge's own: XLA's table points to its internal
// API. True for callbridge's table of jaxlib 0.4.32 to 0.4.33 too, which has to end as XLA's does.
inline bool IsXla(const XLA_FFI_Api& api) {
  const size_t offset = VersionOf(api).table_has_version ? offsetof(XLA_FFI_Api, internal_api)
                                                         : offsetof(XLA_FFI_Api, api_version);
  const void* internal_api;
  memcpy(&internal_api, reinterpret_cast<const char*>(&api) + offset, sizeof(internal_api));
  return internal_api != nullptr;
}

// Whether a runtime is of `row` or newer, by the size and version that it states. True for rows
// without an API version of their own.
constexpr bool IsSince(const XLA_FFI_Api& api, const RuntimeVersion& row) {
  return row.minor == 0 ||
         (api.api_version.minor_version >= row.minor && api.struct_size >= row.stated_size);
}

// Whether a frame is of the execute stage, for the hot path. No runtime has two stages of these
// numbers.
inline bool IsExecuteStage(const XLA_FFI_CallFrame& frame) {
  const int stage = static_cast<int>(frame.stage);
  return stage == kNewestVersion.execute ||
         (stage == kOldestVersion.execute && frame.api->struct_size == kOldestVersion.stated_size);
}

// The row by which to use one function of a runtime.
inline const RuntimeVersion& VersionFor(const XLA_FFI_Api& api, ApiFunction function) {
  const RuntimeVersion& version = VersionOf(api);
  const RuntimeVersion* lookalike = LookalikeOf(version);
  const int slot = static_cast<int>(function);
  if (lookalike == nullptr || version.slots[slot] == lookalike->slots[slot]) return version;
  return HasFutureCreateAt144(api, *lookalike) ? *lookalike : version;
}

// The index of the first row after the oldest that has `function`; 0 if its slot moves or vanishes
// in a later row, so that only VersionOf() can tell where it is. (An index: g++ does not take
// comparisons of pointers with null for constants under -fsanitize=undefined.)
constexpr int SteadySince(ApiFunction function) {
  const int slot = static_cast<int>(function);
  int since = 0;
  for (int row = 1; row < kRuntimeVersionCount; ++row) {
    const uint8_t offset = kRuntimeVersions[row].slots[slot];
    if (since == 0 && offset != 0) since = row;
    if (since != 0 && offset != kRuntimeVersions[since].slots[slot]) return 0;
  }
  return since;
}

// A runtime's function, null if it has none. `Function` must be its type, which c_api.h names:
// Find<ApiFunction::kStream, XLA_FFI_Stream_Get>(api). Two or three comparisons for a function that
// has stayed in one slot, as almost all have.
template <ApiFunction kFunction, typename Function>
Function* Find(const XLA_FFI_Api& api) {
  constexpr int kSince = SteadySince(kFunction);
  if constexpr (kSince == 0) {
    return FunctionAt<Function>(api, VersionOf(api), kFunction);
  } else {
    const RuntimeVersion* version = &kRuntimeVersions[kSince];
    if (api.struct_size == kOldestVersion.stated_size) {
      if constexpr (kOldestVersion.slots[static_cast<int>(kFunction)] == 0) return nullptr;
      version = &kOldestVersion;
    } else if (!IsSince(api, *version)) {
      return nullptr;
    }
    return FunctionAt<Function>(api, *version, kFunction);
  }
}

// A minor version that no runtime has: callbridge probes handlers with it. Handlers built with
// callbridge's headers then report what they take as a trait that XLA does not know.
inline constexpr int kProbingMinor = 99;
inline constexpr XLA_FFI_Handler_Traits kTakesDeviceOrdinal = 1U << 30;

// Whether the table is that of a probe; null is not.
inline bool IsProbe(const XLA_FFI_Api* api) {
  return api != nullptr && api->api_version.minor_version == kProbingMinor;
}

// The API version for a handler that needs 0.`needed_minor` to report to a runtime: at least that
// of the first metadata query, at most the runtime's own, since runtimes refuse newer ones. `api`
// may be null, as in the metadata query of old runtimes, which accept the lowest alone.
inline XLA_FFI_Api_Version VersionToReport(const XLA_FFI_Api* api, int needed_minor) {
  constexpr int kLowest = FirstWithMetadata().minor;
  const int runtime = api == nullptr ? kLowest : VersionOf(*api).minor;
  const int needed = needed_minor < kLowest ? kLowest : needed_minor;
  return {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR,
          needed < runtime ? needed : runtime};
}

}  // namespace v1
}  // namespace typed_ffi
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_TYPED_FFI_RUNTIME_VERSIONS_H_
