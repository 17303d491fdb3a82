#include "callbridge/typed_ffi/api_table_builder.h"

#include <cstring>

#include "callbridge/typed_ffi/old_layouts.h"
#include "gtest/gtest.h"

namespace callbridge::typed_ffi {
namespace {

XLA_FFI_Error* GetStream(XLA_FFI_Stream_Get_Args*) { return nullptr; }
XLA_FFI_Error* GetRunId(XLA_FFI_RunId_Get_Args*) { return nullptr; }
void GetMessage(old::XLA_FFI_Error_GetMessage_Args*) {}

constexpr ApiSlot FunctionFor(ApiFunction function) {
  switch (function) {
    case ApiFunction::kStream:
      return &GetStream;
    case ApiFunction::kRunId:
      return &GetRunId;
    default:
      return {};
  }
}

template <typename T>
T At(const ApiSlot* table, size_t offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(table) + offset, sizeof(value));
  return value;
}

TEST(ApiTableBuilderTest, BuildsTheNewestTableWhileCompiling) {
  static constexpr ApiTable kTable = MakeApiTable(kNewestVersion, &FunctionFor);
  XLA_FFI_Api expected = {};
  expected.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  expected.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR,
                          XLA_FFI_API_MINOR};
  expected.XLA_FFI_Stream_Get = &GetStream;
  expected.XLA_FFI_RunId_Get = &GetRunId;
  EXPECT_EQ(std::memcmp(kTable.get(), &expected, sizeof(expected)), 0);
}

TEST(ApiTableBuilderTest, BuildsTheLayoutOfEachRow) {
  for (const RuntimeVersion& row : kRuntimeVersions) {
    const ApiTable table = MakeApiTable(row, &FunctionFor);
    EXPECT_EQ(table.get()->struct_size, row.stated_size);
    EXPECT_EQ(table.get()->extension_start, nullptr);
    EXPECT_EQ(FunctionAt<XLA_FFI_Stream_Get>(*table.get(), row, ApiFunction::kStream), &GetStream);
    const bool has_run_id = row.slots[static_cast<int>(ApiFunction::kRunId)] != 0;
    EXPECT_EQ(FunctionAt<XLA_FFI_RunId_Get>(*table.get(), row, ApiFunction::kRunId),
              has_run_id ? &GetRunId : nullptr);
    if (row.table_has_version) {
      EXPECT_EQ(table.get()->api_version.struct_size, size_t{XLA_FFI_Api_Version_STRUCT_SIZE});
      EXPECT_EQ(table.get()->api_version.extension_start, nullptr);
      EXPECT_EQ(table.get()->api_version.major_version, 0);
      EXPECT_EQ(table.get()->api_version.minor_version, row.minor);
    }
    for (size_t at = row.table_size; at < sizeof(ApiTable); at += sizeof(ApiSlot)) {
      EXPECT_EQ(At<void*>(table.slots, at), nullptr) << row.releases << " " << at;
    }
  }
}

TEST(ApiTableBuilderTest, LeavesOtherSlotsAsTheyAre) {
  for (const RuntimeVersion& row : kRuntimeVersions) {
    ApiTable table;
    for (ApiSlot& slot : table.slots) slot = ApiSlot(size_t{77});
    WriteApiTable(table.slots, row, [](ApiFunction) { return ApiSlot(size_t{1}); });
    for (size_t at = 0; at < sizeof(ApiTable); at += sizeof(ApiSlot)) {
      bool is_written = at < 16 || (row.table_has_version && at < 40);
      for (uint8_t slot : row.slots) is_written |= slot != 0 && slot == at;
      EXPECT_EQ(At<size_t>(table.slots, at) == 77, !is_written) << row.releases << " " << at;
    }
  }
}

TEST(ApiTableBuilderTest, TakesFunctionsOfOldLayouts) {
  ApiTable table;
  WriteApiTable(table.slots, kOldestVersion, [](ApiFunction function) -> ApiSlot {
    if (function == ApiFunction::kErrorGetMessage) return &GetMessage;
    return {};
  });
  EXPECT_EQ(FunctionAt<old::XLA_FFI_Error_GetMessage>(*table.get(), kOldestVersion,
                                                      ApiFunction::kErrorGetMessage),
            &GetMessage);
}

}  // namespace
}  // namespace callbridge::typed_ffi
