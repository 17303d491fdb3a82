// The table of versions beside the layouts that it tells of, and how a runtime's row is found and
// described.
#include "callbridge/typed_ffi/runtime_versions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "callbridge/typed_ffi/old_api_tables.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "callbridge/typed_ffi/runtime_texts.h"
#include "callbridge/typed_ffi/state_calls.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace callbridge::typed_ffi {
namespace {

using testing::FakeRuntime;

// ---- Slots --------------------------------------------------------------------------------------

struct Slot {
  ApiFunction function;
  size_t offset;
};

#define AT(function, field) \
  { ApiFunction::function, offsetof(Table, XLA_FFI_##field) }

// What all tables have.
template <typename Table>
std::vector<Slot> SlotsOfAll() {
  return {AT(kErrorCreate, Error_Create),
          AT(kErrorDestroy, Error_Destroy),
          AT(kHandlerRegister, Handler_Register),
          AT(kStream, Stream_Get),
          AT(kScratchAllocate, DeviceMemory_Allocate),
          AT(kScratchFree, DeviceMemory_Free)};
}
void Append(std::vector<Slot>& slots, const std::vector<Slot>& more) {
  slots.insert(slots.end(), more.begin(), more.end());
}
template <typename Table>
void AddOld(std::vector<Slot>& slots) {
  Append(slots, {AT(kErrorGetMessage, Error_GetMessage), AT(kUserData, ExecutionContext_Get)});
}
template <typename Table>
void AddState(std::vector<Slot>& slots) {
  Append(slots, {AT(kStateSet, State_Set), AT(kStateGet, State_Get)});
}
template <typename Table>
void AddFutures(std::vector<Slot>& slots) {
  Append(slots,
         {AT(kThreadPoolSchedule, ThreadPool_Schedule), AT(kFutureCreate, Future_Create),
          AT(kFutureSetAvailable, Future_SetAvailable), AT(kFutureSetError, Future_SetError)});
}
template <typename Table>
void AddNumbers(std::vector<Slot>& slots) {
  Append(slots, {AT(kThreadPoolNumThreads, ThreadPool_NumThreads), AT(kRunId, RunId_Get),
                 AT(kDeviceOrdinal, DeviceOrdinal_Get)});
}

std::vector<Slot> SlotsOf(int row) {
  std::vector<Slot> slots;
  if (row == 0) {
    using Table = old::XLA_FFI_Api_0_4_30;
    slots = SlotsOfAll<Table>();
    AddOld<Table>(slots);
    Append(slots, {AT(kTypeIdRegister, TypeId_Register)});
  } else if (row == 1) {
    using Table = old::XLA_FFI_Api_0_4_31;
    slots = SlotsOfAll<Table>();
    AddOld<Table>(slots);
    AddState<Table>(slots);
    Append(slots, {AT(kTypeIdRegister, TypeId_Register)});
  } else if (row == 2) {
    using Table = old::XLA_FFI_Api_0_4_34;  // 0.4.32's ends before its futures
    slots = SlotsOfAll<Table>();
    AddOld<Table>(slots);
    AddState<Table>(slots);
    Append(slots,
           {AT(kTypeIdRegister, TypeId_Register), AT(kThreadPoolSchedule, ThreadPool_Schedule)});
  } else if (row == 3) {
    using Table = old::XLA_FFI_Api_0_4_34;
    slots = SlotsOfAll<Table>();
    AddOld<Table>(slots);
    AddState<Table>(slots);
    AddFutures<Table>(slots);
    Append(slots, {AT(kTypeIdRegister, TypeId_Register)});
  } else if (row == 4) {
    using Table = old::XLA_FFI_Api_0_4_38;
    slots = SlotsOfAll<Table>();
    AddOld<Table>(slots);
    AddState<Table>(slots);
    AddFutures<Table>(slots);
    Append(slots, {AT(kTypeIdRegister, TypeId_Register),
                   AT(kThreadPoolNumThreads, ThreadPool_NumThreads)});
  } else if (row == 5) {
    using Table = old::XLA_FFI_Api_0_6_2;
    slots = SlotsOfAll<Table>();
    AddOld<Table>(slots);
    AddState<Table>(slots);
    AddFutures<Table>(slots);
    AddNumbers<Table>(slots);
    Append(slots, {AT(kTypeIdRegister, TypeId_Register)});
  } else if (row == 6 || row == 7) {
    using Table = old::XLA_FFI_Api_0_8_3;  // 0.10.2's has other types at the same places
    static_assert(sizeof(Table) == sizeof(old::XLA_FFI_Api_0_10_2));
    slots = SlotsOfAll<Table>();
    AddOld<Table>(slots);
    AddState<Table>(slots);
    AddFutures<Table>(slots);
    AddNumbers<Table>(slots);
    Append(slots, {AT(kTypeRegister, Type_Register)});
  } else {
    using Table = XLA_FFI_Api;  // 0.11.2's is one slot shorter
    slots = SlotsOfAll<Table>();
    AddState<Table>(slots);
    AddFutures<Table>(slots);
    AddNumbers<Table>(slots);
    Append(slots,
           {AT(kTypeRegister, Type_Register), AT(kUserData, InvokeContext_Get),
            AT(kErrorGetDetails, Error_GetDetails), AT(kExtensions, InvokeContext_FindExtension)});
    if (row == 9) Append(slots, {AT(kCustomOptions, CustomOptions_Get)});
  }
  return slots;
}

TEST(RuntimeVersionsTest, SlotsAreThoseOfTheTables) {
  ASSERT_EQ(kRuntimeVersionCount, 10);
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    size_t expected[kApiFunctionCount] = {};
    for (const Slot& slot : SlotsOf(row)) expected[static_cast<int>(slot.function)] = slot.offset;
    for (int i = 0; i < kApiFunctionCount; ++i) {
      EXPECT_EQ(kRuntimeVersions[row].slots[i], expected[i])
          << "function " << i << " of row " << row;
    }
  }
}

TEST(RuntimeVersionsTest, SizesAreThoseOfTheLayouts) {
  const struct {  // NOLINT(clang-analyzer-optin.performance.Padding)
    int minor;
    size_t stated, table, bundle, metadata;
    bool null_api, future;
    StateLayout state;
  } rows[] = {
      {0, 64, sizeof(old::XLA_FFI_Api_0_4_30), sizeof(old::XLA_FFI_Handler_Bundle_0_4_30), 0, true,
       false, StateLayout::kNone},
      {0, 88, sizeof(old::XLA_FFI_Api_0_4_31), sizeof(old::XLA_FFI_Handler_Bundle_0_4_31), 0, true,
       false, StateLayout::kWithDeleter},
      {1, 88, offsetof(old::XLA_FFI_Api_0_4_34, XLA_FFI_Future_Create),
       sizeof(old::XLA_FFI_Handler_Bundle_0_4_31), sizeof(old::XLA_FFI_Metadata_0_4_34), true,
       false, StateLayout::kWithDeleter},
      {1, 88, sizeof(old::XLA_FFI_Api_0_4_34), sizeof(old::XLA_FFI_Handler_Bundle_0_4_31),
       sizeof(old::XLA_FFI_Metadata_0_4_34), true, true, StateLayout::kWithDeleter},
      {1, 88, sizeof(old::XLA_FFI_Api_0_4_38), sizeof(old::XLA_FFI_Handler_Bundle_0_4_31),
       sizeof(old::XLA_FFI_Metadata_0_4_34), true, true, StateLayout::kWithDeleter},
      {1, 192, sizeof(old::XLA_FFI_Api_0_6_2), sizeof(old::XLA_FFI_Handler_Bundle_0_4_31),
       sizeof(old::XLA_FFI_Metadata_0_4_34), true, true, StateLayout::kWithDeleter},
      {2, 192, sizeof(old::XLA_FFI_Api_0_8_3), sizeof(old::XLA_FFI_Handler_Bundle_0_4_31),
       sizeof(XLA_FFI_Metadata), false, true, StateLayout::kTypedDeleter},
      {3, 192, sizeof(old::XLA_FFI_Api_0_10_2), sizeof(old::XLA_FFI_Handler_Bundle_0_4_31),
       sizeof(XLA_FFI_Metadata), false, true, StateLayout::kStaged},
      {4, 200, sizeof(XLA_FFI_Api) - 8, sizeof(XLA_FFI_Handler_Bundle), sizeof(XLA_FFI_Metadata),
       false, true, StateLayout::kStaged},
      {5, 208, sizeof(XLA_FFI_Api), sizeof(XLA_FFI_Handler_Bundle), sizeof(XLA_FFI_Metadata), false,
       true, StateLayout::kStaged},
  };
  for (int i = 0; i < kRuntimeVersionCount; ++i) {
    const RuntimeVersion& row = kRuntimeVersions[i];
    EXPECT_EQ(row.minor, rows[i].minor) << i;
    EXPECT_EQ(row.stated_size, rows[i].stated) << i;
    EXPECT_EQ(row.table_size, rows[i].table) << i;
    EXPECT_EQ(row.bundle_size, rows[i].bundle) << i;
    EXPECT_EQ(row.metadata_size, rows[i].metadata) << i;
    EXPECT_EQ(row.null_api_in_query, rows[i].null_api) << i;
    EXPECT_EQ(row.frame_has_future, rows[i].future) << i;
    EXPECT_EQ(row.state, rows[i].state) << i;
    const int first = i == 0 ? -1 : 0;
    EXPECT_EQ(row.instantiate, first) << i;
    EXPECT_EQ(row.prepare, first + 1) << i;
    EXPECT_EQ(row.initialize, first + 2) << i;
    EXPECT_EQ(row.execute, first + 3) << i;
    EXPECT_EQ(row.record, i >= 8 ? 4 : -1) << i;
  }
}

// As measured on the jaxlib of each row.
TEST(RuntimeVersionsTest, FactsAreThoseOfTheRuntimes) {
  for (int i = 0; i < kRuntimeVersionCount; ++i) {
    const RuntimeVersion& row = kRuntimeVersions[i];
    EXPECT_EQ(IndexOf(row), i);
    EXPECT_EQ(row.table_has_version, i >= 1) << i;
    EXPECT_EQ(row.cpu_has_context, i >= 2) << i;
    EXPECT_EQ(row.accepts_duplicates, i >= 4) << i;
    EXPECT_EQ(row.has_invoke_context, i >= 8) << i;
    EXPECT_EQ(row.looks_like_previous, i == 4) << i;
    EXPECT_EQ(row.headers_are_ambiguous, 2 <= i && i <= 5) << i;
    for (int runtime = 0; runtime < kRuntimeVersionCount; ++runtime) {
      EXPECT_EQ(RunsNatively(row, kRuntimeVersions[runtime], false), i >= 6 && runtime >= i)
          << i << " on " << runtime;
    }
  }
}

TEST(RuntimeVersionsTest, AcceptWhichHandlers) {
  for (const RuntimeVersion& row : kRuntimeVersions) {
    if (row.metadata_size == 0) continue;  // it never asks
    for (int minor = 0; minor <= kNewestVersion.minor + 1; ++minor) {
      EXPECT_EQ(AcceptsHandlers(row, 0, minor), 1 <= minor && minor <= row.minor)
          << row.releases << " 0." << minor;
      EXPECT_FALSE(AcceptsHandlers(row, 1, minor)) << row.releases << " 1." << minor;
    }
  }
}

// ---- API versions -------------------------------------------------------------------------------

XLA_FFI_Api_Version ApiVersion(int major, int minor) {
  return {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, major, minor};
}

TEST(ApiVersionTest, RowsByVersion) {
  EXPECT_EQ(NewestWithApiVersion(ApiVersion(0, 0)), nullptr);  // it has no metadata query
  EXPECT_EQ(NewestWithApiVersion(ApiVersion(0, 1)), &kRuntimeVersions[5]);
  EXPECT_EQ(NewestWithApiVersion(ApiVersion(0, 3)), &kRuntimeVersions[7]);
  EXPECT_EQ(NewestWithApiVersion(ApiVersion(0, kNewestVersion.minor)), &kNewestVersion);
  EXPECT_EQ(NewestWithApiVersion(ApiVersion(0, kNewestVersion.minor + 1)), nullptr);
  EXPECT_EQ(NewestWithApiVersion(ApiVersion(1, 3)), nullptr);
  EXPECT_TRUE(HasApiVersion(kOldestVersion, ApiVersion(0, 0)));
  EXPECT_FALSE(HasApiVersion(kOldestVersion, ApiVersion(0, 1)));
  EXPECT_FALSE(HasApiVersion(kOldestVersion, ApiVersion(1, 0)));
}

TEST(ApiVersionTest, ReportsWhatTheHandlerNeedsAndTheRuntimeAccepts) {
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    FakeRuntime runtime(row);
    for (int needed = 0; needed <= kNewestVersion.minor; ++needed) {
      const XLA_FFI_Api_Version reported = VersionToReport(runtime.api(), needed);
      EXPECT_EQ(reported.major_version, 0);
      EXPECT_EQ(reported.minor_version, std::min(std::max(needed, 1), int{runtime.version().minor}))
          << row << " " << needed;
    }
  }
  EXPECT_EQ(VersionToReport(nullptr, 0).minor_version, 1);
  EXPECT_EQ(VersionToReport(nullptr, 5).minor_version, 1);
  XLA_FFI_Api_Version lowest = ApiVersion(7, 7);
  ReportLowestVersion(lowest);
  EXPECT_EQ(lowest.major_version, 0);
  EXPECT_EQ(lowest.minor_version, 1);
  EXPECT_EQ(NewestMinor({}), 0);
  EXPECT_EQ(NewestMinor({2, 5, 3}), 5);
}

// ---- The row of a runtime -----------------------------------------------------------------------

TEST(VersionOfTest, ByVersionAndSize) {
  const struct {  // NOLINT(clang-analyzer-optin.performance.Padding)
    int minor;
    size_t size;
    int row;
  } cases[] = {{0, 88, 1},  {0, 999, 1}, {1, 80, 1},  {1, 88, 4},  {1, 191, 4}, {1, 192, 5},
               {1, 999, 5}, {2, 191, 4}, {2, 192, 6}, {3, 192, 7}, {4, 192, 7}, {4, 199, 7},
               {4, 200, 8}, {3, 200, 7}, {5, 207, 8}, {5, 208, 9}, {4, 208, 8}, {6, 208, 9},
               {6, 216, 9}, {9, 65, 1},  {9, 64, 0}};
  for (const auto& given : cases) {
    XLA_FFI_Api api = {};
    api.struct_size = given.size;
    api.api_version.minor_version = given.minor;
    EXPECT_EQ(&VersionOf(api), &kRuntimeVersions[given.row])
        << "0." << given.minor << " of " << given.size;
  }
}

// The three rows of 0.1 with one stated size: where the internal API's table is, theirs ended.
TEST(VersionOfTest, ByWhereTheTableEnds) {
  for (int row = 2; row <= 4; ++row) {
    XLA_FFI_Api api = {};
    api.struct_size = kRuntimeVersions[row].stated_size;
    api.api_version.minor_version = kRuntimeVersions[row].minor;
    const char* const end = reinterpret_cast<const char*>(&api) + kRuntimeVersions[row].table_size;
    api.internal_api = reinterpret_cast<const XLA_FFI_InternalApi*>(end);
    EXPECT_EQ(&VersionOf(api), &kRuntimeVersions[row]);
    EXPECT_EQ(&VersionFor(api, ApiFunction::kStream), &kRuntimeVersions[row]);
  }
  // jaxlib 0.5.3 has one function more; nothing tells of a table that is elsewhere.
  XLA_FFI_Api api = {};
  api.struct_size = kRuntimeVersions[4].stated_size;
  api.api_version.minor_version = 1;
  for (const ptrdiff_t away : {184, 4096, -8}) {
    const char* const internal = reinterpret_cast<const char*>(&api) + away;
    api.internal_api = reinterpret_cast<const XLA_FFI_InternalApi*>(internal);
    EXPECT_EQ(&VersionOf(api), &kRuntimeVersions[4]) << away;
  }
}

// Of the two that say the same of themselves, by what they have where they differ.
TEST(VersionForTest, TellsTheTwinsApart) {
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    FakeRuntime runtime(row);
    const XLA_FFI_Api& api = *runtime.api();
    for (ApiFunction function : {ApiFunction::kFutureCreate, ApiFunction::kThreadPoolNumThreads,
                                 ApiFunction::kFutureSetError}) {
      EXPECT_EQ(&VersionFor(api, function), &runtime.version()) << row;
    }
    // What is at one place in both needs no telling, and costs no error object.
    const int same = row == 3 ? 4 : row;
    EXPECT_EQ(&VersionFor(api, ApiFunction::kStream), &kRuntimeVersions[same]) << row;
    EXPECT_EQ(&VersionFor(api, ApiFunction::kThreadPoolSchedule), &kRuntimeVersions[same]) << row;
    EXPECT_EQ(LookalikeOf(runtime.version()), row == 4 ? &kRuntimeVersions[3] : nullptr) << row;
  }
  EXPECT_EQ(testing::live_errors, 0);
}

TEST(IsExecuteStageTest, ByTheNumberOfTheRuntime) {
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    FakeRuntime runtime(row);
    XLA_FFI_CallFrame frame = {};
    frame.api = runtime.api();
    for (int stage = 0; stage < 6; ++stage) {
      frame.stage = static_cast<XLA_FFI_ExecutionStage>(stage);
      if (row == 0 && stage == 3) continue;  // it has no such stage
      EXPECT_EQ(IsExecuteStage(frame), stage == runtime.version().execute) << row << " " << stage;
    }
  }
}

TEST(FirstWithTest, IsTheOldestRow) {
  EXPECT_EQ(&FirstWith(ApiFunction::kStream), &kRuntimeVersions[0]);
  EXPECT_EQ(&FirstWith(ApiFunction::kStateGet), &kRuntimeVersions[1]);
  EXPECT_EQ(&FirstWith(ApiFunction::kFutureCreate), &kRuntimeVersions[3]);
  EXPECT_EQ(&FirstWith(ApiFunction::kThreadPoolNumThreads), &kRuntimeVersions[4]);
  EXPECT_EQ(&FirstWith(ApiFunction::kRunId), &kRuntimeVersions[5]);
  EXPECT_EQ(&FirstWith(ApiFunction::kTypeRegister), &kRuntimeVersions[6]);
  EXPECT_EQ(&FirstWith(ApiFunction::kExtensions), &kRuntimeVersions[8]);
  EXPECT_EQ(&FirstWith(ApiFunction::kCustomOptions), &kRuntimeVersions[9]);
  EXPECT_EQ(&FirstWithStage(&RuntimeVersion::execute), &kRuntimeVersions[0]);
  EXPECT_EQ(&FirstWithStage(&RuntimeVersion::instantiate), &kRuntimeVersions[1]);
  EXPECT_EQ(&FirstWithStage(&RuntimeVersion::record), &kRuntimeVersions[8]);
  EXPECT_EQ(&FirstWithMetadata(), &kRuntimeVersions[2]);
  EXPECT_EQ(&NewestWithoutMetadata(), &kRuntimeVersions[1]);
  EXPECT_EQ(&FirstWithCpuContext(), &kRuntimeVersions[2]);
  EXPECT_EQ(&FirstWithAmbiguousHeaders(), &kRuntimeVersions[2]);
  EXPECT_EQ(&FirstWithState(XLA_FFI_ExecutionStage_INSTANTIATE), &kRuntimeVersions[1]);
  EXPECT_EQ(&FirstWithState(XLA_FFI_ExecutionStage_PREPARE), &kRuntimeVersions[7]);
  EXPECT_EQ(&FirstWithState(XLA_FFI_ExecutionStage_INITIALIZE), &kRuntimeVersions[7]);
}

// ---- Texts --------------------------------------------------------------------------------------

TEST(RuntimeTextsTest, NameVersionsAndReleases) {
  const struct {
    const char* version;
    const char* since;
  } rows[] = {
      {"0.0 (jaxlib 0.4.30)", "XLA FFI 0.0 (jaxlib 0.4.30 or newer)"},
      {"0.0 (jaxlib 0.4.31)", "the XLA FFI 0.0 of jaxlib 0.4.31 or newer"},
      {"0.1 (jaxlib 0.4.32 to 0.4.33)", "XLA FFI 0.1 (jaxlib 0.4.32 or newer)"},
      {"0.1 (jaxlib 0.4.34 to 0.4.37)", "the XLA FFI 0.1 of jaxlib 0.4.34 or newer"},
      {"0.1 (jaxlib 0.4.34 to 0.5)", "the XLA FFI 0.1 of jaxlib 0.4.38 or newer"},
      {"0.1 (jaxlib 0.6 to 0.8.0)", "the XLA FFI 0.1 of jaxlib 0.6 or newer"},
      {"0.2 (jaxlib 0.8.1 to 0.9.0)", "XLA FFI 0.2 (jaxlib 0.8.1 or newer)"},
      {"0.3 (jaxlib 0.9.1 to 0.11.0)", "XLA FFI 0.3 (jaxlib 0.9.1 or newer)"},
      {"0.4 (jaxlib 0.11.1 to 0.11.2)", "XLA FFI 0.4 (jaxlib 0.11.1 or newer)"},
      {"0.5 (jaxlib 0.12)", "XLA FFI 0.5 (jaxlib 0.12 or newer)"},
  };
  for (int i = 0; i < kRuntimeVersionCount; ++i) {
    EXPECT_EQ(DescribeVersion(kRuntimeVersions[i]), rows[i].version);
    EXPECT_EQ(DescribeSince(kRuntimeVersions[i]), rows[i].since);
  }
}

TEST(RuntimeTextsTest, SayWhatIsMissing) {
  FakeRuntime runtime(6);
  EXPECT_EQ(DescribeMissing(*runtime.api(), "It", ApiFunction::kExtensions),
            "It needs XLA FFI 0.4 (jaxlib 0.11.1 or newer); this runtime speaks 0.2 (jaxlib 0.8.1 "
            "to 0.9.0)");
  EXPECT_EQ(DescribeMissing(*runtime.api(), "It", kRuntimeVersions[7]),
            "It needs XLA FFI 0.3 (jaxlib 0.9.1 or newer); this runtime speaks 0.2 (jaxlib 0.8.1 "
            "to 0.9.0)");
  for (int row : {5, 6}) {
    EXPECT_EQ(
        DescribeMissing(*runtime.api(), "It", kRuntimeVersions[row]),
        "It is not offered by this runtime, which speaks XLA FFI 0.2 (jaxlib 0.8.1 to 0.9.0) and "
        "could have it");
  }
}

}  // namespace
}  // namespace callbridge::typed_ffi
