// The API table in the shape of every row: layout, stated size, size checks and their texts.
#include "callbridge/typed_ffi/host/api_table.h"

#include <cstring>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/invocation.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace host {
namespace {

using typed_ffi::Facility;
using typed_ffi::kRuntimeVersions;

// What every argument struct that has a context begins with.
struct SmallArgs {
  size_t struct_size;
  void* extension_start;
  XLA_FFI_InvokeContext* ctx;
  char rest[72];
};

class ApiTableTest : public ::testing::TestWithParam<int> {
 protected:
  const RuntimeVersion& version() const { return kRuntimeVersions[GetParam()]; }
  const XLA_FFI_Api& api() const { return ApiTable(version()); }

  bool Has(Facility facility) const { return version().slots[static_cast<int>(facility)] != 0; }
  template <typename Args>
  absl::Status Call(Facility facility, Args& args) const {
    return ErrorObject::TakeStatus(
        typed_ffi::FunctionAt<XLA_FFI_Error*(Args*)>(api(), version(), facility)(&args));
  }
};

INSTANTIATE_TEST_SUITE_P(Rows, ApiTableTest, ::testing::Range(0, typed_ffi::kRuntimeVersionCount),
                         [](const auto& info) { return absl::StrCat("row", info.param); });

TEST_P(ApiTableTest, SaysOfItselfWhatSuchARuntimeSays) {
  EXPECT_EQ(api().struct_size, version().stated_size);
  if (GetParam() > 0) {
    EXPECT_EQ(api().api_version.major_version, 0);
    EXPECT_EQ(api().api_version.minor_version, version().minor);
    EXPECT_EQ(api().api_version.struct_size, 24u);
  }
  // The two rows of one version and size are told apart by what their functions do.
  EXPECT_EQ(&typed_ffi::VersionFor(api(), Facility::kFutureCreate), &version());
}

TEST_P(ApiTableTest, HasAFunctionInEverySlot) {
  const size_t first = version().slots[static_cast<int>(Facility::kErrorCreate)];
  std::set<void*> functions;
  for (size_t at = first; at < version().table_size; at += sizeof(void*)) {
    void* function;
    std::memcpy(&function, reinterpret_cast<const char*>(&api()) + at, sizeof(function));
    EXPECT_NE(function, nullptr) << at;
    functions.insert(function);
  }
  EXPECT_EQ(functions.size(), (version().table_size - first) / sizeof(void*));
}

TEST_P(ApiTableTest, ChecksSizesFirstAndSaysWhatXlaSays) {
  const std::string tail = absl::StrCat(
      ", got 1. Check installed software versions. The framework XLA FFI API version is 0.",
      int{version().minor}, ".");
  const bool staged = version().state == typed_ffi::StateLayout::kStaged;
  const bool typed = version().state == typed_ffi::StateLayout::kTypedDeleter;
  // Measured on jaxlib 0.4.30 and 0.10.2. TypeId_Register and Type_Register name another struct
  // there, by mistake.
  const struct {
    Facility facility;
    std::string begin;
  } kTexts[] = {
      {Facility::kErrorCreate, "XLA_FFI_Error_Create size: expected 28"},
      {Facility::kHandlerRegister,
       absl::StrCat("XLA_FFI_Handler_Register size: expected ", 48 + version().bundle_size + 4)},
      {Facility::kStream, "XLA_FFI_Stream_Get size: expected 32"},
      {Facility::kTypeIdRegister, "XLA_FFI_TypeId_Register_Args size: expected 40"},
      {Facility::kTypeRegister, "XLA_FFI_Type_Register_Args size: expected 40"},
      {Facility::kUserData, absl::StrCat(version().minor < 4 ? "XLA_FFI_ExecutionContext_Get_Args"
                                                             : "XLA_FFI_InvokeContext_Get_Args",
                                         " size: expected 40")},
      {Facility::kStateSet,
       absl::StrCat("XLA_FFI_State_Set_Args size: expected ", typed ? 40 : 48)},
      {Facility::kStateGet,
       absl::StrCat("XLA_FFI_State_Get_Args size: expected ", staged ? 48 : 40)},
      {Facility::kScratchAllocate, "XLA_FFI_DeviceMemory_Allocate_Args size: expected 48"},
      {Facility::kScratchFree, "XLA_FFI_DeviceMemory_Free_Args size: expected 40"},
      {Facility::kThreadPoolSchedule, "XLA_FFI_ThreadPool_Schedule_Args size: expected 40"},
      {Facility::kThreadPoolNumThreads, "XLA_FFI_ThreadPool_NumThreads_Args size: expected 32"},
      {Facility::kFutureCreate, "XLA_FFI_Future_Create size: expected 16"},
      {Facility::kFutureSetAvailable, "XLA_FFI_Future_SetAvailable size: expected 24"},
      {Facility::kFutureSetError, "XLA_FFI_Future_SetError size: expected 32"},
      {Facility::kRunId, "XLA_FFI_RunId_Get size: expected 32"},
      {Facility::kDeviceOrdinal, "XLA_FFI_DeviceOrdinal_Get size: expected 28"},
      {Facility::kExtensions, "XLA_FFI_InvokeContext_FindExtension_Args size: expected 40"},
      {Facility::kCustomOptions, "XLA_FFI_CustomOptions_Get_Args size: expected 32"},
  };
  for (const auto& text : kTexts) {
    if (!Has(text.facility)) continue;
    SmallArgs args = {};
    args.struct_size = 1;
    EXPECT_EQ(Call(text.facility, args),
              absl::InvalidArgumentError(absl::StrCat("Unexpected ", text.begin, tail)));
  }
}

TEST_P(ApiTableTest, SaysWhatWasNotLent) {
  Invocation invocation({}, {});
  XLA_FFI_TypeId type = {12345};
  const auto code = [&](Facility facility, auto args) {
    args.struct_size = sizeof(args);
    args.ctx = invocation.get();
    return Has(facility) ? Call(facility, args).code() : absl::StatusCode::kOk;
  };
  const auto expect = [&](Facility facility, absl::StatusCode missing) {
    return Has(facility) ? missing : absl::StatusCode::kOk;
  };
  const auto unimplemented = absl::StatusCode::kUnimplemented;
  const auto precondition = absl::StatusCode::kFailedPrecondition;
  const auto not_found = absl::StatusCode::kNotFound;
  EXPECT_EQ(code(Facility::kStream, XLA_FFI_Stream_Get_Args{}),
            expect(Facility::kStream, unimplemented));
  EXPECT_EQ(code(Facility::kScratchAllocate, XLA_FFI_DeviceMemory_Allocate_Args{}),
            expect(Facility::kScratchAllocate, unimplemented));
  EXPECT_EQ(code(Facility::kThreadPoolSchedule, XLA_FFI_ThreadPool_Schedule_Args{}),
            expect(Facility::kThreadPoolSchedule, unimplemented));
  EXPECT_EQ(code(Facility::kThreadPoolNumThreads, XLA_FFI_ThreadPool_NumThreads_Args{}),
            expect(Facility::kThreadPoolNumThreads, unimplemented));
  EXPECT_EQ(code(Facility::kRunId, XLA_FFI_RunId_Get_Args{}),
            expect(Facility::kRunId, precondition));
  EXPECT_EQ(code(Facility::kDeviceOrdinal, XLA_FFI_DeviceOrdinal_Get_Args{}),
            expect(Facility::kDeviceOrdinal, precondition));
  XLA_FFI_InvokeContext_Get_Args user = {};
  user.type_id = &type;
  EXPECT_EQ(code(Facility::kUserData, user), expect(Facility::kUserData, not_found));
  // A null context lends nothing either.
  XLA_FFI_Stream_Get_Args stream = {sizeof(stream), nullptr, nullptr, nullptr};
  EXPECT_EQ(Call(Facility::kStream, stream).code(), unimplemented);
}

TEST_P(ApiTableTest, TellsErrors) {
  XLA_FFI_Error_Create_Args create = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, "text",
                                      XLA_FFI_Error_Code_ABORTED};
  XLA_FFI_Error* error = typed_ffi::FunctionAt<XLA_FFI_Error_Create>(
      api(), version(), Facility::kErrorCreate)(&create);
  if (Has(Facility::kErrorGetMessage)) {
    typed_ffi::old::XLA_FFI_Error_GetMessage_Args args = {sizeof(args), nullptr, error, nullptr};
    typed_ffi::FunctionAt<typed_ffi::old::XLA_FFI_Error_GetMessage>(
        api(), version(), Facility::kErrorGetMessage)(&args);
    EXPECT_STREQ(args.message, "text");
  } else {
    XLA_FFI_Error_GetDetails_Args args = {};
    args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
    args.error = error;
    typed_ffi::FunctionAt<XLA_FFI_Error_GetDetails>(api(), version(),
                                                    Facility::kErrorGetDetails)(&args);
    EXPECT_STREQ(args.message, "text");
    EXPECT_EQ(args.errc, XLA_FFI_Error_Code_ABORTED);
  }
  XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  typed_ffi::FunctionAt<XLA_FFI_Error_Destroy>(api(), version(), Facility::kErrorDestroy)(&destroy);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
