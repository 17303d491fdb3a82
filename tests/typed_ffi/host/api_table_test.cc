// The API table in the shape of every row: layout, stated size, size checks and their texts.
#include "callbridge/typed_ffi/host/api_table.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/host/invocation.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"
#include "callbridge/typed_ffi/host/thread_pool.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace host {
namespace {

using typed_ffi::ApiFunction;
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

  bool Has(ApiFunction function) const { return version().slots[static_cast<int>(function)] != 0; }
  template <typename Args>
  absl::Status Call(ApiFunction function, Args& args) const {
    return ErrorObject::TakeStatus(
        typed_ffi::FunctionAt<XLA_FFI_Error*(Args*)>(api(), version(), function)(&args));
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
  EXPECT_EQ(&typed_ffi::VersionFor(api(), ApiFunction::kFutureCreate), &version());
}

TEST_P(ApiTableTest, HasAFunctionInEverySlot) {
  const size_t first = version().slots[static_cast<int>(ApiFunction::kErrorCreate)];
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
    ApiFunction function;
    std::string begin;
  } kTexts[] = {
      {ApiFunction::kErrorCreate, "XLA_FFI_Error_Create size: expected 28"},
      {ApiFunction::kHandlerRegister,
       absl::StrCat("XLA_FFI_Handler_Register size: expected ", 48 + version().bundle_size + 4)},
      {ApiFunction::kStream, "XLA_FFI_Stream_Get size: expected 32"},
      {ApiFunction::kTypeIdRegister, "XLA_FFI_TypeId_Register_Args size: expected 40"},
      {ApiFunction::kTypeRegister, "XLA_FFI_Type_Register_Args size: expected 40"},
      {ApiFunction::kUserData,
       absl::StrCat(version().minor < 4 ? "XLA_FFI_ExecutionContext_Get_Args"
                                        : "XLA_FFI_InvokeContext_Get_Args",
                    " size: expected 40")},
      {ApiFunction::kStateSet,
       absl::StrCat("XLA_FFI_State_Set_Args size: expected ", typed ? 40 : 48)},
      {ApiFunction::kStateGet,
       absl::StrCat("XLA_FFI_State_Get_Args size: expected ", staged ? 48 : 40)},
      {ApiFunction::kScratchAllocate, "XLA_FFI_DeviceMemory_Allocate_Args size: expected 48"},
      {ApiFunction::kScratchFree, "XLA_FFI_DeviceMemory_Free_Args size: expected 40"},
      {ApiFunction::kThreadPoolSchedule, "XLA_FFI_ThreadPool_Schedule_Args size: expected 40"},
      {ApiFunction::kThreadPoolNumThreads, "XLA_FFI_ThreadPool_NumThreads_Args size: expected 32"},
      {ApiFunction::kFutureCreate, "XLA_FFI_Future_Create size: expected 16"},
      {ApiFunction::kFutureSetAvailable, "XLA_FFI_Future_SetAvailable size: expected 24"},
      {ApiFunction::kFutureSetError, "XLA_FFI_Future_SetError size: expected 32"},
      {ApiFunction::kRunId, "XLA_FFI_RunId_Get size: expected 32"},
      {ApiFunction::kDeviceOrdinal, "XLA_FFI_DeviceOrdinal_Get size: expected 28"},
      {ApiFunction::kExtensions, "XLA_FFI_InvokeContext_FindExtension_Args size: expected 40"},
      {ApiFunction::kCustomOptions, "XLA_FFI_CustomOptions_Get_Args size: expected 32"},
  };
  for (const auto& text : kTexts) {
    if (!Has(text.function)) continue;
    SmallArgs args = {};
    args.struct_size = 1;
    EXPECT_EQ(Call(text.function, args),
              absl::InvalidArgumentError(absl::StrCat("Unexpected ", text.begin, tail)));
  }
}

TEST_P(ApiTableTest, SaysWhatWasNotLent) {
  Invocation invocation({}, {});
  XLA_FFI_TypeId type = {12345};
  const auto code = [&](ApiFunction function, auto args) {
    args.struct_size = sizeof(args);
    args.ctx = invocation.get();
    return Has(function) ? Call(function, args).code() : absl::StatusCode::kOk;
  };
  const auto expect = [&](ApiFunction function, absl::StatusCode missing) {
    return Has(function) ? missing : absl::StatusCode::kOk;
  };
  const auto unimplemented = absl::StatusCode::kUnimplemented;
  const auto precondition = absl::StatusCode::kFailedPrecondition;
  const auto not_found = absl::StatusCode::kNotFound;
  EXPECT_EQ(code(ApiFunction::kStream, XLA_FFI_Stream_Get_Args{}),
            expect(ApiFunction::kStream, unimplemented));
  EXPECT_EQ(code(ApiFunction::kScratchAllocate, XLA_FFI_DeviceMemory_Allocate_Args{}),
            expect(ApiFunction::kScratchAllocate, unimplemented));
  EXPECT_EQ(code(ApiFunction::kThreadPoolSchedule, XLA_FFI_ThreadPool_Schedule_Args{}),
            expect(ApiFunction::kThreadPoolSchedule, unimplemented));
  EXPECT_EQ(code(ApiFunction::kThreadPoolNumThreads, XLA_FFI_ThreadPool_NumThreads_Args{}),
            expect(ApiFunction::kThreadPoolNumThreads, unimplemented));
  EXPECT_EQ(code(ApiFunction::kRunId, XLA_FFI_RunId_Get_Args{}),
            expect(ApiFunction::kRunId, precondition));
  EXPECT_EQ(code(ApiFunction::kDeviceOrdinal, XLA_FFI_DeviceOrdinal_Get_Args{}),
            expect(ApiFunction::kDeviceOrdinal, precondition));
  XLA_FFI_InvokeContext_Get_Args user = {};
  user.type_id = &type;
  EXPECT_EQ(code(ApiFunction::kUserData, user), expect(ApiFunction::kUserData, not_found));
  // A null context provides nothing either.
  XLA_FFI_Stream_Get_Args stream = {sizeof(stream), nullptr, nullptr, nullptr};
  EXPECT_EQ(Call(ApiFunction::kStream, stream).code(), unimplemented);
}

TEST_P(ApiTableTest, TellsErrors) {
  XLA_FFI_Error_Create_Args create = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, "text",
                                      XLA_FFI_Error_Code_ABORTED};
  XLA_FFI_Error* error = typed_ffi::FunctionAt<XLA_FFI_Error_Create>(
      api(), version(), ApiFunction::kErrorCreate)(&create);
  if (Has(ApiFunction::kErrorGetMessage)) {
    typed_ffi::old::XLA_FFI_Error_GetMessage_Args args = {sizeof(args), nullptr, error, nullptr};
    typed_ffi::FunctionAt<typed_ffi::old::XLA_FFI_Error_GetMessage>(
        api(), version(), ApiFunction::kErrorGetMessage)(&args);
    EXPECT_STREQ(args.message, "text");
  } else {
    XLA_FFI_Error_GetDetails_Args args = {};
    args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
    args.error = error;
    typed_ffi::FunctionAt<XLA_FFI_Error_GetDetails>(api(), version(),
                                                    ApiFunction::kErrorGetDetails)(&args);
    EXPECT_STREQ(args.message, "text");
    EXPECT_EQ(args.errc, XLA_FFI_Error_Code_ABORTED);
  }
  XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  typed_ffi::FunctionAt<XLA_FFI_Error_Destroy>(api(), version(),
                                               ApiFunction::kErrorDestroy)(&destroy);
}

// A struct that is too small is left as it is.
TEST_P(ApiTableTest, ErrorsAskedWithStructsThatAreTooSmall) {
  XLA_FFI_Error* error = ErrorObject::Make(XLA_FFI_Error_Code_ABORTED, "text");
  if (Has(ApiFunction::kErrorGetMessage)) {
    typed_ffi::old::XLA_FFI_Error_GetMessage_Args args = {sizeof(args) - 1, nullptr, error,
                                                          "before"};
    typed_ffi::FunctionAt<typed_ffi::old::XLA_FFI_Error_GetMessage>(
        api(), version(), ApiFunction::kErrorGetMessage)(&args);
    EXPECT_EQ(args.message, nullptr);
  } else {
    XLA_FFI_Error_GetDetails_Args args = {};
    args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE - 1;
    args.error = error;
    typed_ffi::FunctionAt<XLA_FFI_Error_GetDetails>(api(), version(),
                                                    ApiFunction::kErrorGetDetails)(&args);
    EXPECT_EQ(args.message, nullptr);
    EXPECT_EQ(args.errc, XLA_FFI_Error_Code_OK);
  }
  const auto origin = std::make_shared<int>(0);
  XLA_FFI_Error* other = ErrorObject::Make(XLA_FFI_Error_Code_ABORTED, "text", origin);
  XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE - 1, nullptr, other};
  auto* function =
      typed_ffi::FunctionAt<XLA_FFI_Error_Destroy>(api(), version(), ApiFunction::kErrorDestroy);
  function(&destroy);
  EXPECT_EQ(origin.use_count(), 2) << "it still lives";
  destroy.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE;
  function(&destroy);
  EXPECT_EQ(origin.use_count(), 1);
  ErrorObject::Destroy(error);
}

template <int number>
XLA_FFI_Error* Handler(XLA_FFI_CallFrame* frame) {
  auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  query->metadata->api_version.minor_version = 1;
  return nullptr;
}

// Each handler of the bundle has its place, which differs between versions, and the traits theirs.
TEST_P(ApiTableTest, RegistersEveryHandlerOfABundle) {
  const bool instantiates = version().instantiate != typed_ffi::kNoStage;
  const bool records = version().record != typed_ffi::kNoStage;
  const std::string name = "RegistersEveryHandlerOfABundle";
  const auto register_in = [&](auto args) {
    args.struct_size = offsetof(decltype(args), traits) + sizeof(args.traits);
    args.name = {name.data(), name.size()};
    args.platform = {"Host", 4};
    args.bundle.prepare = &Handler<1>;
    args.bundle.initialize = &Handler<2>;
    args.bundle.execute = &Handler<3>;
    args.traits = 6;
    return args;
  };
  if (records) {
    auto args = register_in(XLA_FFI_Handler_Register_Args());
    args.bundle.instantiate = &Handler<0>;
    args.bundle.record = &Handler<4>;
    EXPECT_EQ(Call(ApiFunction::kHandlerRegister, args), absl::OkStatus());
  } else if (instantiates) {
    auto args = register_in(typed_ffi::old::XLA_FFI_Handler_Register_Args_0_4_31());
    args.bundle.instantiate = &Handler<0>;
    EXPECT_EQ(Call(ApiFunction::kHandlerRegister, args), absl::OkStatus());
  } else {
    auto args = register_in(typed_ffi::old::XLA_FFI_Handler_Register_Args_0_4_30());
    EXPECT_EQ(Call(ApiFunction::kHandlerRegister, args), absl::OkStatus());
  }
  const absl::StatusOr<RegisteredHandler> found = RegistryOf(version()).Find(name, "Host");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->handlers.instantiate, instantiates ? &Handler<0> : nullptr);
  EXPECT_EQ(found->handlers.prepare, &Handler<1>);
  EXPECT_EQ(found->handlers.initialize, &Handler<2>);
  EXPECT_EQ(found->handlers.execute, &Handler<3>);
  EXPECT_EQ(found->handlers.record, records ? &Handler<4> : nullptr);
  EXPECT_EQ(found->traits, 6u);
}

int ended = 0;
void End(void*) { ++ended; }

TEST_P(ApiTableTest, RegistersTypesAndKeepsTheirStates) {
  const std::string name = absl::StrCat("ApiTableTest", GetParam());
  const XLA_FFI_ByteSpan span = {name.data(), name.size()};
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, &End};
  XLA_FFI_TypeId id = {}, unknown = {987654321};
  if (Has(ApiFunction::kTypeRegister)) {
    XLA_FFI_Type_Register_Args args = {XLA_FFI_Type_Register_Args_STRUCT_SIZE, nullptr, span, &id,
                                       &info};
    EXPECT_EQ(Call(ApiFunction::kTypeRegister, args), absl::OkStatus());
  } else {
    typed_ffi::old::XLA_FFI_TypeId_Register_Args args = {sizeof(args), nullptr, span, &id};
    EXPECT_EQ(Call(ApiFunction::kTypeIdRegister, args), absl::OkStatus());
  }
  const auto registered = TypeRegistry::OfProcess().Find(id);
  ASSERT_TRUE(registered.has_value());
  EXPECT_EQ(registered->name, name);
  EXPECT_EQ(registered->deleter, Has(ApiFunction::kTypeRegister) ? &End : nullptr);
  if (!Has(ApiFunction::kStateSet)) return;

  const bool staged = version().state == typed_ffi::StateLayout::kStaged;
  const XLA_FFI_ExecutionStage stage =
      staged ? XLA_FFI_ExecutionStage_PREPARE : XLA_FFI_ExecutionStage_INSTANTIATE;
  ended = 0;
  int object = 0;
  {
    HandlerState instantiate, prepare;
    Invocation invocation({}, {&instantiate, &prepare, nullptr});
    invocation.set_stage(stage);
    const auto set = [&](XLA_FFI_TypeId type) {
      if (staged) {
        XLA_FFI_State_Set_Args args = {sizeof(args), nullptr, invocation.get(),
                                       stage,        &type,   &object};
        return Call(ApiFunction::kStateSet, args);
      }
      if (version().state == typed_ffi::StateLayout::kTypedDeleter) {
        typed_ffi::old::XLA_FFI_State_Set_Args_0_8_3 args = {sizeof(args), nullptr,
                                                             invocation.get(), &type, &object};
        return Call(ApiFunction::kStateSet, args);
      }
      typed_ffi::old::XLA_FFI_State_Set_Args_0_4_31 args = {sizeof(args), nullptr, invocation.get(),
                                                            &type,        &object, &End};
      return Call(ApiFunction::kStateSet, args);
    };
    if (Has(ApiFunction::kTypeRegister)) {
      EXPECT_EQ(set(unknown),
                absl::InternalError("Type id 987654321 is not registered with a static registry"));
    }
    EXPECT_EQ(set(id), absl::OkStatus());
    EXPECT_EQ(*(staged ? prepare : instantiate).Get(id), &object);
    const auto get = [&](auto args) {
      args.struct_size = sizeof(args);
      args.ctx = invocation.get();
      args.type_id = &id;
      if constexpr (std::is_same_v<decltype(args), XLA_FFI_State_Get_Args>) args.stage = stage;
      EXPECT_EQ(Call(ApiFunction::kStateGet, args), absl::OkStatus());
      return args.state;
    };
    EXPECT_EQ(staged ? get(XLA_FFI_State_Get_Args())
                     : get(typed_ffi::old::XLA_FFI_State_Get_Args_0_4_31()),
              &object);
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, 1);
}

TEST_P(ApiTableTest, AFutureIsCompletedOnce) {
  if (!Has(ApiFunction::kFutureCreate)) GTEST_SKIP() << "no futures";
  for (bool fails : {false, true}) {
    XLA_FFI_Future_Create_Args create = {sizeof(create), nullptr, nullptr};
    EXPECT_EQ(Call(ApiFunction::kFutureCreate, create), absl::OkStatus());
    XLA_FFI_Future_SetAvailable_Args available = {sizeof(available), nullptr, create.future};
    const auto origin = std::make_shared<int>(0);
    const auto set_error = [&] {
      XLA_FFI_Error* error = ErrorObject::Make(XLA_FFI_Error_Code_ABORTED, "late", origin);
      XLA_FFI_Future_SetError_Args args = {sizeof(args), nullptr, create.future, error};
      return Call(ApiFunction::kFutureSetError, args);
    };
    EXPECT_EQ(fails ? set_error() : Call(ApiFunction::kFutureSetAvailable, available),
              absl::OkStatus());
    const absl::Status again =
        absl::FailedPreconditionError("the XLA FFI future is already completed");
    EXPECT_EQ(set_error(), again);
    EXPECT_EQ(Call(ApiFunction::kFutureSetAvailable, available), again);
    EXPECT_EQ(origin.use_count(), 1) << "the errors are gone";
    EXPECT_EQ(WaitFor(create.future), fails ? absl::AbortedError("late") : absl::OkStatus());
  }
}

// Beside the thread that called the handler there is nobody to tell; where there never are threads
// a task runs at once.
TEST_P(ApiTableTest, TasksRunAtOnceWhereThereNeverAreThreads) {
  if (!Has(ApiFunction::kThreadPoolSchedule)) GTEST_SKIP() << "no threads";
  RuntimeServices services;
  static constexpr NoMore kNever = {"never"};
  services.no_more = &kNever;
  Invocation invocation(services, {});
  int ran = 0;
  XLA_FFI_ThreadPool_Schedule_Args args = {sizeof(args), nullptr, invocation.get(),
                                           [](void* data) { ++*static_cast<int*>(data); }, &ran};
  EXPECT_EQ(Call(ApiFunction::kThreadPoolSchedule, args).code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ran, 0);
  std::thread([&] {
    EXPECT_EQ(Call(ApiFunction::kThreadPoolSchedule, args), absl::OkStatus());
  }).join();
  EXPECT_EQ(ran, 1);
}

// What is provided is the caller's own code.
struct Throwing final : ScratchAllocator, ThreadPool {
  void* Allocate(size_t size, size_t alignment) override {
    if (size == 1) throw std::runtime_error("Allocate");
    return aligned_alloc(alignment, size);
  }
  void Free(void* data, size_t) override {
    free(data);
    if (throws) throw std::runtime_error("Free");
  }
  void Schedule(XLA_FFI_Task*, void*) override { throw std::runtime_error("Schedule"); }
  int64_t num_threads() const override { throw std::runtime_error("num_threads"); }
  bool throws = true;
};

TEST_P(ApiTableTest, WhatTheCallerThrowsIsTheHandlersError) {
  Throwing throwing;
  RuntimeServices services;
  services.scratch = &throwing;
  services.thread_pool = &throwing;
  Invocation invocation(services, {});
  int64_t threads = 0;
  const auto expect = [&](ApiFunction function, const char* what, auto args) {
    if (!Has(function)) return;
    args.struct_size = sizeof(args);
    args.ctx = invocation.get();
    const absl::Status status = Call(function, args);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << what;
    EXPECT_THAT(std::string(status.message()), ::testing::EndsWith(what));
  };
  XLA_FFI_DeviceMemory_Allocate_Args allocate = {
      sizeof(allocate), nullptr, invocation.get(), 64, 64, nullptr};
  EXPECT_EQ(Call(ApiFunction::kScratchAllocate, allocate), absl::OkStatus());
  XLA_FFI_DeviceMemory_Free_Args free_args = {};
  free_args.size = 64;
  free_args.data = allocate.data;
  expect(ApiFunction::kScratchFree, "Free", free_args);
  allocate.size = 1;
  expect(ApiFunction::kScratchAllocate, "Allocate", allocate);
  expect(ApiFunction::kThreadPoolSchedule, "Schedule", XLA_FFI_ThreadPool_Schedule_Args());
  XLA_FFI_ThreadPool_NumThreads_Args count = {};
  count.num_threads = &threads;
  expect(ApiFunction::kThreadPoolNumThreads, "num_threads", count);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
